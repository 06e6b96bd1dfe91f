"""Learners, classes, the judge of other learners, scaling studies, rates, the audit and stores, against the program."""

import json
import unittest
import xml.etree.ElementTree

import numpy as np
import pandas

import speder
from common import Case, main

SAME = [c for c in speder.learning.columns() if c != "seconds"]  # the one column that the clock writes


def table(rows):
    """Rows of the program's JSON, where NaN is null."""
    return np.array([[np.nan if row[c] is None else float(row[c]) for c in SAME] for row in rows])


class Learners(Case):
    MDP = ("--family", "simplex", "--states", 20, "--actions", 3, "--rank", 3, "--gamma", 0.9)

    def setUp(self):
        super().setUp()
        self.mdp = speder.make("simplex", states=20, actions=3, rank=3, gamma=0.9)

    def test_online_rows_are_the_programs(self):
        told = self.ask("learn", "online", *self.MDP, "--algorithm", "speder", "--algorithm", "greedy", "--seeds", 2,
                        "--seed", 5, "--episodes", 40, "--class-size", 60, "--bonus", "tuned")
        runs = speder.learn(self.mdp, ["speder", "greedy"], episodes=40, seeds=range(5, 7), class_size=60, bonus="tuned")
        frame = runs.to_pandas()
        self.assertEqual([(r.algorithm, r.seed) for r in runs],
                         [("speder", 5), ("speder", 6), ("greedy", 5), ("greedy", 6)])
        for run, expected in zip(runs, told["runs"], strict=True):
            mine = frame[(frame.algorithm == run.algorithm) & (frame.seed == run.seed)][SAME].to_numpy(dtype=float)
            np.testing.assert_array_equal(mine, table(expected["rows"]))

    def test_offline_rows_are_the_programs(self):
        told = self.ask("learn", "offline", *self.MDP, "--transitions", 300, "--class-size", 60, "--behaviour", "coverage",
                        "--omega", 30, "--mix", 0.2)
        run = speder.learn(self.mdp, transitions=300, class_size=60, behaviour="coverage", omega=30, mix=0.2)[0]
        np.testing.assert_array_equal(run.rows[:, [speder.learning.columns().index(c) for c in SAME]], table(told["rows"]))
        self.assertEqual((run.omega, run.c_star), (told["omega"], told["c_star"]))
        # The policy that it gives back is the one of its last row.
        gap = speder.evaluate(self.mdp, run.policy).gap
        self.assertAlmostEqual(gap, run.rows[-1, speder.learning.columns().index("gap_last")], places=10)

    def test_a_class_of_arrays_is_the_class_of_the_file(self):
        made = speder.Candidates(self.mdp, size=30, seed=3)
        made.save(self.path("c.h5"))
        phi = np.stack([made.phi(c) for c in range(len(made))])
        mu = np.stack([made.mu(c) for c in range(len(made))])
        mine = speder.Candidates.of(self.mdp, phi, mu, truth=made.truth)
        loaded = speder.Candidates.load(self.mdp, self.path("c.h5"))
        rows = [speder.learn(self.mdp, episodes=30, candidates=c)[0].rows[:, :-1] for c in (made, mine, loaded)]
        np.testing.assert_array_equal(rows[0], rows[1])
        np.testing.assert_array_equal(rows[0], rows[2])
        self.assertEqual(made.distance[made.truth], 0)
        self.refused(ValueError, "does not hold P*", speder.Candidates.of, self.mdp, phi, mu, (made.truth + 1) % 30)
        self.refused(ValueError, "candidate 2", speder.Candidates.of, self.mdp, phi * (np.arange(30) != 2)[:, None, None, None],
                     mu)
        self.refused(ValueError, "mu: has shape", speder.Candidates.of, self.mdp, phi, mu[:5])
        self.refused(OSError, "no such file", speder.Candidates.load, self.mdp, self.path("none.h5"))
        with self.assertRaisesRegex(IndexError, "they are 0 .. 29"):
            made.phi(30)
        self.refused(ValueError, "member: expected a whole number, got None", made.phi, None)
        other = speder.make("lock", states=60, actions=3, rank=5)
        self.refused(ValueError, "another MDP", speder.learn, other, episodes=5, candidates=made)

    def test_mistakes(self):
        for text, settings in (("one of them", {}), ("one of them", {"episodes": 5, "transitions": 5}),
                               ("did you mean speder", {"algorithm": "spedr", "episodes": 5}),
                               ("given twice", {"episodes": 5, "seeds": [1, 1]}), ("empty", {"episodes": 5, "seeds": []}),
                               ("criterion", {"episodes": 5, "criterion": "best"}), ("(got 0)", {"episodes": 0}),
                               ("episodes: expected a whole number, got 2.5", {"episodes": 2.5}),
                               ("grid must be at most 5", {"episodes": 5, "grid": [1, 6]}),
                               ("jobs must be at least 0", {"episodes": 5, "jobs": -1}),
                               ("algorithm: expected several values, got None", {"algorithm": None, "episodes": 5}),
                               ("grid: expected several values, got 5", {"grid": 5, "episodes": 5}),
                               ("delta: expected a number, got None", {"episodes": 5, "delta": None}),
                               ("c_alpha: expected a number, got 'a'", {"episodes": 5, "c_alpha": "a"}),
                               ("bonus: expected a name, got 1", {"episodes": 5, "bonus": 1}),
                               ("algorithm: expected a name, got 3", {"episodes": 5, "algorithm": ["speder", 3]}),
                               ("expected a Candidates or the kind of one, got 3", {"episodes": 5, "candidates": 3}),
                               ("seed: expected", {"episodes": 5, "seeds": [0.5]})):
            with self.subTest(text):
                self.refused(ValueError, text, speder.learn, self.mdp, class_size=5, **settings)

    def test_pictures(self):
        runs = speder.learn(self.mdp, ["speder", "uniform"], episodes=30, seeds=range(3), class_size=30)
        for picture in (runs.plot(), runs[:1].plot(), speder.spectral(self.mdp).plot()):
            root = xml.etree.ElementTree.fromstring(picture._repr_svg_())
            self.assertTrue(root.tag.endswith("svg"))
        self.assertIn("speder", runs._repr_svg_())
        none = runs[:0]
        self.refused(ValueError, "there is no run to draw", none.plot)
        self.assertEqual((len(none.to_pandas()), list(none.to_pandas())), (0, list(runs.to_pandas())))
        short = speder.learning.Runs([speder.Run("mine", 1, np.ones((3, 2)), np.ones((20, 3)))], "online")
        self.refused(ValueError, "a run of mine has no rows of", short.plot)


