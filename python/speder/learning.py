"""Finite classes of candidates, the learners on them, and a judge for learners of your own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union, overload

import numpy as np

from . import _arrays, _core
from ._arrays import Floats
from .mdp import core_of

if TYPE_CHECKING:
    import pandas

    from .figures import Figure
    from .mdp import MDP


class Candidates:
    """A finite class F of kernels for one MDP.

    ``Candidates(mdp, "multiscale", size=1000)`` plants P* among its neighbours; ``Candidates.of(mdp, phi, mu)`` takes
    your own, phi (F, S, A, d) and mu (F, S, d), densities with respect to the MDP's nu; ``truth`` says which one is P*,
    if one is. ``Candidates.load`` reads a file of `speder learn --save-class`.

    kind: "multiscale" (at L2 distances base * 2^-j from P*, j up to ``scales``), "product" (Phi x Psi), "net" (a packing
    of distance ``radius``), "misspecified" (multiscale without P*), "own" (the family's: comblock, leaves, chain).
    base and radius 0: chosen. support: the share of the pairs that a candidate moves. precision: "double", "float" or
    "auto". weights: of the L2 distance, "uniform" or "occupancy" (of the uniform policy).
    """

    __slots__ = ("_core", "mdp")

    def __init__(self, mdp: MDP, kind: str = "multiscale", *, size: int = 1000, scales: int = 10, base: float = 0,
                 radius: float = 0, support: float = 1, precision: str = "auto", weights: str = "uniform",
                 seed: int = 1) -> None:
        numbers = {"size": float(_arrays.whole("size", size, 1)), "scales": float(_arrays.whole("scales", scales, 0, 2**31 - 1)),
                   **_numbers(base=base, radius=radius, support=support)}
        self.mdp = mdp
        self._core = _core.make_candidates(core_of(mdp), _arrays.word("kind", kind), numbers,
                                           _words(precision=precision, weights=weights), _arrays.seed(seed))

    @classmethod
    def _of(cls, mdp: MDP, core: _core.Problem) -> Candidates:
        self = object.__new__(cls)
        self.mdp, self._core = mdp, core
        return self

    @classmethod
    def of(cls, mdp: MDP, phi: Any, mu: Any, truth: int | None = None) -> Candidates:
        """Your own kernels: phi (F, S, A, d), mu (F, S, d); ``truth``: the index of P*, which is checked."""
        core = core_of(mdp)
        features = _arrays.floats("phi", phi, (None, None, None, None), "(F, S, A, d)")
        count, states, _, rank = features.shape
        densities = _arrays.floats("mu", mu, (count, states, rank), "(F, S, d)")
        return cls._of(mdp, _core.candidates_of(core, features, densities,
                                                truth if truth is None else _arrays.whole("truth", truth)))

    @classmethod
    def load(cls, mdp: MDP, path: Union[str, os.PathLike[str]]) -> Candidates:
        return cls._of(mdp, _core.load_candidates(core_of(mdp), _arrays.path(path)))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        self._core.save(_arrays.path(path))

    @property
    def truth(self) -> int | None:
        """Which member is P*; a learner is never told."""
        return self._core.truth

    @property
    def distance(self) -> Floats:
        """(F), L2 distance of each member from P*."""
        return self._core.distance

    def phi(self, member: int) -> Floats:
        """(S, A, d) of one member."""
        return self._core.phi(self._member(member))

    def mu(self, member: int) -> Floats:
        """(S, d) of one member."""
        return self._core.mu(self._member(member))

    def _member(self, member: int) -> int:
        if isinstance(member, (int, np.integer)) and not 0 <= member < len(self):
            raise IndexError(f"member {member}: they are 0 .. {len(self) - 1}")
        return _arrays.whole("member", member, 0, len(self) - 1)

    def __len__(self) -> int:
        return self._core.size

    def __repr__(self) -> str:
        return f"Candidates({len(self)} of rank {self._core.rank}, P* is {'no member' if self.truth is None else 'a member'})"


@dataclass(frozen=True, eq=False)
class Run:
    """One learner on one seed.

    rows: one at each n of the grid; their columns are ``speder.learning.columns()``, ``Runs.to_pandas`` names them.
    policy (S, A): the last one. omega, c_star: of the data of Algorithm 2 (NaN: not known, or Algorithm 1).
    """

    algorithm: str
    seed: int
    rows: Floats = field(repr=False)
    policy: Floats = field(repr=False)
    omega: float = float("nan")
    c_star: float = float("nan")


class Runs(Sequence[Run]):
    """Runs of one or several learners: a sequence of ``Run``. ``a + b`` puts two beside each other.

    A notebook shows their figure; ``to_pandas()`` gives their rows, ``plot()`` the figure as an object.
    """

    def __init__(self, runs: Iterable[Run], command: str) -> None:
        self.runs = list(runs)
        self.command = command

    def __len__(self) -> int:
        return len(self.runs)

    @overload
    def __getitem__(self, i: int) -> Run: ...
    @overload
    def __getitem__(self, i: slice) -> Runs: ...
    def __getitem__(self, i: int | slice) -> Run | Runs:
        return Runs(self.runs[i], self.command) if isinstance(i, slice) else self.runs[i]

    def __add__(self, other: Runs) -> Runs:
        if not isinstance(other, Runs):
            return NotImplemented
        if self.command != other.command:
            raise ValueError(f"runs of learn {self.command} and of learn {other.command} have no rows in common")
        return Runs(self.runs + other.runs, self.command)

    def to_pandas(self) -> pandas.DataFrame:
        """Tidy: a row for each algorithm, seed and n (episodes or transitions so far), with what the truth says.

        gap_mixture: V* minus the value of the mixture of all policies so far; gap_last: of the last policy; regret: the
        sum of all gaps; env_steps: steps taken in the MDP; candidate: the member of the class that was chosen.
        """
        pandas = _arrays.pandas()
        parts = []
        for run in self.runs:
            part = pandas.DataFrame(run.rows, columns=columns())
            part.insert(0, "algorithm", run.algorithm)
            part.insert(1, "seed", run.seed)
            parts.append(part)
        names = ["algorithm", "seed", *columns()]
        frame = pandas.concat(parts, ignore_index=True) if parts else pandas.DataFrame(columns=names)
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
    """The columns of ``Run.rows``."""
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

    The rows are those of `speder learn online` and `offline` with the same settings, bit for bit but for seconds.
    Ctrl-C stops within an episode.

    algorithm: one name or several of ``speder.algorithms()`` (``offline=True``). seeds: one or several; runs are spread
    over ``jobs`` threads (0: all cores). candidates: the class F, a ``Candidates`` or the kind of one, with
    ``class_size`` and ``class_seed``. grid: the n that get a row (default: geometric).
    bonus: "theory" (constants 1), "tuned" or "none"; c_alpha, c_lambda: the constants themselves. delta: confidence.
    criterion: "least-squares", or "constrained": the objective that line 6 of Algorithm 1 cites.
    replan: "every" episode, or "doubling": when the data have doubled. Algorithm 1 alone.
    behaviour: of the data of Algorithm 2: "uniform"; "epsilon" around pi*; "softmax" of Q* with ``temperature``;
    "coverage": least action probability 1 / ``omega`` (0: 4 A), the rest between the worst policy (``mix`` 0) and pi*
    (``mix`` 1), or the mix that has this ``c_star``.
    """
    if (episodes is None) == (transitions is None):
        raise ValueError("give episodes (Algorithm 1, online) or transitions (Algorithm 2, offline), one of them")
    core_of(mdp)
    online = transitions is None
    amount = _arrays.whole("episodes", episodes, 1) if online else _arrays.whole("transitions", transitions, 1)
    names = _arrays.words("algorithm", algorithm)
    many = _arrays.seeds(seeds)
    if not names:
        raise ValueError("algorithm is empty: there is no run to make")
    if len(set(names)) < len(names):
        raise ValueError("a learner is given twice")
    at = _grid(grid, amount)
    if isinstance(candidates, str):
        candidates = Candidates(mdp, candidates, size=_arrays.whole("class_size", class_size, 1), seed=class_seed)
    elif not isinstance(candidates, Candidates):
        raise ValueError(f"candidates: expected a Candidates or the kind of one, got {_arrays.shown(candidates)}")
    elif candidates.mdp is not mdp:
        raise ValueError("the candidates were made for another MDP")
    numbers = _numbers(amount=amount, delta=delta, epsilon=epsilon, temperature=temperature, omega=omega, mix=mix,
                       c_star=c_star)
    if c_alpha is not None:
        numbers.update(_numbers(c_alpha=c_alpha))
    if c_lambda is not None:
        numbers.update(_numbers(c_lambda=c_lambda))
    words = _words(mode="online" if online else "offline", bonus=bonus, replan=replan, criterion=criterion,
                   behaviour=behaviour)
    keys = [(name, seed) for name in names for seed in many]
    found = _core.learn(candidates._core, keys, numbers, words, at, _arrays.whole("jobs", jobs, 0, 4096))
    runs = (Run(name, seed, rows, policy, *(() if online else (omega, c_star)))
            for (name, seed), (rows, policy, omega, c_star) in zip(keys, found))
    return Runs(runs, words["mode"])


def _numbers(**given: Any) -> dict[str, float]:
    return {name: _arrays.number(name, value) for name, value in given.items()}


def _words(**given: Any) -> dict[str, str]:
    return {name: _arrays.word(name, value) for name, value in given.items()}


def _grid(given: Iterable[int], last: int) -> list[int]:
    return sorted({_arrays.whole("grid", n, 1, last) for n in _arrays.several("grid", given)})


def judge(mdp: MDP, learner: Callable[[Sizes, int], Any], *, episodes: int, seeds: int | Iterable[int] = 1,
          name: str | None = None, grid: Iterable[int] = (), max_steps: int = 100_000) -> Runs:
    """A learner of your own, evaluated exactly after every episode: the same rows as ``learn`` gives.

    ``learner(sizes, seed)`` makes a fresh one for each seed; sizes has states, actions, gamma and r alone, for P is
    what it has to learn. The learner has ``act(s) -> action`` and ``update(s, a, r, s2)``, called at
    every step, or ``policy() -> (S) or (S, A)``, asked before each episode, and optionally ``update`` too. With
    ``act`` alone its policy is act(s) in every state. An episode starts from rho and goes on with probability gamma
    after each step, so that its states have the law d^pi.
    """
    core_of(mdp)
    if not callable(learner):
        raise TypeError(f"learner: expected a class or function of (sizes, seed), got {_arrays.shown(learner)}")
    many, episodes = _arrays.seeds(seeds), _arrays.whole("episodes", episodes, 1)
    at, longest = _grid(grid, episodes), _arrays.whole("max_steps", max_steps, 1)
    given = Sizes(mdp.states, mdp.actions, mdp.gamma, mdp.r)
    label = getattr(learner, "__name__", type(learner).__name__) if name is None else _arrays.word("name", name)
    return Runs((_judged(mdp, learner(given, seed), label, seed, episodes, at, longest)
                 for seed in many), "online")


@dataclass(frozen=True, eq=False)
class Sizes:
    """What a learner may know of an MDP before it has seen a sample."""

    states: int
    actions: int
    gamma: float
    r: Floats


def _policy(learner: Any, states: int) -> Any:
    if hasattr(learner, "policy"):
        return learner.policy() if callable(learner.policy) else learner.policy
    return np.array([_arrays.whole("act(s)", learner.act(s)) for s in range(states)])


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
            a = _arrays.whole("act(s)", act(s)) if act is not None else _drawn(plan, s, draws)
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
