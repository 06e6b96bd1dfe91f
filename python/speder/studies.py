"""Scaling studies and their judgement, the audit of the paper's statements, stores of runs."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union, overload

import numpy as np

from . import _arrays, _core

if TYPE_CHECKING:
    import pandas

    from .figures import Figure

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True, eq=False)
class Study:
    """N(epsilon, delta) of one learner along one or two axes, its fit and its verdicts.

    exponents: axis -> (exponent, low, high); verdicts: axis -> word; ``to_pandas()``: N in every cell; ``print(study)``
    says what `speder scale` says.
    """

    report: dict[str, Any] = field(repr=False)
    text: str = field(repr=False)

    @property
    def name(self) -> str:
        return self.report["name"]

    @property
    def verdicts(self) -> dict[str, str]:
        return {v["axis"]: v["verdict"] for v in self.report["verdicts"]}

    @property
    def exponents(self) -> dict[str, tuple[float, float, float]]:
        """axis -> (exponent, low, high), 95%; empty when there are too few points."""
        fit = self.report["fit"]
        axes = fit["axes"] if fit else []
        return {a["setting"]: (a["exponent"], *a["interval"]) for a in axes}

    def to_pandas(self) -> pandas.DataFrame:
        """A row a cell: the axes, n (infinite: beyond the budget), budget, runs, ended, control."""
        pandas = _arrays.pandas()
        names = [axis["setting"] for axis in self.report["axes"]]
        rows = []
        for cell in self.report["cells"]:
            row = dict(zip(names, cell["x"]))
            row["n"] = np.inf if cell["beyond_budget"] else cell["n"]
            row.update({key: cell[key] for key in ("budget", "log_sd", "runs", "ended")})
            control = cell["control"]
            row["n_control"] = np.nan if control is None else np.inf if control["beyond_budget"] else control["n"]
            rows.append(row)
        return pandas.DataFrame(rows)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Study({self.name}: {self.exponents}, {self.verdicts})"


class Studies(Sequence[Study]):
    """What ``scale`` found: a sequence of ``Study``, one for each learner and setting.

    A notebook shows its pictures; ``figures()`` gives them, ``to_pandas()`` the rows of the store.
    """

    def __init__(self, store: str, found: Sequence[Study], failed: int, scratch: str | None = None) -> None:
        self.store, self.failed = store, failed
        self._found = list(found)
        if scratch is not None:
            weakref.finalize(self, shutil.rmtree, scratch, ignore_errors=True)

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, i: int) -> Study: ...
    @overload
    def __getitem__(self, i: slice) -> list[Study]: ...
    def __getitem__(self, i: int | slice) -> Study | list[Study]:
        return self._found[i]

    def to_pandas(self) -> pandas.DataFrame:
        """The tidy rows of the store."""
        return read_store(self.store)

    def figures(self) -> list[Figure]:
        """N along the axes, with its fit."""
        from .figures import Figure

        return [Figure(svg) for svg in _core.study_figures(self.store)]

    def _repr_html_(self) -> str:
        return "".join(f.svg[f.svg.find("<svg"):] for f in self.figures()) + f"<pre>{self}</pre>"

    def __str__(self) -> str:
        return "".join(study.text for study in self._found)

    def __repr__(self) -> str:
        return f"Studies({self._found!r})"


def scale(family: str | None = None, *, axes: Mapping[str, Sequence[float]], epsilon: float | None = None,
          algorithm: str | Sequence[str] = "speder", mdp: Path | None = None, seeds: int = 20, budget: int = 10_000,
          theory: Sequence[float] | float = (), delta: float = 0.1, bonus: str = "theory",
          candidates: str | Sequence[str] = (), criterion: str = "least-squares", replan: str = "every",
          behaviour: str = "uniform", offline: bool = False, control: bool = True, out: Path | None = None,
          seed: int = 1, jobs: int = 0, **settings: float) -> Studies:
    """How the samples that a learner needs grow: `speder scale` from a notebook.

    ``scale("needle", axes={"rank": [8, 12, 16, 20, 24]}, epsilon=0.05, gamma=0.8, theory=4)``.

    family or mdp (a file): where it learns. axes: one or two settings, each with two values or more. epsilon, delta:
    N(epsilon, delta) is the number of episodes (``offline=True``: transitions) after which a run is epsilon-optimal
    with probability 1 - delta. seeds: runs a cell. budget: where a run that has not got there is stopped. theory: the
    exponents to judge. control: with the same runs without a bonus. ``settings`` are states, actions, rank, gamma,
    class_size, c_alpha, c_lambda or knobs of the family. candidates: the kinds of class; bonus, criterion, replan and
    behaviour: as in ``learn``. out: the store, which a stopped study continues from; without it the store lives as
    long as the result. jobs: threads (0: all cores).
    """
    if not isinstance(axes, Mapping) or not axes:
        raise ValueError('name an axis, such as axes={"rank": [8, 12, 16, 20, 24, 32]}')
    family = None if family is None else _arrays.word("family", family)
    model = None if mdp is None else _arrays.path(mdp)
    knobs = _knobs(family)
    numbers: dict[str, list[float]] = {}
    for given, values in [*axes.items(), *((k, [v]) for k, v in settings.items())]:
        name = _setting(given, knobs)
        if name in numbers:
            raise ValueError(f"{given} is given twice")
        numbers[name] = _arrays.numbers(given, values)
    alpha, lam = _core.bonus_constants(_arrays.word("bonus", bonus))
    if epsilon is None and "epsilon" not in numbers:
        raise ValueError("epsilon (or an axis of it) is missing")
    for name, value in (("c_alpha", alpha), ("c_lambda", lam), ("epsilon", epsilon), ("delta", delta), ("budget", budget)):
        if value is not None:
            numbers.setdefault(name, [_arrays.number(name, value)])
    runs, root, threads = _arrays.whole("seeds", seeds, 1, 2**31 - 1), _arrays.seed(seed), _arrays.whole("jobs", jobs, 0, 4096)
    scratch = tempfile.mkdtemp(prefix="speder-") if out is None else None
    try:
        store = os.path.join(scratch, "scale.db") if scratch else _arrays.path(out)
        names = {"families": [family] if family else [], "algorithms": _arrays.words("algorithm", algorithm),
                 "classes": _arrays.words("candidates", candidates), "criteria": _arrays.words("criterion", criterion),
                 "replan": _arrays.words("replan", replan), "behaviours": _arrays.words("behaviour", behaviour)}
        _, failed, found, texts = _core.scale(
            names, numbers, [_setting(a, knobs) for a in axes], _arrays.numbers("theory", theory),
            model or "", bool(offline), bool(control), runs, root, threads, store)
    except BaseException:
        if scratch:
            shutil.rmtree(scratch, ignore_errors=True)
        raise
    return Studies(store, [Study(json.loads(j), t) for j, t in zip(found, texts)], failed, scratch)


def _knobs(family: str | None) -> set[str]:
    return next((set(knobs) for name, _, _, knobs in _core.families() if name == family), set())


def _setting(name: str, knobs: set[str]) -> str:
    plain = name.replace("-", "_")
    return "knob_" + plain if plain in knobs and plain not in _core.learn_number_names() else plain


@dataclass(frozen=True, eq=False)
class Rate:
    """y ~ x^exponent with its 95% interval, and the verdict against the theory's exponent, with its reason.

    points: the (x, y) that were fitted. ``plot()`` draws them with the power law.
    """

    exponent: float
    interval: tuple[float, float]
    verdict: str | None
    reason: str | None
    theory: float | None
    points: tuple[np.ndarray, np.ndarray] = field(repr=False)

    def plot(self) -> Figure:
        from .figures import figure

        x, y = self.points
        middle = np.exp(np.mean(np.log(y[y > 0])) - self.exponent * np.mean(np.log(x[y > 0])))
        return figure(x, {"measured": y, f"x^{self.exponent:.2f}": middle * x**self.exponent}, x="x", y="y",
                      x_log=True, y_log=True)


@overload
def fit_rate(data: pandas.DataFrame, *, x: str, y: str, theory: float | Sequence[float] | None = None,
             run: str = "seed", quantile: float | None = None, log_power: float = 0.0, min_decades: float = 1.5,
             seed: int = 1) -> Rate: ...
@overload
def fit_rate(data: pandas.DataFrame, *, x: list[str] | tuple[str, ...], y: str,
             theory: float | Sequence[float] | None = None, run: str = "seed", quantile: float | None = None,
             log_power: float = 0.0, min_decades: float = 1.5, seed: int = 1) -> dict[str, Rate]: ...
def fit_rate(data: pandas.DataFrame, *, x: str | Sequence[str], y: str, theory: float | Sequence[float] | None = None,
             run: str = "seed", quantile: float | None = None, log_power: float = 0.0, min_decades: float = 1.5,
             seed: int = 1) -> Rate | dict[str, Rate]:
    """The exponent of y in x, with part 2's rules for the verdict.

    One name for ``x``: y is measured at several x in every run (column ``run``); means (or the ``quantile``) over the
    runs, a weighted log-log fit, an interval by resampling runs. The verdict against ``theory`` (an upper bound on
    the exponent, times log^log_power) is consistent, violated or inconclusive; fewer than ``min_decades`` decades of
    x decide nothing. A list of names: y of each run is its N at that setting (infinite: not reached), the
    ``quantile`` (default 0.9) of the runs is fitted as a plane in the logarithms, and every axis has its verdict:
    tight, below, violated, inconclusive.
    """
    if not isinstance(data, _arrays.pandas().DataFrame):
        raise TypeError(f"data: expected a pandas DataFrame, got {type(data).__name__}")
    wanted = _arrays.words("x", x)
    if not wanted:
        raise ValueError("x is empty: name a column")
    for name, value in (("y", y), ("run", run)):
        _arrays.word(name, value)
    quantile = None if quantile is None else _arrays.number("quantile", quantile)
    missing = [name for name in [*wanted, y, run] if name not in data.columns]
    if missing:
        raise ValueError(f"the table has no column '{missing[0]}'; there are: {', '.join(map(str, data.columns))}")
    if isinstance(x, str):
        if data.duplicated([run, x]).any():
            raise ValueError(f"several rows have the same {run} and {x}; choose an algorithm first")
        table = data.pivot(index=run, columns=x, values=y).sort_index(axis=1)
        claims = [] if theory is None else _arrays.numbers("theory", theory)
        if len(claims) > 1:
            raise ValueError(f"theory has {len(claims)} exponents for one axis")
        claim = claims[0] if claims else None
        at = _arrays.floats(x, table.columns.to_numpy(), (None,), "(points,)")
        if not (at > 0).all():
            raise ValueError(f"{x}: a power law needs positive numbers")
        values = np.ascontiguousarray(table.to_numpy(dtype=np.float64))
        found = _core.fit_curve(at, values, quantile, claim, _arrays.number("log_power", log_power),
                                _arrays.number("min_decades", min_decades), _arrays.seed(seed))
        if "exponent" not in found:
            raise ValueError(f"too few points: {found['x'].size} values of {x}")
        return Rate(found["exponent"], (found["low"], found["high"]), found.get("verdict"), found.get("reason"), claim,
                    (found["x"], found["y"]))
    claims = [] if theory is None else _arrays.numbers("theory", theory)
    if claims and len(claims) != len(wanted):
        raise ValueError(f"theory has {len(claims)} exponents for {len(wanted)} axes")
    reached = data[y].to_numpy(dtype=np.float64)
    if not np.isfinite(reached).any():
        raise ValueError(f"no run has a finite {y}")
    bound = float(reached[np.isfinite(reached)].max())  # what was not reached lies above all that was
    keys, ends, variances, censored = [], [], [], []
    for key, group in data.groupby(wanted if len(wanted) > 1 else wanted[0], sort=True):
        n, variance = _core.run_quantile(np.ascontiguousarray(group[y].to_numpy(dtype=np.float64)), quantile or 0.9)
        known = bool(np.isfinite(n))
        keys.append(np.atleast_1d(key))
        ends.append(n if known else bound)
        variances.append(variance if known else 0.0)
        censored.append(0.0 if known else 1.0)
    at = np.array(keys)
    for k, name in enumerate(wanted):
        if at.dtype.kind not in "fiub" or not (np.isfinite(at[:, k]) & (at[:, k] > 0)).all():
            raise ValueError(f"{name}: a power law needs positive numbers")
    points = np.log(at.astype(np.float64))
    found = _core.fit_plane(np.ascontiguousarray(points), np.log(np.array(ends)), np.array(variances),
                            np.array(censored), claims)
    if not found["fitted"]:
        raise ValueError(f"too few points: {found['points']} settings have a known {y}")
    out = {}
    for k, (name, axis) in enumerate(zip(wanted, found["axes"])):
        out[name] = Rate(axis["exponent"], (axis["low"], axis["high"]), axis.get("verdict"), axis.get("reason"),
                         claims[k] if claims else None, (np.exp(points[:, k]), np.array(ends)))
    return out


def audit(only: str | Sequence[str] = (), *, budget: int = 4000, seed: int = 1, jobs: int = 0) -> pandas.DataFrame:
    """Tries to break statements of the paper: `speder audit`. A row an entry: verdict, instances, worst_ratio, …

    only: an id of `speder audit --list`, or several; without it all are tried, which takes minutes.
    budget: instances an entry. jobs: threads (0: all cores).
    """
    pandas = _arrays.pandas()
    found = json.loads(_core.audit(_arrays.words("only", only), _arrays.whole("budget", budget, 1), _arrays.seed(seed),
                                   _arrays.whole("jobs", jobs, 0, 4096)))
    return pandas.DataFrame(found).set_index("id")


def read_store(path: Path, settings: bool = True) -> pandas.DataFrame:
    """A store of runs (sweep, validate, scale, learn --out x.db) as tidy rows; settings of the cells as columns."""
    pandas = _arrays.pandas()
    experiments, cells, repetitions, metrics, at, values = _core.store_rows(_arrays.path(path))
    frame = pandas.DataFrame({"experiment": experiments, "cell": cells, "repetition": repetitions, "metric": metrics,
                              "n": at, "value": values})
    if not settings:
        return frame
    parsed = {cell: dict(part.split("=", 1) for part in cell.split(" ") if part) for cell in set(cells)}
    table = pandas.DataFrame.from_dict(parsed, orient="index")
    for name in table.columns:
        numbers = pandas.to_numeric(table[name], errors="coerce")
        if numbers.notna().sum() == table[name].notna().sum():
            table[name] = numbers
    clash = {name: f"setting_{name}" for name in table.columns if name in frame.columns}
    return frame.join(table.rename(columns=clash), on="cell")