class Constant:
    """A learner that has nothing to learn."""

    def __init__(self, sizes, seed):
        self.seen = 0
        assert not hasattr(sizes, "P") and not hasattr(sizes, "phi")

    def act(self, s):
        return 0

    def update(self, s, a, r, s2):
        self.seen += 1


class Knows:
    """Plays the best policy from the tenth step on: given by the test, not learned."""

    best = None

    def __init__(self, sizes, seed):
        self.table, self.steps = np.full((sizes.states, sizes.actions), 1 / sizes.actions), 0

    def policy(self):
        return self.table if self.steps < 10 else self.best

    def update(self, s, a, r, s2):
        self.steps += 1


class OwnLearner(Case):
    def test_rows_are_the_exact_gaps(self):
        mdp = speder.make("simplex", states=20, actions=3, rank=3, gamma=0.9)
        gap = speder.evaluate(mdp, np.zeros(20, dtype=int)).gap
        frame = speder.judge(mdp, Constant, episodes=50, seeds=range(3)).to_pandas()
        np.testing.assert_allclose(frame.gap_last, gap, atol=1e-12)
        np.testing.assert_allclose(frame.regret, frame.n * gap, rtol=1e-12)
        # An episode lasts 1 / (1 - gamma) = 10 steps on average.
        self.assertLess(abs(frame[frame.n == 50].env_steps.mean() - 500), 5 * np.sqrt(50 * 90 / 3))
        Knows.best = speder.solve(mdp).policy
        known = speder.judge(mdp, Knows, episodes=50, seeds=[1])
        self.assertAlmostEqual(known.to_pandas().gap_last.iloc[-1], 0, places=12)
        again = speder.judge(mdp, Knows, episodes=50, seeds=[1])
        np.testing.assert_array_equal(known[0].rows[:, :-1], again[0].rows[:, :-1])
        # Beside ours on the same seeds.
        both = known + speder.learn(mdp, episodes=50, seeds=[1], class_size=20)
        self.assertEqual(set(both.to_pandas().algorithm), {"Knows", "speder"})
        self.assertEqual([row[0] for row in speder.judge(mdp, Constant, episodes=9, grid=[5, 2])[0].rows], [2, 5])
        self.refused(ValueError, "neither act(s) nor policy()", speder.judge, mdp, lambda sizes, seed: object(), episodes=1)
        self.refused(TypeError, "learner: expected a class or function of (sizes, seed), got 'Mine'", speder.judge, mdp, "Mine",
                     episodes=1)
        self.assertRaises(TypeError, lambda: known + 3)
        self.refused(ValueError, "no action 7", speder.judge, mdp,
                     lambda sizes, seed: type("Bad", (), {"act": lambda self, s: 7})(), episodes=1)
        self.refused(ValueError, "act(s): expected a whole number, got 0.7", speder.judge, mdp,
                     lambda sizes, seed: type("Bad", (), {"act": lambda self, s: 0.7})(), episodes=1)


