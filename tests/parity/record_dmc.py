"""DeepMind Control tasks, stepped through dm_control's own environment objects."""

import numpy as np
from dm_control import suite

STEPS = 1000
FAST_STEPS = 100
RESETS = 300
SPARSE_THRESHOLD = 0.25  # the sparse tasks set rewards below this to 0

# name -> (domain, task, has a sparse twin, speed given to the root's x velocity in the fast segment)
TASKS = {
    "cheetah_run": ("cheetah", "run", True, 9.0),
    "walker_run": ("walker", "run", True, 6.0),
    "hopper_hop": ("hopper", "hop", False, 2.5),
    "humanoid_run": ("humanoid", "run", False, 6.0),
}
ROOT_X = {"cheetah": 0, "walker": 1, "hopper": 0, "humanoid": 0}  # walker: rootz, rootx, rooty


def grid_actions(rng, steps, size):
    """Multiples of 1/64 in [-1, 1]: exact in float32 and float64, and they compress well."""
    return rng.integers(-64, 65, size=(steps, size)) / 64.0


def flatten(observation):
    return np.concatenate([np.ravel(value) for value in observation.values()])


def place(env, qpos, qvel):
    """Enters a state through dm_control's reset context: reset, write, forward."""
    env.reset()
    with env.physics.reset_context():
        env.physics.data.qpos[:] = qpos
        env.physics.data.qvel[:] = qvel
    return flatten(env.task.get_observation(env.physics))


def rollout(env, qpos, qvel, actions):
    observations, rewards = [place(env, qpos, qvel)], []
    for action in actions:
        step = env.step(action)
        observations.append(flatten(step.observation))
        rewards.append(step.reward)
    assert step.discount == 1.0  # no early termination, and the limit is not a terminal
    return np.array(observations), np.array(rewards, dtype=np.float64)


def segment(prefix, env, qpos, qvel, actions, sparse):
    observations, rewards = rollout(env, qpos, qvel, actions)
    data = dict(qpos=qpos, qvel=qvel, actions=actions, observations=observations, rewards=rewards)
    if sparse:
        data["rewards_sparse"] = np.where(rewards < SPARSE_THRESHOLD, 0.0, rewards)
    return {f"{prefix}/{key}": value for key, value in data.items()}


def settled_cheetah(seed):
    """The drawn pose and the state after the 200 settling steps of cheetah's reset."""
    env = suite.load("cheetah", "run", task_kwargs={"random": seed})
    physics = env.physics
    limited = physics.model.jnt_limited == 1
    lower, upper = physics.model.jnt_range[limited].T
    drawn = np.array(physics.model.qpos0)
    drawn[limited] = np.random.RandomState(seed).uniform(lower, upper)
    env.reset()
    return {
        "settle/drawn": drawn,
        "settle/qpos": physics.data.qpos.copy(),
        "settle/qvel": physics.data.qvel.copy(),
    }


def resets(domain, task):
    env = suite.load(domain, task, task_kwargs={"random": 20230501})
    qpos, qvel = [], []
    for _ in range(RESETS):
        env.reset()
        qpos.append(env.physics.data.qpos.copy())
        qvel.append(env.physics.data.qvel.copy())
    return {
        "resets/qpos": np.array(qpos, dtype=np.float32),
        "resets/qvel": np.array(qvel, dtype=np.float32),
    }


def record(name):
    domain, task, sparse, speed = TASKS[name]
    rng = np.random.default_rng(sum(map(ord, name)))
    env = suite.load(domain, task, task_kwargs={"random": 7})
    size = env.action_spec().shape[0]
    env.reset()
    start = env.physics.data.qpos.copy(), env.physics.data.qvel.copy()
    data = segment("main", env, *start, grid_actions(rng, STEPS, size), sparse)

    upright = np.array(env.physics.model.qpos0)
    if domain == "cheetah":
        upright = start[0]  # settled on its feet
    moving = np.zeros(env.physics.model.nv)
    moving[ROOT_X[domain]] = speed
    gentle = grid_actions(rng, FAST_STEPS, size) * 0.5
    data |= segment("fast", env, upright, moving, gentle, sparse)
    if domain == "cheetah":
        data |= settled_cheetah(11)
    return data | resets(domain, task)


def record_all():
    for name in TASKS:
        yield name, record(name)
