"""Finite classes of candidates, the learners on them, and a judge for learners of your own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _arrays, _core
from ._arrays import Floats

if TYPE_CHECKING:
    import pandas

    from .figures import Figure
    from .mdp import MDP


class Candidates:
    """A finite class F of kernels for one MDP.

    ``Candidates(mdp, "multiscale", size=1000)`` plants P* among its neighbours (product, net, misspecified, own:
    `speder learn online --help`); ``Candidates.of(mdp, phi, mu)`` takes your own, phi (F, S, A, d) and mu
    (F, S, d), densities with respect to the MDP's nu; ``truth`` says which one is P*, if one is.
    """

    __slots__ = ("_core", "mdp")

    def __init__(self, mdp: MDP, kind: str = "multiscale", *, size: int = 1000, scales: int = 10, base: float = 0,
                 radius: float = 0, support: float = 1, precision: str = "auto", weights: str = "uniform",
                 seed: int = 1) -> None:
        numbers = {"size": float(size), "scales": float(scales), "base": float(base), "radius": float(radius),
                   "support": float(support)}
        self.mdp = mdp
        self._core = _core.make_candidates(mdp._core, kind, numbers, {"precision": precision, "weights": weights}, seed)

    @classmethod
    def _of(cls, mdp: MDP, core: _core.Problem) -> Candidates:
        self = object.__new__(cls)
        self.mdp, self._core = mdp, core
        return self

    @classmethod
    def of(cls, mdp: MDP, phi: Any, mu: Any, truth: int | None = None) -> Candidates:
        features = _arrays.floats("phi", phi, (None, None, None, None), "(F, S, A, d)")
        count, states, _, rank = features.shape
        densities = _arrays.floats("mu", mu, (count, states, rank), "(F, S, d)")
        return cls._of(mdp, _core.candidates_of(mdp._core, features, densities, truth))

    @classmethod
    def load(cls, mdp: MDP, path: Union[str, os.PathLike[str]]) -> Candidates:
        return cls._of(mdp, _core.load_candidates(mdp._core, os.fspath(path)))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        self._core.save(os.fspath(path))

    @property
    def truth(self) -> int | None:
        """Which member is P*; a learner is never told."""
        return self._core.truth

    @property
    def distance(self) -> Floats:
        """(F), L2 distance of each member from P*."""
        return self._core.distance

    def phi(self, member: int) -> Floats:
        return self._core.phi(member)

    def mu(self, member: int) -> Floats:
        return self._core.mu(member)

    def __len__(self) -> int:
        return self._core.size

    def __repr__(self) -> str:
        return f"Candidates({len(self)} of rank {self._core.rank}, P* is {'no member' if self.truth is None else 'a member'})"


@dataclass(frozen=True)
class Run:
    """One learner on one seed: a row (columns: ``speder.learning.columns()``) at each n of a geometric grid."""

    algorithm: str
    seed: int
    rows: Floats = field(repr=False)
    policy: Floats = field(repr=False)
    omega: float = float("nan")
    c_star: float = float("nan")


class Runs(Sequence[Run]):
    """Runs of one or several learners; ``a + b`` puts two beside each other."""

    def __init__(self, runs: Iterable[Run], command: str) -> None:
        self.runs = list(runs)
        self.command = command

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, i: Any) -> Any:
        return Runs(self.runs[i], self.command) if isinstance(i, slice) else self.runs[i]

    def __add__(self, other: Runs) -> Runs:
        if self.command != other.command:
            raise ValueError(f"runs of learn {self.command} and of learn {other.command} have no rows in common")
        return Runs(self.runs + other.runs, self.command)

    def to_pandas(self) -> pandas.DataFrame:
        """Tidy: algorithm, seed, n, then what the learner says and what the truth says about it."""
        import pandas

        parts = []
        for run in self.runs:
            part = pandas.DataFrame(run.rows, columns=columns())
            part.insert(0, "algorithm", run.algorithm)
            part.insert(1, "seed", run.seed)
            parts.append(part)
        frame = pandas.concat(parts, ignore_index=True)
        whole = ["n", "candidate", "env_steps", "replans"]
        return frame.astype({name: "int64" for name in whole})

    def plot(self) -> Figure:
        """As `speder learn --plot`: gap, regret and model error; medians and bands for several runs."""
        from .figures import Figure

        names = list(dict.fromkeys(run.algorithm for run in self.runs))
        return Figure(_core.draw_learn(self.command, "", names, [(run.algorithm, run.rows) for run in self.runs]))

    def _repr_svg_(self) -> str | None:
        try:
            return self.plot().svg
        except ValueError:  # nothing that a logarithmic axis can show
            return None

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(run.algorithm for run in self.runs))
        return f"Runs({len(self.runs)} of learn {self.command}: {names})"


def columns() -> list[str]:
    return _core.learn_columns()


def algorithms(offline: bool = False) -> dict[str, str]:
    """Names of the learners and what they are."""
    return dict(_core.offline_algorithms() if offline else _core.online_algorithms())


def learn(mdp: MDP, algorithm: str | Sequence[str] = "speder", *, episodes: int | None = None,
          transitions: int | None = None, seeds: int | Iterable[int] = 1, candidates: Candidates | str = "multiscale",
          class_size: int = 1000, class_seed: int = 1, bonus: str = "theory", c_alpha: float | None = None,
          c_lambda: float | None = None, delta: float = 0.1, replan: str = "every", criterion: str = "least-squares",
          behaviour: str = "uniform", epsilon: float = 0.2, temperature: float = 1.0, omega: float = 0.0,
          mix: float = 0.5, c_star: float = 0.0, grid: Iterable[int] = (), jobs: int = 0) -> Runs:
    """Algorithm 1 (``episodes``) or 2 (``transitions``), or comparators, evaluated exactly.

    ``seeds``: one seed or several; runs are spread over the cores. The rows are those of `speder learn online` and
    `offline` with the same settings, bit for bit but for seconds. Ctrl-C stops within an episode.
    """
    if (episodes is None) == (transitions is None):
        raise ValueError("give episodes (Algorithm 1, online) or transitions (Algorithm 2, offline), one of them")
    online = transitions is None
    amount = int(episodes if episodes is not None else transitions or 0)
    names = [algorithm] if isinstance(algorithm, str) else list(algorithm)
    many = [int(seeds)] if isinstance(seeds, (int, np.integer)) else [int(s) for s in seeds]
    if not names or not many:
        raise ValueError("there is no run to make: algorithm or seeds is empty")
    if len(set(names)) < len(names) or len(set(many)) < len(many):
        raise ValueError("a learner or a seed is given twice")
    if isinstance(candidates, str):
        candidates = Candidates(mdp, candidates, size=class_size, seed=class_seed)
    elif candidates.mdp is not mdp:
        raise ValueError("the candidates were made for another MDP")
    numbers = {"amount": float(amount), "delta": float(delta), "epsilon": float(epsilon),
               "temperature": float(temperature), "omega": float(omega), "mix": float(mix), "c_star": float(c_star)}
    if c_alpha is not None:
        numbers["c_alpha"] = float(c_alpha)
    if c_lambda is not None:
        numbers["c_lambda"] = float(c_lambda)
    words = {"mode": "online" if online else "offline", "bonus": bonus, "replan": replan, "criterion": criterion,
             "behaviour": behaviour}
    keys = [(name, seed) for name in names for seed in many]
    found = _core.learn(candidates._core, keys, numbers, words, [int(n) for n in grid], jobs)
    runs = (Run(name, seed, rows, policy, omega, c_star)
            for (name, seed), (rows, policy, omega, c_star) in zip(keys, found))
    return Runs(runs, words["mode"])


def judge(mdp: MDP, learner: Callable[[MDP, int], Any], *, episodes: int, seeds: int | Iterable[int] = 1,
          name: str | None = None, grid: Iterable[int] = (), max_steps: int = 100_000) -> Runs:
    """A learner of your own, evaluated exactly after every episode: the same rows as ``learn`` gives.

    ``learner(mdp_sizes, seed)`` makes a fresh one for each seed; it is given an object with states, actions, gamma
    and r alone, for P is what it has to learn. It has ``act(s) -> action`` and ``update(s, a, r, s2)``, called at
    every step, or ``policy() -> (S) or (S, A)``, asked before each episode, and optionally ``update`` too. With
    ``act`` alone its policy is act(s) in every state. An episode starts from rho and goes on with probability gamma
    after each step, so that its states have the law d^pi.
    """
    many = [int(seeds)] if isinstance(seeds, (int, np.integer)) else [int(s) for s in seeds]
    if episodes < 1:
        raise ValueError(f"episodes must be at least 1 (got {episodes})")
    given = Sizes(mdp.states, mdp.actions, mdp.gamma, mdp.r)
    label = name or getattr(learner, "__name__", type(learner).__name__)
    return Runs((_judged(mdp, learner(given, seed), label, seed, episodes, [int(n) for n in grid], max_steps)
                 for seed in many), "online")


@dataclass(frozen=True)
class Sizes:
    """What a learner may know of an MDP before it has seen a sample."""

    states: int
    actions: int
    gamma: float
    r: Floats


def _policy(learner: Any, states: int) -> Any:
    if hasattr(learner, "policy"):
        return learner.policy() if callable(learner.policy) else learner.policy
    return np.array([learner.act(s) for s in range(states)], dtype=np.int64)


def _judged(mdp: MDP, learner: Any, label: str, seed: int, episodes: int, grid: list[int], max_steps: int) -> Run:
    if not hasattr(learner, "act") and not hasattr(learner, "policy"):
        raise ValueError(f"{label}: has neither act(s) nor policy()")
    judge = _core.Judge(mdp._core, episodes, grid)
    draws = _core.Draws(mdp._core, seed, "python-learner")
    update = getattr(learner, "update", None)
    act = getattr(learner, "act", None)
    steps, last = 0, None
    plan = _arrays.policy(_policy(learner, mdp.states), mdp.states, mdp.actions)
    for n in range(1, episodes + 1):
        s, length = draws.reset(), 0
        while True:
            a = int(act(s)) if act is not None else _drawn(plan, s, draws)
            r, s2 = draws.step(s, a)
            if update is not None:
                update(s, a, r, s2)
            s, length = s2, length + 1
            if draws.uniform() >= mdp.gamma or length >= max_steps:
                break
        steps += length
        plan = _arrays.policy(_policy(learner, mdp.states), mdp.states, mdp.actions)
        changed = last is None or last.shape != plan.shape or not np.array_equal(last, plan)
        judge.episode(plan, n, changed, steps)
        last = plan.copy()
    table = np.eye(mdp.actions)[plan] if plan.ndim == 1 else plan
    return Run(label, seed, judge.rows(), table)


def _drawn(plan: Any, s: int, draws: _core.Draws) -> int:
    if plan.ndim == 1:
        return int(plan[s])
    return min(int(np.searchsorted(np.cumsum(plan[s]), draws.uniform(), side="right")), plan.shape[1] - 1)