class Studies(Case):
    SETTINGS = {"gamma": 0.8, "c_alpha": 0.003, "c_lambda": 0.01}

    def test_scale_is_the_programs(self):
        told = self.ask("scale", "--family", "needle", "--axis", "rank=8,12,16,20", "--actions", 2, "--gamma", 0.8,
                        "--epsilon", 0.05, "--c-alpha", 0.003, "--c-lambda", 0.01, "--seeds", 3, "--budget", 20_000,
                        "--theory", 4, "-o", "s.db")
        found = speder.scale("needle", axes={"rank": [8, 12, 16, 20]}, actions=2, epsilon=0.05, seeds=3, budget=20_000,
                             theory=4, out=self.path("p.db"), **self.SETTINGS)
        self.assertEqual([s.report for s in found], told["studies"])
        self.assertEqual(found.failed, 0)
        one = speder.read_store(self.path("s.db"), settings=False)
        pandas.testing.assert_frame_equal(found.to_pandas()[one.columns], one)
        self.assertEqual(set(found.to_pandas()["rank"]), {8, 12, 16, 20})
        self.assertEqual(list(found[0].to_pandas()["rank"]), [8, 12, 16, 20])
        self.assertIn("<svg", found._repr_html_())
        # A study that is there is not run again.
        self.assertEqual([s.report for s in speder.scale("needle", axes={"rank": [8, 12, 16, 20]}, actions=2, epsilon=0.05,
                                                        seeds=3, budget=20_000, theory=4, out=self.path("p.db"),
                                                        **self.SETTINGS)], told["studies"])

    def test_mistakes_of_a_study(self):
        for text, settings in (("epsilon", {"axes": {"rank": [8, 10]}}), ("axis", {"axes": {}, "epsilon": 0.1}),
                               ("rnk", {"axes": {"rnk": [8, 10]}, "epsilon": 0.1}), ("axis", {"axes": ["rank"], "epsilon": 1}),
                               ("bonus: expected a name, got None", {"axes": {"rank": [8, 10]}, "epsilon": 0.1, "bonus": None}),
                               ("replan: expected several", {"axes": {"rank": [8, 10]}, "epsilon": 0.1, "replan": None})):
            with self.subTest(text):
                self.refused(ValueError, text, speder.scale, "needle", **settings)
        self.refused(OSError, "none", speder.scale, "needle", axes={"rank": [8, 12]}, epsilon=0.1, out=self.path("none/s.db"))

    def test_rates_of_planted_curves(self):
        rng = np.random.default_rng(0)
        n = np.geomspace(10, 10_000, 13).round()
        rows = [{"seed": s, "n": x, "gap": 3 * x**-0.5 * np.exp(0.1 * rng.standard_normal())} for s in range(30) for x in n]
        fit = speder.fit_rate(pandas.DataFrame(rows), x="n", y="gap", theory=-0.5)
        self.assertTrue(fit.interval[0] < -0.5 < fit.interval[1] and fit.interval[1] - fit.interval[0] < 0.1, fit)
        self.assertEqual(fit.verdict, "consistent")
        self.assertEqual(speder.fit_rate(pandas.DataFrame(rows), x="n", y="gap", theory=-1.0).verdict, "violated")
        self.assertIn("<svg", fit.plot().svg)
        plane = [{"seed": s, "d": d, "A": a, "N": d**3 * a**2 * np.exp(0.2 * rng.standard_normal())}
                 for s in range(40) for d in (4, 8, 16, 32) for a in (2, 4, 8)]
        found = speder.fit_rate(pandas.DataFrame(plane), x=["d", "A"], y="N", theory=[3, 3])
        self.assertEqual((found["d"].verdict, found["A"].verdict), ("tight", "below"))
        # A quantile of 40 runs has an error of about 0.06 here, the slope over 12 of them 0.03.
        self.assertLess(abs(found["A"].exponent - 2), 0.15)
        for text, theory in (("theory: expected a number, got 'a'", "a"), ("2 exponents for one axis", [1, 2])):
            self.refused(ValueError, text, speder.fit_rate, pandas.DataFrame(rows), x="n", y="gap", theory=theory)
        # A list of one name is a plane with one axis, without a warning of pandas.
        ends = pandas.DataFrame([row for row in plane if row["A"] == 2])
        self.assertEqual(list(speder.fit_rate(ends, x=["d"], y="N", theory=[3])), ["d"])
        for text, settings in (("x is empty", {"x": []}), ("x: expected several values, got 3", {"x": 3}),
                               ("y: expected a name, got ['gap']", {"y": ["gap"]}),
                               ("quantile: expected a number, got 'x'", {"quantile": "x"}),
                               ("theory: expected a number", {"theory": 10**400})):
            self.refused(ValueError, text, speder.fit_rate, pandas.DataFrame(rows), **{"x": "n", "y": "gap", **settings})
        for axis in ([0, 1, 2, 3], [-1, 1, 2, 3], list("abcd")):
            wrong = pandas.DataFrame([{"seed": s, "x": x, "N": 5.0} for s in range(3) for x in axis])
            self.refused(ValueError, "x: a power law needs positive numbers", speder.fit_rate, wrong, x=["x"], y="N")
            if axis[1] == 1:
                self.refused(ValueError, "x: a power law needs positive numbers", speder.fit_rate, wrong, x="x", y="N")
        self.refused(TypeError, "data: expected a pandas DataFrame, got list", speder.fit_rate, rows, x="n", y="gap")
        self.refused(ValueError, "no column 'm'", speder.fit_rate, pandas.DataFrame(rows), x="m", y="gap")

    def test_audit(self):
        told = json.loads(self.run_program("audit", "--only", "potential-first", "--only", "simulation-first", "--budget",
                                           300, "--json"))
        found = speder.audit(["potential-first", "simulation-first"], budget=300)
        self.assertEqual(found.index.tolist(), [e["id"] for e in told])
        self.assertEqual(found.verdict.tolist(), ["falsified as printed" if e["id"] == "potential-first" else
                                                  "holds on all tried" for e in told])
        np.testing.assert_array_equal(found.worst_ratio.astype(float), np.array([e["worst_ratio"] for e in told], float))
        self.refused(ValueError, "potential-frst", speder.audit, "potential-frst")
        self.refused(ValueError, "only: expected several values, got None", speder.audit, None)


if __name__ == "__main__":
    main()
