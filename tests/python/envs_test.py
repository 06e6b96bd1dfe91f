"""gymnasium: every task and exact MDPs pass the checker, follow the program bit for bit, and the recorded peers."""

import gc
import os
import resource
import subprocess
import unittest
import warnings

import h5py
import numpy as np

import gymnasium
import speder
from common import Case, main
from gymnasium.utils.env_checker import check_env
from speder import _tasks

FIXTURES = os.path.join(os.environ["SPEDER_SOURCE"], "tests/parity/fixtures")
DEEP = os.environ.get("SPEDER_DEEP", "")


class Tasks(Case):
    def test_names_are_those_of_the_core(self):
        self.assertEqual(list(speder.TASKS), _tasks.task_names())
        self.refused(ValueError, "there are: HalfCheetah", speder.TaskEnv, "cheetah_rn")
        self.assertEqual(repr(speder.TaskEnv("Pendulum")), "TaskEnv(Pendulum)")
        self.assertEqual(repr(speder.make_vec("Pendulum", 3)), "TaskVectorEnv(Pendulum, num_envs=3)")
        for name in speder.__all__:
            self.assertTrue(getattr(speder, name).__doc__, name)

    def test_mistakes(self):
        env, vector = speder.TaskEnv("Pendulum"), speder.make_vec("Pendulum", 2)
        self.assertRaisesRegex(gymnasium.error.ResetNeeded, "reset", env.step, [0.0])
        self.assertRaisesRegex(gymnasium.error.ResetNeeded, "reset", vector.step, np.zeros((2, 1), np.float32))
        env.reset(seed=0), vector.reset(seed=0)
        for text, call in (("takes 1 actions, got 3", lambda: env.step(np.zeros(3))),
                           ("finite", lambda: env.step([np.nan])),
                           ("dtype complex128", lambda: env.step([1j])),
                           ("dtype <U1", lambda: vector.step([["a"], ["b"]])),
                           ("dtype complex128", lambda: vector.step(np.zeros((2, 1), dtype=complex))),
                           ("num_envs: expected a whole number, got 2.5", lambda: speder.make_vec("Pendulum", 2.5)),
                           ("num_envs must be at least 1", lambda: speder.make_vec("Pendulum", 0)),
                           ("threads must be at least 0", lambda: speder.make_vec("Pendulum", 2, threads=-1)),
                           ("no picture", lambda: speder.TaskEnv("Pendulum", render_mode="rgb_array")),
                           ("dtype object", lambda: vector.step(None)),
                           ("task: expected a name, got ['Pendulum']", lambda: speder.TaskEnv(["Pendulum"])),
                           ("seed must be at most", lambda: env.reset(seed=2**64)),
                           ("seed must be at most", lambda: vector.reset(seed=2**64)),
                           ("options of reset are qpos and qvel", lambda: env.reset(options=True)),
                           ("rgb_array alone", lambda: speder.TaskEnv("Hopper-ET", render_mode="human"))):
            with self.subTest(text):
                self.refused(ValueError, text, call)

    def test_files_of_policies(self):
        policy = speder.SavedPolicy(os.path.join(os.environ["SPEDER_SOURCE"], "deep/policies/ant_direction.h5"))
        self.refused(OSError, "none.h5", speder.SavedPolicy, self.path("none.h5"))
        self.refused(OSError, "none", policy.to_onnx, self.path("none/p.onnx"))
        self.refused(ValueError, "expected (29,) or (N, 29)", policy, np.zeros(3))
        with open(self.path("bad.h5"), "w") as file:
            file.write("not HDF5")
        self.refused(ValueError, "not an HDF5 file", speder.SavedPolicy, self.path("bad.h5"))
        self.refused(OSError, "bad.h5", speder.rollout, "Pendulum", self.path("bad.h5"), episodes=1)
        self.refused(OSError, "none.h5", speder.rollout, "Pendulum", self.path("r"), policy=self.path("none.h5"))

    def test_no_leak(self):
        """Steps and resets, one by one and in vectors, into blocks of results."""
        env, vector, action = speder.TaskEnv("Pendulum"), speder.make_vec("Pendulum", 64, threads=1), np.zeros(1)
        actions = np.zeros((64, 1), np.float32)

        def calls(n):
            for k in range(n):
                env.step(action) if k % 100 else env.reset(seed=k)
                vector.step(actions)
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        env.reset(seed=0), vector.reset(seed=0)
        before = calls(5_000)
        self.assertLess(calls(50_000) - before, 2 << 20)  # 100,000 calls: 20 bytes a call

    def test_either_package_may_come_first(self):
        for first, second in (("speder", "gymnasium"), ("gymnasium", "speder")):
            done = self.python(f"import {first}\nimport {second}\nprint(gymnasium.make('speder/Pendulum-v0').spec.id)")
            self.assertEqual(done.stdout, "speder/Pendulum-v0\n", done.stderr)

    def test_without_dm_control(self):
        """Its tasks say what is missing, the others are there."""
        os.symlink(os.path.dirname(gymnasium.__file__), self.path("gymnasium"))
        done = self.python("import sys\nsys.modules['dm_control'] = None\n"
                           f"sys.path.insert(0, {self.folder!r})\n"
                           "import speder\nprint(speder.TaskEnv('Hopper-ET'))\nspeder.TaskEnv('cheetah_run')",
                           env={k: v for k, v in os.environ.items() if k != "SPEDER_PACKAGES"}, cwd=self.folder)
        self.assertEqual(done.stdout, "TaskEnv(Hopper-ET)\n", done.stderr)
        self.assertRegex(done.stderr.splitlines()[-1], "ValueError: .*cheetah.xml: no such model file; .* pip install --no-deps")

    def test_the_checker_passes_for_every_task(self):
        for task in speder.TASKS:
            with self.subTest(task), warnings.catch_warnings():
                # Observations have no bounds, as in gymnasium's own MuJoCo tasks; drawing needs a display.
                warnings.filterwarnings("ignore", message=".*(infinity|precision|render).*")
                check_env(gymnasium.make(f"speder/{task}-v0").unwrapped, skip_render_check=True)

    def test_the_recorded_peers(self):
        """What tests/unit/deep/parity_test.cpp replays, through Python."""
        derived = ("hopper_hop", "humanoid_run", "Reacher", "Pendulum", "CartPole")  # sin, log1p: not copies of memory
        for file in sorted(os.listdir(FIXTURES)):
            task = file.removesuffix(".h5")
            with self.subTest(task), h5py.File(os.path.join(FIXTURES, file)) as f:
                main_part = f["main"]
                stride = int(main_part["stride"][()].flat[0]) if "stride" in main_part else 1
                env = _tasks.Single(speder.envs._model(task), True)
                seen = [env.place(main_part["qpos"][:].reshape(-1), main_part["qvel"][:].reshape(-1))]
                rewards = []
                for t, action in enumerate(main_part["actions"][:], 1):
                    observation, reward, *_ = env.step(np.ascontiguousarray(action, dtype=np.float64))
                    rewards.append(reward)
                    if t % stride == 0:
                        seen.append(observation)
                expected = main_part["observations"][:]
                gap = np.abs(np.array(seen)[: len(expected)] - expected).max()
                self.assertLessEqual(gap, 1e-9 if task in derived else 0.0)
                self.assertLessEqual(np.abs(np.array(rewards) - main_part["rewards"][:].reshape(-1)).max(), 1e-9)

    @unittest.skipUnless(DEEP, "speder-deep is not built")
    def test_episodes_are_the_programs(self):
        for task in ("Pendulum", "Hopper-ET", "cheetah_run"):
            out = self.path(f"{task}.h5")
            subprocess.run([DEEP, "rollout", "--env", task, "--policy", "random", "--seed", "3", "--episodes", "2",
                            "--out", out], check=True, capture_output=True)
            with h5py.File(out) as f:
                lengths, actions = f["lengths"][:], f["actions"][:]
                observations, rewards, ends = f["observations"][:], f["rewards"][:], f["terminated"][:]
            env = gymnasium.make(f"speder/{task}-v0").unwrapped
            at, row = 0, 0
            for e, length in enumerate(lengths):
                seen = [env.reset(seed=3 if e == 0 else None)[0]]
                for t in range(length):
                    observation, reward, terminated, truncated, _ = env.step(actions[at + t])
                    seen.append(observation)
                    self.assertEqual((reward, terminated), (rewards[at + t], bool(ends[at + t])))
                self.assertTrue(terminated or truncated)
                np.testing.assert_array_equal(np.array(seen), observations[row:row + length + 1])
                at, row = at + length, row + length + 1

    def test_vectors(self):
        actions = np.random.default_rng(0).uniform(-1, 1, (60, 8, 1)).astype(np.float32)
        runs = []
        for threads in (1, 2):
            env = speder.make_vec("Pendulum", 8, threads=threads)
            first, _ = env.reset(seed=4)
            self.assertEqual((first.shape, first.dtype), ((8, 3), np.float32))
            runs.append([first] + [part for a in actions for part in env.step(a)[:4]])
        for one, other in zip(*runs):
            np.testing.assert_array_equal(one, other)
        hopper = gymnasium.make_vec("speder/Hopper-ET-v0", 4)
        hopper.reset(seed=1)
        hopper.action_space.seed(1)
        ended = 0
        for _ in range(200):
            observation, reward, terminated, truncated, info = hopper.step(hopper.action_space.sample())
            self.assertTrue(hopper.observation_space.contains(observation))
            over = terminated | truncated
            ended += over.sum()
            if over.any():
                np.testing.assert_array_equal(info["_final_obs"], over)
                # A new episode has begun: what was seen last is not what is acted on next.
                self.assertTrue((info["final_obs"][over] != observation[over]).any(axis=1).all())
                np.testing.assert_array_equal(info["final_obs"][~over], observation[~over])
        self.assertGreater(ended, 0)
        self.refused(ValueError, "expected (4, 3)", hopper.unwrapped.step, np.zeros((4, 2)))
        self.refused(ValueError, "finite", hopper.unwrapped.step, np.full((4, 3), np.nan))

    def test_arrays_without_copies_outlive_their_environments(self):
        env = speder.make_vec("Pendulum", 4, threads=1, copy=False)
        first, _ = env.reset(seed=0)
        observation, *_ = env.step(np.zeros((4, 1), np.float32))
        self.assertTrue(np.shares_memory(first, observation))
        seen = observation.copy()
        second, _ = env.reset(seed=1)  # other environments with buffers of their own
        self.assertFalse(np.shares_memory(first, second))
        np.testing.assert_array_equal(first, seen)

    def test_a_given_state(self):
        env = speder.TaskEnv("Hopper-ET")
        env.reset(seed=0)
        qpos, qvel = env._env.qpos, env._env.qvel
        first, _ = env.reset(options={"qpos": qpos, "qvel": qvel})
        np.testing.assert_array_equal(env._env.qpos, qpos)
        self.assertEqual(first.shape, env.observation_space.shape)
        self.refused(ValueError, "qpos and qvel", env.reset, options={"start": 1})


