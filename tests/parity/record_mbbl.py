"""MBBL tasks: gymnasium's physics, MBBL's observation, reward and done (docs/environments.md)."""

import gymnasium
import mujoco
import numpy as np

from record_dmc import grid_actions

STEPS = 1000
STRIDE = 10  # every 10th observation is stored; every reward and done flag is
RESETS = 300


def planar_obs(env):
    return np.concatenate([env.data.qpos[1:], env.data.qvel])


def spatial_obs(env):
    return np.concatenate([env.data.qpos[2:], env.data.qvel])


def humanoid_obs(env):
    d = env.data
    parts = [spatial_obs(env), d.cinert.ravel(), d.cvel.ravel(), d.qfrc_actuator, d.cfrc_ext.ravel()]
    return np.concatenate(parts)


def reacher_obs(env):
    d, theta = env.data, env.data.qpos[:2]
    finger = d.body("fingertip").xpos - d.body("target").xpos
    return np.concatenate([np.cos(theta), np.sin(theta), d.qpos[2:], d.qvel[:2], finger])


def cart_obs(env):
    return np.concatenate([env.data.qpos, env.data.qvel])


def hopper_done(o):
    return bool(o[0] <= 0.7 or abs(o[1]) >= 0.2)


def walker_done(o):
    return bool(o[0] >= 2.0 or o[0] <= 0.8 or abs(o[1]) >= 1.0)


def ant_done(o):
    return bool(o[0] > 1.0 or o[0] < 0.2)


def humanoid_done(o):
    return bool(o[0] < 1.0 or o[0] > 2.0)


def never(_):
    return False


def cheetah_reward(o, a):
    return o[8] - 0.1 * np.sum(a**2)


def hopper_reward(o, a):
    return o[5] - 3 * (o[0] - 1.3) ** 2 - 0.1 * np.sum(a**2) + (not hopper_done(o))


def walker_reward(o, a):
    return o[8] - 3 * (o[0] - 1.3) ** 2 - 0.1 * np.sum(a**2) + (not walker_done(o))


def ant_reward(o, a):
    return o[13] - 3 * (o[0] - 0.57) ** 2 - 0.1 * np.sum(a**2) + (not ant_done(o))


def slim_reward(o, a):
    return 0.25 / 0.015 * o[22] - 0.1 * np.sum(a**2) + 5 * (not humanoid_done(o))


def humanoid_reward(o, a):
    return slim_reward(o, a) + max(-5e-7 * np.sum(o[-84:] ** 2), -10)


def reacher_reward(o, a):
    return -np.linalg.norm(o[-3:]) - np.sum(a**2)


def pole_reward(o, _):
    return -o[1] ** 2


# name -> (gymnasium id, observation, reward on the pre-step observation, done, hidden coordinates)
TASKS = {
    "HalfCheetah": ("HalfCheetah-v5", planar_obs, cheetah_reward, never, 1),
    "Hopper-ET": ("Hopper-v5", planar_obs, hopper_reward, hopper_done, 1),
    "Walker-ET": ("Walker2d-v5", planar_obs, walker_reward, walker_done, 1),
    "Ant-ET": ("Ant-v5", spatial_obs, ant_reward, ant_done, 2),
    "S-Humanoid-ET": ("Humanoid-v5", spatial_obs, slim_reward, humanoid_done, 0),
    "Humanoid-ET": ("Humanoid-v5", humanoid_obs, humanoid_reward, humanoid_done, 0),
    "Reacher": ("Reacher-v5", reacher_obs, reacher_reward, never, 0),
    "I-Pendulum": ("InvertedPendulum-v5", cart_obs, pole_reward, never, 0),
}


def place(env, qpos, qvel):
    mujoco.mj_resetData(env.model, env.data)
    env.set_state(qpos, qvel)


def control(env, action):
    low, high = env.model.actuator_ctrlrange.T
    return (low + high) / 2 + (high - low) / 2 * action


def trajectory(env, observe, reward, done, actions):
    observations, rewards, dones = [observe(env)], [], []
    for action in actions:
        native = control(env, action)
        before = observations[-1]
        env.step(native)  # gymnasium's own step: do_simulation, then mj_rnePostConstraint
        observations.append(observe(env))
        rewards.append(float(reward(before, native)))
        dones.append(done(observations[-1]))
    return np.array(observations), np.array(rewards), np.array(dones, dtype=np.int8)


