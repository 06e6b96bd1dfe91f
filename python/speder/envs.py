"""gymnasium environments: exact MDPs, every MuJoCo task, and vectors of them on C++ threads."""

from __future__ import annotations

import functools
import importlib.util
import operator
import os
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    import gymnasium
except ImportError:
    raise ImportError("environments need gymnasium: pip install gymnasium (or '.[deep]' with speder)") from None
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv

from . import _arrays, _core, _register
from ._register import TASKS as TASKS
from .mdp import core_of

if TYPE_CHECKING:
    from . import _tasks
    from .mdp import MDP


class ExactEnv(gymnasium.Env[np.int64, np.int64]):
    """An exact MDP: states and actions are numbers. Draws cost O(1) in |S|.

    It never terminates; after ``max_steps`` it truncates (None: never). It does not discount.
    """

    metadata = {"render_modes": []}

    def __init__(self, mdp: MDP, max_steps: int | None = 1000) -> None:
        core_of(mdp)
        self.mdp = mdp
        self.max_steps = None if max_steps is None else _arrays.whole("max_steps", max_steps, 1)
        self.observation_space = spaces.Discrete(mdp.states)
        self.action_space = spaces.Discrete(mdp.actions)
        self._actions = mdp.actions
        self._draws: _core.Draws | None = None
        self._state: int | None = None
        self._steps = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.int64, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None or self._draws is None:
            root = int(self.np_random.integers(2**63)) if seed is None else _arrays.seed(seed)
            self._draws = _core.Draws(self.mdp._core, root, "env")
        self._state, self._steps = self._draws.reset(), 0
        return np.int64(self._state), {}

    def step(self, action: Any) -> tuple[np.int64, float, bool, bool, dict[str, Any]]:
        if self._draws is None or self._state is None:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        try:
            a = operator.index(action)
        except TypeError:
            raise ValueError(f"action: expected one of 0 .. {self._actions - 1}, got {_arrays.shown(action)}") from None
        if not 0 <= a < self._actions:
            raise ValueError(f"no action {a}: they are 0 .. {self._actions - 1}")
        reward, self._state = self._draws.step(self._state, a)
        self._steps += 1
        return np.int64(self._state), reward, False, self._steps == self.max_steps, {}

    def __repr__(self) -> str:
        return f"ExactEnv({self.mdp!r}, max_steps={self.max_steps})"

    __str__ = __repr__


@functools.lru_cache(maxsize=1)
def _packages() -> str:
    """The folder that has gymnasium's model files, and dm_control's if they are there; empty: where the C++ side looks."""
    if os.environ.get("SPEDER_PACKAGES"):
        return os.environ["SPEDER_PACKAGES"]
    folders = []
    for name in ("dm_control", "gymnasium"):
        found = importlib.util.find_spec(name)
        if found is not None and found.submodule_search_locations:
            folders.append(os.path.dirname(next(iter(found.submodule_search_locations))))
    for wanted in (("gymnasium/envs/mujoco/assets", "dm_control/suite"), ("gymnasium/envs/mujoco/assets",)):
        for folder in folders:
            if all(os.path.isdir(os.path.join(folder, part)) for part in wanted):
                return folder
    return ""


def _model(task: str) -> _tasks.Model:
    return _compiled(_arrays.word("task", task))


@functools.lru_cache(maxsize=None)
def _compiled(task: str) -> _tasks.Model:
    return _tasks_module().Model(task, _packages())


def _tasks_module() -> Any:
    try:
        from . import _tasks
    except ImportError as error:
        raise ImportError(f"the tasks need MuJoCo and its models: install speder as '.[deep]' ({error})") from None
    return _tasks


def _numbers(name: str, given: Any, kind: Any) -> np.ndarray:
    array = np.asarray(given)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name}: has dtype {array.dtype}, expected numbers")
    return np.ascontiguousarray(array, dtype=kind)


def _spaces(model: _tasks.Model, observation: Any) -> tuple[spaces.Box, spaces.Box]:
    return (spaces.Box(-np.inf, np.inf, (model.observation_size,), observation),
            spaces.Box(-1.0, 1.0, (model.action_size,), np.float32))


class TaskEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """One task of `speder deep envs`. Episode e after reset(seed=k) starts as that of `rollout --seed k`.

    info["unstable"]: the simulation blew up, which truncates. ``options={"qpos": ..., "qvel": ...}`` of reset
    starts from a given state. Actions beyond [-1, 1] are clipped.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}  # of a task: below

    def __init__(self, task: str, render_mode: str | None = None) -> None:
        model = _model(task)
        fps = int(np.round(1 / model.control_step))
        self.metadata = {"render_modes": ["rgb_array"] if model.drawable else [], "render_fps": fps}
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            has = "rgb_array alone" if model.drawable else "no picture"
            raise ValueError(f"render_mode '{render_mode}': {task} has {has}")
        self.task, self.render_mode = task, render_mode
        self.observation_space, self.action_space = _spaces(model, np.float64)
        self._env = _tasks_module().Single(model, False)
        self._seeded = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            self._env.reseed(int(self.np_random.integers(2**63)) if seed is None else _arrays.seed(seed))
            self._seeded = True
        if options:
            if not isinstance(options, dict) or set(options) != {"qpos", "qvel"}:
                raise ValueError(f"options of reset are qpos and qvel, got {_arrays.shown(options)}")
            start = [_numbers(name, options[name], np.float64).reshape(-1) for name in ("qpos", "qvel")]
            return self._env.place(*start), {}
        return self._env.reset(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        if not self._seeded:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        given = _numbers("action", action, np.float64)
        observation, reward, terminated, truncated, unstable = self._env.step(given.reshape(-1))
        return observation, reward, terminated, truncated, {"unstable": True} if unstable else {}

    def render(self) -> np.ndarray | None:
        if self.render_mode is None:
            return None
        return np.ascontiguousarray(self._env.render()[::-1])  # OpenGL's first row is the lowest

    def __repr__(self) -> str:
        return f"TaskEnv({self.task})"

    __str__ = __repr__


def _reset_first(_: Any) -> Any:
    raise gymnasium.error.ResetNeeded("call reset() before step()")


class TaskVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """N environments stepped by C++ threads into float32 arrays.

    An environment that ended starts anew within the same step; info["final_obs"] has the true last observations,
    info["_final_obs"] says whose. ``copy=False`` gives the buffers themselves, which the next step overwrites.
    """

    def __init__(self, task: str, num_envs: int, threads: int = 0, copy: bool = True) -> None:
        num_envs, threads = _arrays.whole("num_envs", num_envs, 1, 2**31 - 1), _arrays.whole("threads", threads, 0, 4096)
        model = _model(task)
        self.num_envs, self.task, self.copy = num_envs, task, copy
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
        self.single_observation_space, self.single_action_space = _spaces(model, np.float32)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        cores = min(num_envs, threads or len(os.sched_getaffinity(0)))
        self._env = _tasks_module().Vectorised(model, num_envs, cores, bool(copy))
        self._shape = (num_envs, model.action_size)
        self._seeded = False
        self._step = _reset_first

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            self._env.reseed(int(self.np_random.integers(2**63)) if seed is None else _arrays.seed(seed))
            self._seeded = True
            self._step = self._env.step
        return self._env.reset(), {}

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        return self._step(actions) or self._step(self._converted(actions))

    def _converted(self, actions: Any) -> np.ndarray:
        given = _numbers("actions", actions, np.float32)
        if given.shape != self._shape:
            raise ValueError(f"actions: have shape {given.shape}, expected {self._shape}")
        return given

    def __repr__(self) -> str:
        return f"TaskVectorEnv({self.task}, num_envs={self.num_envs})"


class SavedPolicy:
    """policy.h5 of `speder deep train`: ``policy(observation) -> action`` in [-1, 1]; ``to_onnx(path)`` exports it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = _arrays.path(path)
        self._policy = _tasks_module().SavedPolicy(self._path)

    def __call__(self, observation: Any) -> np.ndarray:
        given = _numbers("observation", observation, np.float64)
        size = self._policy.observation_size
        if given.ndim not in (1, 2) or given.shape[-1] != size:
            raise ValueError(f"observation: has shape {given.shape}, expected ({size},) or (N, {size})")
        actions = self._policy.actions(given.reshape(-1, size))
        return actions[0] if given.ndim == 1 else actions

    def predict(self, observation: Any, *_: Any, **__: Any) -> tuple[np.ndarray, None]:
        """As Stable-Baselines3 asks its policies."""
        return self(observation), None

    def to_onnx(self, path: str | os.PathLike[str]) -> None:
        """input "observation" (N, D) float32, output "action" (N, A) float32 in [-1, 1]: `speder deep export`."""
        self._policy.to_onnx(_arrays.path(path))

    def __repr__(self) -> str:
        return f"SavedPolicy({self._path}: {self._policy.observation_size} numbers in, {self._policy.action_size} out)"


def rollout(task: str, folder: str | os.PathLike[str], *, policy: str | os.PathLike[str] = "random", episodes: int = 1,
            seed: int = 1) -> list[float]:
    """Episodes into a Minari data set in `folder`: `speder deep rollout --format minari`. Gives their returns.

    policy: random, zero, or a policy file. ``minari.MinariDataset(folder + "/data")`` loads it.
    """
    return _tasks_module().rollout(_model(task), _arrays.path(policy), _arrays.whole("episodes", episodes, 1),
                                   _arrays.seed(seed), _arrays.path(folder))


def make_vec(task: str, num_envs: int, *, threads: int = 0, copy: bool = True) -> TaskVectorEnv:
    """``make_vec("Ant-ET", 16)``: N environments of a task on C++ threads (0: all cores).

    float32 observations and rewards. An environment that ended starts anew within the same step; info["final_obs"] has
    the true last observations. ``copy=False`` gives the buffers themselves, which the next step overwrites.
    """
    return TaskVectorEnv(task, num_envs, threads, copy)


def _vector(num_envs: int = 1, task: str = "", **options: Any) -> TaskVectorEnv:
    return TaskVectorEnv(task, num_envs, **options)


_register.register()
