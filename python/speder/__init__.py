"""Exact low-rank MDPs, certified planners, the finite-class learners of SPEDER, rates, the audit, and the tasks.

>>> import speder
>>> m = speder.make("lock", states=200, actions=4, rank=8, seed=1)
>>> speder.solve(m).value
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core, _register
from .mdp import (MDP, Evaluation, Solution, Spectrum, Visitation, evaluate, families, load, make, save, solve,
                  spectral, visitation)

if TYPE_CHECKING:
    from . import envs, figures, learning, studies
    from .envs import TASKS, ExactEnv, SavedPolicy, TaskEnv, TaskVectorEnv, make_vec, rollout
    from .figures import Figure, figure
    from .learning import Candidates, Run, Runs, Sizes, algorithms, judge, learn
    from .studies import Rate, Studies, Study, audit, fit_rate, read_store, scale

__version__: str = _core.version
__commit__: str = _core.commit

# Loaded when they are first used: import stays fast.
_LATER = {
    "learning": ("Candidates", "Run", "Runs", "Sizes", "algorithms", "judge", "learn"),
    "studies": ("Rate", "Studies", "Study", "audit", "fit_rate", "read_store", "scale"),
    "figures": ("Figure", "figure"),
    "envs": ("TASKS", "ExactEnv", "SavedPolicy", "TaskEnv", "TaskVectorEnv", "make_vec", "rollout"),
}
_HOME = {name: module for module, names in _LATER.items() for name in names}

# In full, for type checkers read it as text.
__all__ = ["MDP", "TASKS", "Candidates", "Evaluation", "ExactEnv", "Figure", "Rate", "Run", "Runs", "SavedPolicy", "Sizes",
           "Solution", "Spectrum", "Studies", "Study", "TaskEnv", "TaskVectorEnv", "Visitation", "algorithms", "audit",
           "evaluate", "families", "figure", "fit_rate", "judge", "learn", "load", "make", "make_vec", "read_store",
           "rollout", "save", "scale", "solve", "spectral", "visitation"]

if not TYPE_CHECKING:  # to a type checker any name would be there
    from importlib.util import find_spec

    if find_spec("gymnasium") is None:  # help() and `from speder import *` ask for every name of the list
        __all__ = [name for name in __all__ if _HOME.get(name) != "envs"]

    def __getattr__(name: str) -> Any:
        import importlib

        if name in _HOME:
            return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        if name in _LATER:
            return importlib.import_module(f"{__name__}.{name}")
        raise AttributeError(f"module 'speder' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)


_register.register_when_there()