def synthetic(rng, env, observe, reward, done):
    """Reward and done on made-up observations, both sides of every threshold."""
    size = observe(env).size
    rows = 60 if size > 100 else 200
    observations = rng.integers(-96, 97, size=(rows, size)) / 32.0
    observations[:, 0] = rng.integers(0, 97, size=rows) / 40.0  # heights 0 … 2.4
    observations[:, 1] = rng.integers(-64, 65, size=rows) / 50.0  # angles −1.28 … 1.28
    observations = observations.astype(np.float32).astype(np.float64)  # stored as float32
    if size == 376:  # contact forces large enough that some hit the floor of −10
        observations[:, -84:] *= 400.0 * rng.integers(0, 4, size=(rows, 1))
    actions = grid_actions(rng, rows, env.model.nu)
    native = [control(env, a) for a in actions]
    return {
        "formula/observations": observations,
        "formula/actions": actions,
        "formula/rewards": [float(reward(o, a)) for o, a in zip(observations, native)],
        "formula/terminated": np.array([done(o) for o in observations], dtype=np.int8),
    }


def resets(env):
    qpos, qvel = [], []
    env.reset(seed=20230501)
    for _ in range(RESETS):
        env.reset()
        qpos.append(env.data.qpos.copy())
        qvel.append(env.data.qvel.copy())
    return {
        "resets/qpos": np.array(qpos, dtype=np.float32),
        "resets/qvel": np.array(qvel, dtype=np.float32),
    }


def record(name):
    gym_id, observe, reward, done, hidden = TASKS[name]
    rng = np.random.default_rng(sum(map(ord, name)))
    env = gymnasium.make(gym_id).unwrapped
    env.reset(seed=3)
    qpos, qvel = env.data.qpos.copy(), env.data.qvel.copy()
    qpos[:hidden] = 0.0
    place(env, qpos, qvel)
    actions = grid_actions(rng, STEPS, env.model.nu)
    observations, rewards, dones = trajectory(env, observe, reward, done, actions)
    stride = 50 if observations.shape[1] > 100 else STRIDE
    data = {
        "main/qpos": qpos,
        "main/qvel": qvel,
        "main/actions": actions,
        "main/stride": np.array([stride]),
        "main/observations": observations[::stride],
        "main/rewards": rewards,
        "main/terminated": dones,
    }
    data |= synthetic(rng, env, observe, reward, done)
    if name != "Humanoid-ET":  # same reset as S-Humanoid-ET
        data |= resets(env)
    return data


def cartpole():
    """Dynamics from gymnasium's CartPole; reward cosθ − 0.01x² on the pre-step observation."""
    rng = np.random.default_rng(5)
    env = gymnasium.make("CartPole-v1").unwrapped
    env.reset(seed=5)
    state = rng.uniform(-0.05, 0.05, size=4)
    env.state = tuple(state)
    actions = grid_actions(rng, STEPS, 1)
    observations, rewards = [state], []
    for action in actions:
        x, _, theta, _ = observations[-1]
        rewards.append(np.cos(theta) - 0.01 * x**2)
        env.step(1 if action[0] > 0 else 0)
        env.steps_beyond_terminated = None
        observations.append(np.array(env.state, dtype=np.float64))
    return {
        "main/qpos": state[[0, 2]],
        "main/qvel": state[[1, 3]],
        "main/actions": actions,
        "main/stride": np.array([STRIDE]),
        "main/observations": np.array(observations)[::STRIDE],
        "main/rewards": rewards,
    }


def pendulum():
    """MBBL's Pendulum: θ̇' = θ̇ + (−15 sin(θ+π) + 3u)·0.05, θ' with the unclipped θ̇'."""
    rng = np.random.default_rng(6)
    theta, speed = rng.uniform(-np.pi, np.pi), rng.uniform(-1, 1)
    start = theta, speed
    actions = np.concatenate([grid_actions(rng, 500, 1), np.ones((500, 1))])
    observations, rewards = [[np.cos(theta), np.sin(theta), speed]], []
    for action in actions:
        u = np.clip(2 * action[0], -2, 2)
        y, x, s = observations[-1]
        rewards.append(-(y + 0.1 * abs(x) + 0.1 * s**2 + 0.001 * u**2))
        speed = speed + (-15 * np.sin(theta + np.pi) + 3 * u) * 0.05
        theta = theta + speed * 0.05
        speed = np.clip(speed, -8, 8)
        observations.append([np.cos(theta), np.sin(theta), speed])
    return {
        "main/qpos": [start[0]],
        "main/qvel": [start[1]],
        "main/actions": actions,
        "main/stride": np.array([STRIDE]),
        "main/observations": np.array(observations)[::STRIDE],
        "main/rewards": rewards,
    }


def record_all():
    for name in TASKS:
        yield name, record(name)
    yield "CartPole", cartpole()
    yield "Pendulum", pendulum()
