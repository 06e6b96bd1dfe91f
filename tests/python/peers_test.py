"""With the libraries of others, in the environment that tests/python/peers makes."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

import gymnasium
import numpy as np
import speder
from common import Case, main

SOURCE = Path(os.environ["SPEDER_SOURCE"])
DEEP = os.environ.get("SPEDER_DEEP", "")


# What a user writes, with the types that a checker is to find.
TYPED = """
from typing import assert_type
import numpy as np
import numpy.typing as npt
import speder

m = speder.make("lock", states=200, actions=4, rank=8, seed=1)
assert_type(speder.solve(m), speder.Solution)
assert_type(m.phi, npt.NDArray[np.float64])
runs = speder.learn(m, ["speder", "greedy"], episodes=10)
assert_type(runs[0], speder.Run)
assert_type(runs[:1] + runs, speder.Runs)
frame = runs.to_pandas()
assert_type(speder.fit_rate(frame, x="n", y="regret"), speder.Rate)
assert_type(speder.fit_rate(frame, x=["d", "A"], y="N"), dict[str, speder.Rate])
assert_type(speder.scale("needle", axes={"rank": [8, 12]}, epsilon=0.1)[0], speder.Study)

class Mine:
    def __init__(self, sizes: speder.Sizes, seed: int) -> None: ...
    def act(self, s: int) -> int:
        return 0

assert_type(speder.judge(m, Mine, episodes=5), speder.Runs)
assert_type(speder.make_vec("Ant-ET", 16), speder.TaskVectorEnv)
speder.solve("m.h5")
speder.make("lock", states="many")
speder.solv(m)
"""


class Peers(Case):
    def test_types(self):
        """The last three lines are mistakes, and nothing else is."""
        with open(self.path("typed.py"), "w") as file:
            file.write(TYPED)
        told = subprocess.run([sys.executable, "-m", "mypy", "--strict", self.path("typed.py")], capture_output=True, text=True,
                              cwd=self.folder).stdout
        lines = TYPED.splitlines()
        wrong = [lines[int(row.split(":")[1]) - 1] for row in told.splitlines() if ": error:" in row]
        self.assertEqual(wrong, lines[-3:], told)

    def test_onnx(self):
        import onnxruntime

        policy = speder.SavedPolicy(SOURCE / "deep/policies/ant_direction.h5")
        policy.to_onnx(self.path("p.onnx"))
        session = onnxruntime.InferenceSession(self.path("p.onnx"), providers=["CPUExecutionProvider"])
        (given,), (found,) = session.get_inputs(), session.get_outputs()
        self.assertEqual((given.name, found.name), ("observation", "action"))
        observations = np.random.default_rng(0).normal(0, 3, (1000, given.shape[1])).astype(np.float32)
        actions = session.run(None, {"observation": observations})[0]
        gap = np.abs(actions - policy(observations)).max()
        print(f"onnx: largest difference {gap:.1e}")
        self.assertLess(gap, 1e-6)
        if os.access(DEEP, os.X_OK):
            subprocess.run([DEEP, "export", SOURCE / "deep/policies/ant_direction.h5", "--out", self.path("q.onnx")],
                           check=True, capture_output=True)
            self.assertEqual(Path(self.path("p.onnx")).read_bytes(), Path(self.path("q.onnx")).read_bytes())

    def test_minari(self):
        import minari

        os.environ["MINARI_DATASETS_PATH"] = self.folder
        out = Path(self.folder) / "speder/Hopper-ET/rollout-v0"
        returns = speder.rollout("Hopper-ET", out, episodes=3, seed=3)
        self.refused(OSError, "has a data set already", speder.rollout, "Hopper-ET", out)
        if os.access(DEEP, os.X_OK):
            subprocess.run([DEEP, "rollout", "--env", "Hopper-ET", "--episodes", "3", "--seed", "3", "--format", "minari",
                            "--out", self.path("other")], check=True, capture_output=True)
            for name in ("metadata.json", "main_data.hdf5"):
                self.assertEqual((out / "data" / name).read_bytes(), Path(self.path("other"), "data", name).read_bytes())
        data = minari.load_dataset("speder/Hopper-ET/rollout-v0")
        self.assertEqual(data.total_episodes, 3)
        env = data.recover_environment().unwrapped
        for e, episode in enumerate(data.iterate_episodes()):
            seen = env.reset(seed=3 if e == 0 else None)[0]
            np.testing.assert_array_equal(seen, episode.observations[0])
            self.assertTrue(episode.terminations[-1] or episode.truncations[-1])
            self.assertAlmostEqual(episode.rewards.sum(), returns[e], places=9)
            self.assertEqual(len(episode.observations), len(episode.rewards) + 1)

    def test_stable_baselines(self):
        """SAC is better than the zero policy after 4,000 steps of the pendulum; DQN reads an exact MDP."""
        import torch
        from stable_baselines3 import DQN, SAC

        torch.set_num_threads(1)  # small networks: threads that wait for each other cost more than they do

        def score(act):
            env, total = gymnasium.make("speder/Pendulum-v0"), 0.0
            for seed in range(5):
                s, _ = env.reset(seed=seed)
                while True:
                    s, r, terminated, truncated, _ = env.step(act(s))
                    total += r
                    if terminated or truncated:
                        break
            return total / 5

        model = SAC("MlpPolicy", gymnasium.make("speder/Pendulum-v0"), seed=0)
        model.learn(4000)
        trained = score(lambda s: model.predict(s, deterministic=True)[0])
        idle = score(lambda s: np.zeros(1, dtype=np.float32))
        print(f"stable-baselines3: {model.num_timesteps} steps, return {trained:.1f}, doing nothing {idle:.1f}")
        self.assertGreater(trained, idle)
        mdp = speder.make("river", states=6, gamma=0.9)
        DQN("MlpPolicy", mdp.as_env(max_steps=50), seed=0, learning_starts=100).learn(500)

    def test_notebooks_in_jupyter(self):
        import nbclient
        import nbformat

        for path in sorted((SOURCE / "examples/notebooks").glob("*.ipynb")):
            with self.subTest(path.name):
                nbclient.NotebookClient(nbformat.read(path, 4), timeout=None, kernel_name="python3").execute()


if __name__ == "__main__":
    main()
