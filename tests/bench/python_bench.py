"""python_bench.py [solve] [steps] [peers]: the Python module as ratios, measured alternately in one process.

solve   speder.solve against quantecon's DiscreteDP on S = 2000, A = 20, d = 10, both given numpy arrays
steps   make_vec against the same C++ environments stepped without Python
peers   make_vec against EnvPool (pip install envpool), or gymnasium's SyncVectorEnv where there is none

Seconds are CPU seconds of this process, so that others on the machine count little; medians over the rounds.
"""

import statistics
import sys
import time

import numpy as np

import speder


def cpu(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def alternate(rounds, **calls):
    """name -> CPU seconds of each round; every round begins with another one."""
    seconds = {name: [] for name in calls}
    names = list(calls)
    for r in range(rounds):
        for name in names[r % len(names):] + names[: r % len(names)]:
            seconds[name].append(cpu(calls[name]))
    return seconds


def ratio(seconds, slow, fast):
    return statistics.median(a / b for a, b in zip(seconds[slow], seconds[fast]))


def solve(states=2000, actions=20, rank=10, gamma=0.99, rounds=15):
    from quantecon.markov import DiscreteDP

    made = speder.make("simplex", states=states, actions=actions, rank=rank, gamma=gamma)
    phi, mu, nu, r, rho = (np.array(x) for x in (made.phi, made.mu, made.nu, made.r, made.rho))
    P = made.P
    del made
    found = {}

    def ours(copy):
        m = speder.MDP.from_factors(phi, mu, r, rho, gamma, nu=nu, copy=copy)
        found["ours"] = speder.solve(m).V

    def theirs():
        found["theirs"] = DiscreteDP(r, P, gamma).solve(method="policy_iteration").v

    several = 10  # of our calls in a row: one alone ends before the caches that quantecon left are ours
    ours(True), theirs()  # both are compiled and warm
    for copy in (False, True):
        seconds = {"theirs": [], "alone": [], "in a row": []}
        for _ in range(rounds):
            seconds["theirs"].append(cpu(theirs))
            seconds["alone"].append(cpu(lambda: ours(copy)))
            seconds["in a row"].append(cpu(lambda: [ours(copy) for _ in range(several)]) / several)
        gap = np.abs(found["ours"] - found["theirs"]).max()
        assert gap < 1e-6, gap
        middle = {name: statistics.median(of) for name, of in seconds.items()}
        print(f"solve S={states} A={actions} d={rank} gamma={gamma} copy={copy}: quantecon {middle['theirs']:.3f} s; speder "
              f"{middle['alone']:.5f} s alone after quantecon, ratio {ratio(seconds, 'theirs', 'alone'):.0f}; "
              f"{middle['in a row']:.5f} s each of {several} in a row, ratio {ratio(seconds, 'theirs', 'in a row'):.0f}; "
              f"values differ by {gap:.1e}")


def stepping(env, actions, n):
    def call():
        for _ in range(n):
            env.step(actions)

    return call


def actions_of(env):
    env.action_space.seed(0)
    return np.ascontiguousarray(env.action_space.sample(), dtype=env.action_space.dtype)


def steps(rounds=9):
    tasks = ("HalfCheetah", "Ant-ET", "cheetah_run", "humanoid_run")
    for task, envs, n in [*(("Pendulum", envs, 320_000 // envs) for envs in (16, 64, 256)), *((t, 16, 400) for t in tasks)]:
        ours = speder.make_vec(task, envs, threads=1)
        bare = speder.make_vec(task, envs, threads=1)
        for env in (ours, bare):
            env.reset(seed=0)
        actions = actions_of(ours)
        seconds = alternate(rounds, python=stepping(ours, actions, n), bare=lambda: bare._env.repeat(actions, n))
        per = envs * n / statistics.median(seconds["python"])
        print(f"steps {task}: {per:,.0f} a CPU second through make_vec({envs}), "
              f"{1 / ratio(seconds, 'python', 'bare'):.3f} of C++ alone")


PEERS = {"cheetah_run": ("CheetahRun-v1", "dm"), "walker_run": ("WalkerRun-v1", "dm"), "hopper_hop": ("HopperHop-v1", "dm"),
         "humanoid_run": ("HumanoidRun-v1", "dm"), "HalfCheetah": ("HalfCheetah-v5", "gymnasium"),
         "Ant-ET": ("Ant-v5", "gymnasium")}


def envpool_steps(name, kind, envs, n):
    import envpool

    env = envpool.make(name, env_type=kind, num_envs=envs, num_threads=1, seed=0)
    env.reset()
    spec = env.action_space if kind == "gymnasium" else None
    width = spec.shape[0] if spec is not None else env.action_spec().shape[0]
    low, high = (spec.low, spec.high) if spec is not None else (-1.0, 1.0)
    actions = np.random.default_rng(0).uniform(low, high, (envs, width)).astype(np.float64)
    return stepping(env, actions, n)


def gymnasium_steps(name, envs, n):
    import gymnasium

    env = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make(name) for _ in range(envs)])
    env.reset(seed=0)
    return stepping(env, actions_of(env), n)


def peers(envs=16, n=200, rounds=5):
    for task, (name, kind) in PEERS.items():
        ours = speder.make_vec(task, envs, threads=1)
        ours.reset(seed=0)
        other, calls = "EnvPool", None
        try:
            calls = envpool_steps(name, kind, envs, n)
        except Exception as error:  # not installed, or it has no such task
            other = f"SyncVectorEnv (EnvPool: {str(error).splitlines()[0][:60]})"
            calls = gymnasium_steps(name, envs, n) if kind == "gymnasium" else None
        if calls is None:
            print(f"peers {task}: no peer ({other})")
            continue
        seconds = alternate(rounds, ours=stepping(ours, actions_of(ours), n), theirs=calls)
        print(f"peers {task}: {ratio(seconds, 'theirs', 'ours'):.2f} times the steps a CPU second of {other} {name}")


if __name__ == "__main__":
    for wanted in sys.argv[1:] or ["solve", "steps", "peers"]:
        {"solve": solve, "steps": steps, "peers": peers}[wanted]()