class Exact(Case):
    def test_the_checker_and_the_law(self):
        mdp = speder.make("river", states=6, gamma=0.9)
        check_env(mdp.as_env(max_steps=20), skip_render_check=True)
        env = mdp.as_env(max_steps=7)
        s, _ = env.reset(seed=2)
        total, n = np.zeros((mdp.states, mdp.actions, mdp.states)), 0
        rng = np.random.default_rng(0)
        for _ in range(30_000):
            a = int(rng.integers(mdp.actions))
            s2, reward, terminated, truncated, _ = env.step(a)
            self.assertEqual(reward, mdp.r[s, a])
            self.assertFalse(terminated)
            total[s, a, s2] += 1
            n += 1
            self.assertEqual(truncated, n % 7 == 0)
            s = env.reset()[0] if truncated else s2
        visits = total.sum(2)
        seen = visits > 1000
        gap = np.abs(total[seen] / visits[seen][:, None] - mdp.P[seen])
        self.assertLess(gap.max(), 5 * np.sqrt(0.25 / 1000))
        self.refused(ValueError, "no action", env.step, mdp.actions)
        self.refused(ValueError, "got 0.5", env.step, 0.5)
        self.refused(ValueError, "no action", env.step, 2**70)
        self.refused(ValueError, "seed must be at most", env.reset, seed=2**64)
        self.assertEqual(repr(env), f"ExactEnv({mdp!r}, max_steps=7)")


if __name__ == "__main__":
    main()
