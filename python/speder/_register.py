"""The names of the tasks in gymnasium's registry, whichever of the two packages is imported first."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from typing import Any

REGISTRY = "gymnasium.envs.registration"

TASKS = (
    "HalfCheetah", "Reacher", "Humanoid-ET", "Pendulum", "I-Pendulum", "Ant-ET", "Hopper-ET", "S-Humanoid-ET",
    "CartPole", "Walker-ET", "cheetah_run", "cheetah_run_sparse", "walker_run", "walker_run_sparse", "humanoid_run",
    "hopper_hop", "PointMaze-medium", "PointMaze-large", "AntMaze-medium", "AntMaze-large", "AntDirection",
)


def register() -> None:
    """speder/<task>-v0 for every task."""
    from gymnasium.envs.registration import register as add
    from gymnasium.envs.registration import registry

    for task in TASKS:
        if f"speder/{task}-v0" not in registry:
            add(f"speder/{task}-v0", entry_point="speder.envs:TaskEnv", kwargs={"task": task},
                vector_entry_point="speder.envs:_vector")


class _Later(importlib.abc.MetaPathFinder):
    """Registers the tasks when gymnasium's registry is loaded: importing gymnasium ourselves would take half a second."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != REGISTRY:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def load_and_register(module: Any) -> None:
            load(module)
            register()

        spec.loader.exec_module = load_and_register  # type: ignore[method-assign]
        return spec


def register_when_there() -> None:
    if REGISTRY in sys.modules:
        register()
    else:
        sys.meta_path.insert(0, _Later())
