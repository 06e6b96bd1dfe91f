"""Exact MDPs: made, loaded, solved, decomposed."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _arrays, _core
from ._arrays import Floats, Ints

if TYPE_CHECKING:
    import pandas

    from .envs import ExactEnv
    from .figures import Figure

PathLike = Union[str, "os.PathLike[str]"]


class MDP:
    """(S, A, P, r, rho, gamma) with its factorisation P(s'|s,a) = <phi(s,a), mu(s')> nu(s').

    ``MDP(P, r, rho, gamma)`` finds an exact factorisation; ``MDP.from_factors`` takes phi and mu as they are; ``make``
    and ``load`` give families and files. Immutable; arrays that it shows are read-only views of its memory.

    P: (S, A, S), every P[s, a] a distribution. r: (S, A) in [0, 1]; ``rescale_rewards=True`` maps others there
    (``reward_units`` says how). rho: (S), uniform when left out. nu: (S), the base measure of mu. rank: a smaller one
    than that of P truncates P; ``shrink=True`` makes that a kernel by mixing it with the mean row.
    """

    __slots__ = ("_core",)

    def __init__(self, P: Any, r: Any, rho: Any = None, gamma: float = 0.99, *, nu: Any = None, rank: int = 0,
                 shrink: bool = False, rescale_rewards: bool = False) -> None:
        table = _arrays.floats("P", P, (None, None, None), "(S, A, S)")
        states, actions = table.shape[:2]
        tables = {"P": table, "r": _arrays.floats("r", r, (states, actions), "(S, A)")}
        if rho is not None:
            tables["rho"] = _arrays.floats("rho", rho, (states,), "(S,)")
        if nu is not None:
            tables["nu"] = _arrays.floats("nu", nu, (states,), "(S,)")
        self._core = _core.from_tables(tables, _arrays.number("gamma", gamma), _arrays.whole("rank", rank),
                                       bool(shrink), bool(rescale_rewards))

    @classmethod
    def _of(cls, core: _core.Mdp) -> MDP:
        self = object.__new__(cls)
        self._core = core
        return self

    @classmethod
    def from_factors(cls, phi: Any, mu: Any, r: Any, rho: Any = None, gamma: float = 0.99, *, nu: Any = None,
                     theta: Any = None, copy: bool = True) -> MDP:
        """phi (S, A, d) and mu (S, d) as they are: nothing is decomposed, so large MDPs take no time.

        nu: the base measure (ones when left out); theta (d): r = <phi, theta>, where that is so. copy=False: phi and mu
        are read where they lie, for as long as the MDP lives, where they are float64 in C order; they were checked once,
        so do not write to them any more.
        """
        features = _arrays.floats("phi", phi, (None, None, None), "(S, A, d)", finite=False)
        states, actions, rank = features.shape
        densities = _arrays.floats("mu", mu, (states, rank), "(S, d)", finite=False)
        rewards = _arrays.floats("r", r, (states, actions), "(S, A)", finite=False)
        start = np.full(states, 1.0 / states) if rho is None else _arrays.floats("rho", rho, (states,), "(S,)")
        weights = np.ones(states) if nu is None else _arrays.floats("nu", nu, (states,), "(S,)")
        linear = np.zeros(0) if theta is None else _arrays.floats("theta", theta, (rank,), "(d,)")
        discount = _arrays.number("gamma", gamma)
        try:
            return cls._of(_core.from_factors(features, densities, weights, rewards, linear, start, discount, bool(copy)))
        except ValueError as refused:
            entries = (_arrays.not_finite(*of) for of in (("phi", features), ("mu", densities), ("r", rewards)))
            raise ValueError(next(filter(None, entries), str(refused))) from None

    @property
    def states(self) -> int:
        """S, the number of states 0 .. S - 1."""
        return self._core.states

    @property
    def actions(self) -> int:
        """A, the number of actions in every state."""
        return self._core.actions

    @property
    def rank(self) -> int:
        """d, the number of columns of phi and mu."""
        return self._core.rank

    @property
    def gamma(self) -> float:
        """The discount."""
        return self._core.gamma

    @property
    def family(self) -> str:
        """Who made it: a name of ``speder.families()``, "file" for your own arrays."""
        return self._core.family

    @property
    def knobs(self) -> dict[str, float | str]:
        """The family's knobs that it was made with."""
        return dict(self._core.knobs)

    @property
    def phi(self) -> Floats:
        """(S, A, d), a view; a copy where the core holds it sparse."""
        return self._core.phi

    @property
    def mu(self) -> Floats:
        """(S, d), densities with respect to nu."""
        return self._core.mu

    @property
    def nu(self) -> Floats:
        """(S), the base measure."""
        return self._core.nu

    @property
    def r(self) -> Floats:
        """(S, A), in [0, 1]."""
        return self._core.reward

    @property
    def rho(self) -> Floats:
        """(S), the start distribution."""
        return self._core.rho

    @property
    def theta(self) -> Floats | None:
        """(d) with r = <phi, theta>; None when the reward is not linear in phi."""
        theta = self._core.theta
        return theta if theta.size else None

    @property
    def reward_units(self) -> tuple[float, float]:
        """(scale, offset): the rewards as given were offset + scale * r."""
        return self._core.reward_units

    @property
    def P(self) -> Floats:
        """(S, A, S) probabilities, computed from the factors: a new array each time."""
        return self._core.kernel()

    def conditions(self) -> pandas.DataFrame:
        """The conditions of the theory on this MDP: name, value, bound, holds (True, False, None), how."""
        pandas = _arrays.pandas()
        rows = [(name, value, bound, {"yes": True, "no": False}.get(holds), how)
                for name, value, bound, holds, how in self._core.conditions()]
        return pandas.DataFrame(rows, columns=["name", "value", "bound", "holds", "how"]).set_index("name")

    def save(self, path: PathLike) -> None:
        """HDF5 as `speder mdp make` writes it; bit for bit the same numbers when loaded again."""
        self._core.save(_arrays.path(path))

    def as_env(self, max_steps: int | None = 1000) -> ExactEnv:
        """A gymnasium environment with exact draws; it truncates after `max_steps` and never terminates."""
        from .envs import ExactEnv

        return ExactEnv(self, max_steps)

    def simulator(self, seed: int = 0) -> Simulator:
        """Draws: reset() -> s, step(s, a) -> (r, s'), many(s, a) -> s'."""
        return Simulator(self, seed)

    def __repr__(self) -> str:
        family = "" if self.family == "file" else f"{self.family}: "
        actions = "1 action" if self.actions == 1 else f"{self.actions} actions"
        return f"MDP({family}{self.states} states, {actions}, rank {self.rank}, gamma {self.gamma})"

    def __reduce__(self) -> Any:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:  # the file holds everything, to the bit
            path = os.path.join(folder, "m.h5")
            self.save(path)
            with open(path, "rb") as file:
                return _from_bytes, (file.read(),)


class Simulator:
    """Exact draws from an MDP, from any pair: a stream of random numbers of its own."""

    __slots__ = ("_draws",)

    def __init__(self, mdp: MDP, seed: int = 0) -> None:
        self._draws = _core.Draws(core_of(mdp), _arrays.seed(seed), "python")

    def reset(self) -> int:
        """A state from rho."""
        return self._draws.reset()

    def step(self, state: int, action: int) -> tuple[float, int]:
        """(reward, next state)."""
        return self._draws.step(_arrays.whole("state", state), _arrays.whole("action", action))

    def many(self, states: Any, actions: Any) -> Ints:
        """The next state of every pair, in the shape of ``states``."""
        s, a = _arrays.ints("states", states), _arrays.ints("actions", actions)
        if s.shape != a.shape:
            raise ValueError(f"actions: have shape {a.shape}, the states {s.shape}")
        return self._draws.many(s, a).reshape(s.shape)


def _from_bytes(content: bytes) -> MDP:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.h5")
        with open(path, "wb") as file:
            file.write(content)
        return load(path)


def make(family: str, *, states: int = 0, actions: int = 0, rank: int = 0, gamma: float = 0.99, seed: int = 1,
         **knobs: float) -> MDP:
    """An MDP of a family with known phi*, mu*: ``make("lock", states=200, actions=4, rank=8, seed=1)``.

    A size left out is the family's own; further names are the family's knobs (``speder.families()``).
    """
    sizes = [_arrays.whole(name, n) for name, n in (("states", states), ("actions", actions), ("rank", rank))]
    return MDP._of(_core.make(_arrays.word("family", family), *sizes, _arrays.number("gamma", gamma),
                              _arrays.seed(seed), {name: _arrays.number(name, value) for name, value in knobs.items()}))


def load(path: PathLike) -> MDP:
    """An MDP file (`speder mdp make`, ``save``)."""
    return MDP._of(_core.load(_arrays.path(path)))


def save(path: PathLike, mdp: MDP) -> None:
    """As ``mdp.save(path)``."""
    core_of(mdp)
    mdp.save(path)


def core_of(mdp: Any) -> _core.Mdp:
    if not isinstance(mdp, MDP):
        raise TypeError(f"mdp: expected an MDP, got {type(mdp).__name__}; speder.load(path) reads one from a file")
    return mdp._core


def families() -> pandas.DataFrame:
    """Every family with its sizes and knobs: {name: (default, low, high, meaning)}."""
    pandas = _arrays.pandas()
    return pandas.DataFrame(_core.families(), columns=["family", "description", "sizes", "knobs"]).set_index("family")


@dataclass(frozen=True, eq=False)
class Solution:
    """An optimal policy with its certificate.

    V (S), Q (S, A), policy (S): one action a state. value: V under the start distribution. error: |V - V*| <= error in
    every state, rounding included (also ``certificate``). residual: of Bellman's equation. gap: how much worse the
    second best action is, where it is least. method, iterations, termination: how it was found.
    """

    V: Floats = field(repr=False)
    Q: Floats = field(repr=False)
    policy: Ints = field(repr=False)
    value: float
    error: float
    residual: float
    gap: float
    iterations: int
    method: str
    termination: str

    @property
    def certificate(self) -> float:
        return self.error


def solve(mdp: MDP, method: str = "auto", residual: float = _core.bellman_residual) -> Solution:
    """The optimal value and policy, certified: `speder solve`.

    method: "auto" chooses; "pi" policy iteration in the factors, "sparse" on the sparse rows of P, "dense" on all of
    P, "vi" value iteration. residual: of Bellman's equation, where the method stops.
    """
    return Solution(**_core.solve(core_of(mdp), _arrays.word("method", method), _arrays.number("residual", residual)))


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A policy in the true MDP: V (S), Q (S, A), value (V under the start distribution), gap = V* - value, exact."""

    V: Floats = field(repr=False)
    Q: Floats = field(repr=False)
    value: float
    gap: float
    residual: float


def evaluate(mdp: MDP, policy: Any, solution: Solution | None = None) -> Evaluation:
    """The exact value of a policy: (S) actions, (S, A) probabilities, a Solution, a Run or "uniform".

    solution: what ``solve(mdp)`` gave, so that it is not solved again for the gap.
    """
    core = core_of(mdp)
    if solution is not None and not isinstance(solution, Solution):
        raise TypeError(f"solution: expected what solve(mdp) gives, got {type(solution).__name__}")
    found = _core.evaluate(core, _arrays.policy(policy, mdp.states, mdp.actions))
    best = (solution or solve(mdp)).value
    return Evaluation(gap=best - found["value"], **found)


@dataclass(frozen=True, eq=False)
class Visitation:
    """d^pi, discounted: states (S) and pairs (S, A), both sum to 1. residual: of the flow equation."""

    states: Floats = field(repr=False)
    pairs: Floats = field(repr=False)
    residual: float


def visitation(mdp: MDP, policy: Any) -> Visitation:
    """Where a policy is, discounted, from the start distribution: (S) actions, (S, A) probabilities, a Solution, …"""
    return Visitation(**_core.occupancy(core_of(mdp), _arrays.policy(policy, mdp.states, mdp.actions)))


@dataclass(frozen=True, eq=False)
class Spectrum:
    """P = sum_i sigma_i f_i(s,a) g_i(s'): f orthonormal in L2(w), g in L2(nu).

    singular_values (k), left (S, A, k): f, right (S, k): g; rank_error[k]: of the best kernel of rank k. complete: no
    singular value is left out. ``table()``: the paper's Table 1; ``plot()``: the singular values.
    """

    singular_values: Floats
    rank_error: Floats = field(repr=False)
    left: Floats = field(repr=False)
    right: Floats = field(repr=False)
    rank: int
    complete: bool
    residual: float
    method: str
    dimension: int
    target: str
    table1: list[tuple[str, int, float, float, float]] = field(repr=False)

    def table(self) -> pandas.DataFrame:
        """The paper's Table 1: the share of the target that each representation misses."""
        pandas = _arrays.pandas()
        names = ["representation", "features", "q_equal", "q_generous", "v"]
        return pandas.DataFrame(self.table1, columns=names).set_index("representation")

    def plot(self) -> Figure:
        from .figures import figure

        k = np.arange(1, self.singular_values.size + 1)
        keep = self.singular_values > 0
        return figure(k[keep], {"sigma_k": self.singular_values[keep]}, x="k", y="singular value of P", y_log=True)


def spectral(mdp: MDP, *, weights: str = "uniform", method: str = "auto", top: int = 10,
             dimension: int | None = None, table: bool | None = None) -> Spectrum:
    """Singular values and functions of P: `speder spectral`.

    weights: of the pairs (s, a), "uniform" or "occupancy" (of the uniform policy). method: "auto", "factors" (exact, from
    phi and mu), "dense" or "lanczos" (the ``top`` largest). table: with the paper's Table 1 (default: up to 5,000
    states), whose representations have ``dimension`` features (default: the rank of P).
    """
    core = core_of(mdp)
    wanted = mdp.states <= 5000 if table is None else bool(table)
    features = None if dimension is None else _arrays.whole("dimension", dimension, 1)
    return Spectrum(**_core.spectral(core, _arrays.word("weights", weights), _arrays.word("method", method),
                                     _arrays.whole("top", top, 1), features, wanted))
