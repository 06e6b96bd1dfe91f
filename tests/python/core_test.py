"""speder._core against the command line, by hand, with bad input, under Ctrl-C, on threads, over many calls."""

import ast
import gc
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time
import unittest
import weakref

import h5py
import numpy as np

import speder
from common import Case, main


def chain():
    """Two states: from 0 the one action stays or moves with 1/2, 1 is absorbing; reward 1 in state 1."""
    P = np.array([[[0.5, 0.5]], [[0.0, 1.0]]])
    r = np.array([[0.0], [1.0]])
    return P, r, np.array([1.0, 0.0]), 0.5


class AgainstTheProgram(Case):
    SIZES = ("--states", 60, "--actions", 3, "--rank", 5, "--gamma", 0.95, "--seed", 7)

    def make(self):
        self.run_program("mdp", "make", "--family", "lock", *self.SIZES, "--out", "m.h5")
        return speder.load(self.path("m.h5"))

    def test_a_family_is_the_files_bit_for_bit(self):
        loaded = self.make()
        made = speder.make("lock", states=60, actions=3, rank=5, gamma=0.95, seed=7)
        for name in ("phi", "mu", "nu", "r", "rho", "theta"):
            np.testing.assert_array_equal(getattr(made, name), getattr(loaded, name), strict=True)
        made.save(self.path("again.h5"))
        with open(self.path("again.h5"), "rb") as one, open(self.path("m.h5"), "rb") as other:
            self.assertEqual(one.read(), other.read())
        copy = pickle.loads(pickle.dumps(made))
        np.testing.assert_array_equal(copy.phi, made.phi, strict=True)
        self.assertEqual((copy.family, copy.knobs), (made.family, made.knobs))

    def test_solve(self):
        mdp = self.make()
        for method in ("auto", "pi", "vi", "dense", "sparse"):
            told = self.ask("solve", "m.h5", "--method", method, "--out", f"{method}.h5")
            found = speder.solve(mdp, method)
            with h5py.File(self.path(f"{method}.h5")) as file:
                np.testing.assert_array_equal(found.V, file["V"][:])
                np.testing.assert_array_equal(found.Q, file["Q"][:])
                np.testing.assert_array_equal(found.policy, file["policy"][:])
                np.testing.assert_array_equal(speder.visitation(mdp, found).states, file["visitation"][:])
            for key in ("value", "residual", "error", "gap", "iterations", "method", "termination"):
                self.assertEqual(getattr(found, key), told[key], (method, key))

    def test_spectral_and_conditions(self):
        mdp = self.make()
        for weights in ("uniform", "occupancy"):
            told = self.ask("spectral", "m.h5", "--weights", weights)
            found = speder.spectral(mdp, weights=weights)
            self.assertEqual(found.singular_values.tolist(), told["singular_values"])
            self.assertEqual(found.rank_error.tolist(), told["rank_error"])
            for row, expected in zip(found.table().reset_index().to_dict("records"), told["table1"], strict=True):
                self.assertEqual(row, expected)
        table = mdp.conditions()
        told = self.ask("mdp", "check", "m.h5")
        self.assertEqual(list(table.index), [c["name"] for c in told])
        for c in told:
            self.assertEqual(table.loc[c["name"], "holds"], c["holds"])
            if c["value"] is not None:
                self.assertEqual(table.loc[c["name"], "value"], c["value"])

    def test_tables_are_imported_as_the_program_imports_them(self):
        rng = np.random.default_rng(0)
        P = rng.dirichlet(np.ones(6), size=(6, 2))
        r = rng.uniform(-1, 3, size=(6, 2))
        np.savez(self.path("t.npz"), P=P, r=r, gamma=0.9)
        self.run_program("mdp", "import", "t.npz", "--rescale-rewards", "--out", "t.h5")
        expected, found = speder.load(self.path("t.h5")), speder.MDP(P, r, gamma=0.9, rescale_rewards=True)
        for name in ("phi", "mu", "nu", "r", "rho"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
        self.assertEqual(found.reward_units, expected.reward_units)
        np.testing.assert_allclose(found.P, P, atol=1e-12)


class ByHand(Case):
    def test_a_chain(self):
        P, r, rho, gamma = chain()
        mdp = speder.MDP(P, r, rho, gamma)
        best = speder.solve(mdp)
        # V(1) = 2; V(0) = 1/2 (V(0) + V(1)) / 2, so V(0) = 2/3.
        np.testing.assert_allclose(best.V, [2 / 3, 2], atol=best.error + 1e-15)
        self.assertLess(best.error, 1e-9)
        self.assertAlmostEqual(speder.evaluate(mdp, [0, 0]).gap, 0, places=12)
        # d(0) = (1 - gamma) sum gamma^t 2^-t = 1/2 / (1 - 1/4) = 2/3.
        np.testing.assert_allclose(speder.visitation(mdp, "uniform").states, [2 / 3, 1 / 3], atol=1e-12)

    def test_factors_and_tables_are_the_same_mdp(self):
        mdp = speder.make("simplex", states=30, actions=4, rank=3, gamma=0.9, seed=2)
        again = speder.MDP.from_factors(mdp.phi, mdp.mu, mdp.r, mdp.rho, mdp.gamma, nu=mdp.nu, theta=mdp.theta)
        np.testing.assert_array_equal(speder.solve(again).V, speder.solve(mdp).V)
        dense = speder.MDP(mdp.P, mdp.r, mdp.rho, mdp.gamma)
        self.assertEqual(dense.rank, 3)
        np.testing.assert_allclose(speder.solve(dense).V, speder.solve(mdp).V, atol=1e-9)
        policy = np.random.default_rng(1).dirichlet(np.ones(4), size=30)
        found = speder.evaluate(mdp, policy)
        kernel, reward = np.einsum("sa,sat->st", policy, mdp.P), (policy * mdp.r).sum(1)
        np.testing.assert_allclose(found.V, np.linalg.solve(np.eye(30) - 0.9 * kernel, reward), atol=1e-10)
        self.assertAlmostEqual(found.gap, speder.solve(mdp).value - mdp.rho @ found.V, places=12)

    def test_draws_have_the_law_of_P(self):
        mdp = speder.make("simplex", states=5, actions=2, rank=2, gamma=0.9)
        draws = mdp.simulator(3)
        n = 200_000
        seen = np.bincount(draws.many(np.full(n, 1), np.full(n, 1)), minlength=5) / n
        law = mdp.P[1, 1]
        self.assertLess(np.abs(seen - law).max(), 5 * np.sqrt(0.25 / n))
        again, one = mdp.simulator(4), mdp.simulator(4)  # any shape, any layout, the same stream
        table = again.many([[0, 1, 2], [3, 4, 0]], [[0, 1, 0], [1, 0, 1]])
        self.assertEqual(table.shape, (2, 3))
        np.testing.assert_array_equal(table.ravel(), one.many([0, 1, 2, 3, 4, 0], [0, 1, 0, 1, 0, 1]))
        self.refused(ValueError, "no action 2", draws.step, 0, 2)


class Arrays(Case):
    def test_views_are_read_only_and_keep_the_mdp_alive(self):
        mdp = speder.make("simplex", states=60, actions=3, rank=5)
        phi, copy = mdp.phi, np.array(mdp.phi)
        self.assertFalse(phi.flags.writeable)
        self.assertFalse(phi.flags.owndata)
        self.assertIs(np.shares_memory(phi, mdp.phi), True)  # no copy is made
        del mdp
        gc.collect()
        np.testing.assert_array_equal(phi, copy)
        sparse = speder.make("lock", states=60, actions=3, rank=5).phi  # a copy, which looks as a view does
        self.assertEqual((sparse.flags.writeable, sparse.flags.owndata), (False, False))

    def test_any_layout_of_good_numbers_is_taken(self):
        P, r, rho, gamma = chain()
        expected = speder.solve(speder.MDP(P, r, rho, gamma)).V
        frozen = P.copy()
        frozen.flags.writeable = False
        for table in (np.asfortranarray(P), P.astype("f4"), P.astype(">f8"), P[::1], P.tolist(), frozen,
                      np.repeat(P, 2, axis=2)[:, :, ::2]):
            np.testing.assert_array_equal(speder.solve(speder.MDP(table, r, rho, gamma)).V, expected)

    def test_factors_may_be_read_where_they_lie(self):
        made = speder.make("simplex", states=60, actions=3, rank=5, gamma=0.9)
        phi, mu = np.array(made.phi), np.array(made.mu)

        def of(phi, mu, **settings):
            return speder.MDP.from_factors(phi, mu, made.r, made.rho, made.gamma, nu=made.nu, **settings)

        own, lent = of(phi, mu), of(phi, mu, copy=False)
        self.assertFalse(np.shares_memory(own.phi, phi) or np.shares_memory(own.mu, mu))
        self.assertTrue(np.shares_memory(lent.phi, phi) and np.shares_memory(lent.mu, mu))
        self.assertFalse(lent.phi.flags.writeable)
        # Where our own tables cannot lie, sums might come out with other digits: that one is copied.
        odd = next(part for part in (np.empty(phi.size + 1)[i:][:phi.size] for i in (0, 1)) if part.ctypes.data % 16)
        odd[:] = phi.reshape(-1)
        copied = of(odd.reshape(phi.shape), mu, copy=False)
        self.assertFalse(np.shares_memory(copied.phi, odd))
        lent.save(self.path("lent.h5"))
        best, policy = speder.solve(own), np.random.default_rng(0).dirichlet(np.ones(3), size=60)
        for other in (lent, copied, of(phi.tolist(), np.asfortranarray(mu), copy=False), speder.load(self.path("lent.h5"))):
            found = speder.solve(other)
            for name in ("V", "Q", "policy"):
                np.testing.assert_array_equal(getattr(found, name), getattr(best, name))
            self.assertEqual((found.error, found.gap), (best.error, best.gap))
            np.testing.assert_array_equal(speder.evaluate(other, policy).V, speder.evaluate(own, policy).V)
            np.testing.assert_array_equal(speder.visitation(other, policy).pairs, speder.visitation(own, policy).pairs)
            np.testing.assert_array_equal(speder.spectral(other).singular_values, speder.spectral(own).singular_values)
            np.testing.assert_array_equal(other.simulator(1).many([5] * 99, [1] * 99), own.simulator(1).many([5] * 99, [1] * 99))
        seen, expected = lent.phi, phi.copy()
        array = weakref.ref(phi)
        del phi, lent, other
        gc.collect()
        np.testing.assert_array_equal(seen, expected)  # a view keeps the MDP, the MDP keeps the array
        del seen
        gc.collect()
        self.assertIsNone(array())
        self.refused(ValueError, "phi[0, 0, 0] = nan", of, np.full((60, 3, 5), np.nan), mu, copy=False)

    def test_bad_arrays_get_one_clear_error(self):
        P, r, rho, gamma = chain()

        def changed(array, at, value):
            out = np.array(array, dtype=float)
            out[at] = value
            return out

        cases = [
            ("P: has shape (2, 2)", P[:, 0], r, rho, gamma),
            ("P.transpose(1, 0, 2) has it", np.ones((1, 2, 2)) / 2, np.ones((1, 2)), [1.0], gamma),
            ("r: has shape (2,)", P, r[:, 0], rho, gamma),
            ("rho: has shape (3,)", P, r, [1, 0, 0], gamma),
            ("P: has dtype complex128", P * 1j, r, rho, gamma),
            ("P: has dtype object", np.full((2, 1, 2), None), r, rho, gamma),
            ("P: has dtype <U", np.full((2, 1, 2), "a"), r, rho, gamma),
            ("P[0, 0, 1] = nan", changed(P, (0, 0, 1), np.nan), r, rho, gamma),
            ("r[1, 0] = inf", P, changed(r, (1, 0), np.inf), rho, gamma),
            ("must not be negative", changed(P, (0, 0), [-0.5, 1.5]), r, rho, gamma),
            ("sums to", changed(P, (0, 0), [0.5, 0.4]), r, rho, gamma),
            ("[0, 1]", P, changed(r, (1, 0), 2.0), rho, gamma),
            ("rho", P, r, [0.5, 0.4], gamma),
            ("P: has shape (0, 1, 0)", np.zeros((0, 1, 0)), np.zeros((0, 1)), [], gamma),
            ("gamma", P, r, rho, 1.0),
            ("gamma", P, r, rho, float("nan")),
            ("not a regular array", [[[1.0]], [[1.0, 2.0]]], r, rho, gamma),
            ("P: has masked entries", np.ma.masked_greater(P, 0.9), r, rho, gamma),
        ]
        for text, *args in cases:
            with self.subTest(text):
                self.refused(ValueError, text, speder.MDP, *args)
        mdp = speder.MDP(P, r, rho, gamma)
        for text, policy in (("action 1 in state 0", [1, 0]), ("policy: has shape (3,)", [0, 0, 0]),
                             ("whole numbers", [0.5, 0]), ("policy", [[0.5], [1.0]]), ("not one", "best"),
                             ("policy: has dtype complex", [1j, 0])):
            with self.subTest(text):
                self.refused(ValueError, text, speder.evaluate, mdp, policy)
        self.refused(ValueError, "mu: has shape", speder.MDP.from_factors, np.ones((2, 1, 1)), np.ones((3, 1)), r)
        for at, value in (((0, 0, 0), np.nan), ((1, 0, 1), -np.inf)):
            wrong = changed(np.full((2, 1, 2), 0.5), at, value)
            self.refused(ValueError, f"phi{list(at)} = {value}: it must be finite", speder.MDP.from_factors, wrong,
                         np.eye(2), r)
        self.refused(ValueError, "sums to", speder.MDP.from_factors, np.full((2, 1, 2), 0.4), np.eye(2), r)
        self.refused(ValueError, "did you mean lock", speder.make, "lok")
        self.refused(ValueError, "slop", speder.make, "lock", slop=0.1)
        self.refused(ValueError, "did you mean", speder.solve, mdp, "autoo")
        self.refused(TypeError, "expected an MDP, got str", speder.solve, "m.h5")

    def test_bad_numbers_get_one_clear_error(self):
        P, r, rho, gamma = chain()
        mdp = speder.MDP(P, r, rho, gamma)
        for text, call in (
                ("states: expected a whole number, got 2.5", lambda: speder.make("lock", states=2.5)),
                ("states: expected a whole number, got 'many'", lambda: speder.make("lock", states="many")),
                ("states must be at least 0", lambda: speder.make("lock", states=-1)),
                ("seed must be at least 0", lambda: speder.make("lock", seed=-1)),
                ("seed must be at most", lambda: speder.make("lock", seed=2**64)),
                ("rank: expected a whole number, got True", lambda: speder.MDP(P, r, rho, gamma, rank=True)),
                ("family: expected a name, got 3", lambda: speder.make(3)),
                ("slip: expected a number, got 'x'", lambda: speder.make("lock", slip="x")),
                ("gamma: expected a number, got None", lambda: speder.MDP(P, r, gamma=None)),
                ("gamma: expected a number, got 'a'", lambda: speder.MDP.from_factors(P, np.eye(2), r, gamma="a")),
                ("method: expected a name, got 3", lambda: speder.solve(mdp, 3)),
                ("residual: expected a number", lambda: speder.solve(mdp, residual=[1])),
                ("weights: expected a name, got None", lambda: speder.spectral(mdp, weights=None)),
                ("states: has dtype float64", lambda: mdp.simulator().many([0.5], [0])),
                ("actions: have shape (1,), the states (2,)", lambda: mdp.simulator().many([0, 1], [0])),
                ("state: expected a whole number, got 0.5", lambda: mdp.simulator().step(0.5, 0)),
                ("top: expected", lambda: speder.spectral(mdp, top=1.5)),
                ("states: has dtype float64", lambda: mdp.simulator().many([np.inf], [0])),
                ("gamma: expected a number", lambda: speder.MDP(P, r, gamma=10**400)),
                ("gamma: expected a number, got masked", lambda: speder.MDP(P, r, gamma=np.ma.masked)),
                ("states: expected a whole number, got array([[0., 0.], [0.,", lambda: speder.make("lock", states=np.zeros((9, 2)))),
                ("a path has no null character", lambda: speder.load("a\0b")),
                ("mark: expected a name", lambda: speder.figure([1, 2], {"a": [1, 2]}, mark=None)),
                ("a: has shape (3,), expected (points,) = (2)", lambda: speder.figure([1, 2], {"a": [1, 2, 3]})),
                ("a: a band is (middle, low, high), got 2 parts", lambda: speder.figure([1, 2], {"a": ([1, 2], [1, 2])})),
                ("policy: None", lambda: speder.evaluate(mdp, None)),
                ("policy: <function", lambda: speder.evaluate(mdp, lambda s: 0))):
            with self.subTest(text):
                self.refused(ValueError, text, call)
        self.assertEqual(speder.make("lock", states=np.int64(60), actions=3.0, rank=5).states, 60)
        self.refused(TypeError, "expected what solve(mdp) gives, got bool", speder.evaluate, mdp, [0, 0], True)
        self.refused(TypeError, "series: expected {label: curve}, got list", speder.figure, [1, 2], [1, 2])
        mdp.save(os.fsencode(self.path("bytes.h5")))
        self.assertEqual(speder.load(os.fsencode(self.path("bytes.h5"))).states, 2)

    def test_type_checkers_see_the_names(self):
        """They read the file as text: a list that is computed, or a name that any name satisfies, tells them nothing."""
        with open(speder.__file__) as file:
            tree = ast.parse(file.read())
        for_checkers = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                for part in node.body:
                    if part.module:
                        for_checkers[part.module] = tuple(name.name for name in part.names)
        self.assertEqual({name: set(of) for name, of in for_checkers.items()}, {name: set(of) for name, of in speder._LATER.items()})
        written, = (node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
        names = ast.literal_eval(written)
        self.assertEqual(names, sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name)))
        self.assertLessEqual(set(speder._HOME), set(names))
        self.assertFalse([node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "__getattr__"])

    def test_help_needs_nothing_else(self):
        done = self.python("import sys\nsys.modules.update(dict.fromkeys(('gymnasium', 'pandas')))  # not installed\n"
                           "from speder import *\nimport pydoc, speder\n"
                           "print('fit_rate(' in pydoc.plain(pydoc.render_doc(speder)), 'TaskEnv' in dir(speder))\n"
                           "speder.TaskEnv")
        self.assertEqual(done.stdout, "True False\n", done.stderr)
        self.assertIn("ImportError: environments need gymnasium", done.stderr)

    def test_objects_say_what_they_are(self):
        P, r, rho, gamma = chain()
        mdp = speder.MDP(P, r, rho, gamma)
        self.assertEqual(repr(mdp), "MDP(2 states, 1 action, rank 2, gamma 0.5)")
        self.assertEqual(repr(speder.make("lock", states=60, actions=3, rank=5, gamma=0.9)),
                         "MDP(lock: 60 states, 3 actions, rank 5, gamma 0.9)")
        one, other = speder.solve(mdp), speder.solve(mdp)
        self.assertTrue(one == one and one != other)  # by identity: arrays have no truth value
        self.assertTrue(repr(one).startswith("Solution(value="))
        for name in set(speder.__all__) - set(speder._LATER["envs"]):  # those need gymnasium
            self.assertTrue(getattr(speder, name).__doc__, name)

    def test_files(self):
        mdp = speder.make("lock", states=60, actions=3, rank=5)
        self.refused(OSError, "no such file", speder.load, self.path("none.h5"))
        self.refused(OSError, "none", mdp.save, self.path("none/m.h5"))
        with open(self.path("bad.h5"), "w") as file:
            file.write("not HDF5")
        self.refused(ValueError, "not an HDF5 file", speder.load, self.path("bad.h5"))


class Machine(Case):
    def test_ctrl_c(self):
        """A learner that heeds the signal, a decomposition that does not: both are left at once, and so is Python.

        A call that ended before the signal is made again, so that the signal always finds one. One that could not be
        left would keep the test waiting for its limit: alone the first takes hours, the second minutes.
        """
        for call in ("speder.learn(m, episodes=10**10, seeds=range(4), class_size=200)",
                     "speder.spectral(big, method='dense', table=False)",
                     "speder.audit(budget=10**10)"):
            code = ("import signal, speder, sys\n"
                    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs ignore it
                    "m = speder.make('simplex', states=50, actions=5, rank=4)\n"
                    "big = speder.make('simplex', states=3000, actions=4, rank=4)\n"
                    f"try:\n  print('ready', flush=True)\n  while True:\n    {call}\n"
                    "except KeyboardInterrupt:\n  print('interrupted')\n  sys.exit(7)\n")
            with self.subTest(call), subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                                                      stderr=subprocess.PIPE, text=True) as child:
                try:
                    self.assertEqual(child.stdout.readline(), "ready\n")
                    time.sleep(0.5)  # most likely inside the call; before it the signal is seen as well
                    child.send_signal(signal.SIGINT)
                    self.assertEqual(child.communicate(timeout=120), ("interrupted\n", ""))
                    self.assertEqual(child.returncode, 7)
                finally:
                    child.kill()

    def test_ctrl_c_with_arrays_of_python(self):
        """A decomposition that was left ends while Python ends; the arrays that it reads are Python's."""
        code = ("import numpy, signal, speder, sys\n"
                "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
                "m = speder.make('simplex', states=300, actions=4, rank=4)\n"
                "lent = speder.MDP.from_factors(numpy.array(m.phi), numpy.array(m.mu), m.r, nu=m.nu, copy=False)\n"
                "try:\n  print('ready', flush=True)\n  while True:\n    speder.spectral(lent, method='dense', table=False)\n"
                "except KeyboardInterrupt:\n  del lent\n  sys.exit(7)\n")
        for k in range(8):  # the signal comes early or late in a call
            with self.subTest(k), subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                                                   stderr=subprocess.PIPE, text=True) as child:
                try:
                    self.assertEqual(child.stdout.readline(), "ready\n")
                    time.sleep(0.3 + 0.03 * k)
                    child.send_signal(signal.SIGINT)
                    self.assertEqual(child.communicate(timeout=120), ("", ""))
                    self.assertEqual(child.returncode, 7)
                finally:
                    child.kill()

    def test_two_threads_two_mdps(self):
        mdps = [speder.make("simplex", states=400, actions=8, rank=20, gamma=0.99, seed=s) for s in (1, 2)]
        alone = [speder.solve(m, "vi").V for m in mdps]
        found = {}

        def work(i):
            found[i] = [speder.solve(mdps[i], "vi").V for _ in range(5)]

        threads = [threading.Thread(target=work, args=(i,)) for i in (0, 1)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for i in (0, 1):
            for V in found[i]:
                np.testing.assert_array_equal(V, alone[i])

    def test_the_lock_is_free_while_the_core_works(self):
        """A thread that only counts gets its share of the CPU during calls, on the main thread and on another one."""
        mdp = speder.make("simplex", states=700, actions=8, rank=20, gamma=0.999)
        ended, counted = threading.Event(), [0.0]

        def count():
            while not ended.is_set():
                counted[0] = time.thread_time()

        def calls():
            # The kernel's scheduler gives two busy threads about the same; a lock that is held all through a call
            # lets the counter run for the interpreter's 5 ms before and after it.
            core, before, n = 0.0, counted[0], 0
            while core < 1.0:
                start = time.process_time() - counted[0]
                speder.spectral(mdp, method="dense", table=False)
                core += time.process_time() - counted[0] - start
                n += 1
            share.append((counted[0] - before - n * 0.01) / core)

        share = []
        counter = threading.Thread(target=count)
        counter.start()
        try:
            calls()
            other = threading.Thread(target=calls)
            other.start()
            other.join()
        finally:
            ended.set()
            counter.join()
        self.assertGreater(min(share), 0.1, share)

    def test_no_leak_over_100_000_calls(self):
        P, r, rho, gamma = chain()
        mdp = speder.MDP(P, r, rho, gamma)
        policy = np.zeros(2, dtype=np.int64)

        def calls(n):
            for _ in range(n):
                speder.solve(mdp).V.sum()
                mdp.phi.sum()
                try:
                    speder.evaluate(mdp, [5, 5])
                except ValueError:
                    pass
                speder.visitation(mdp, policy)
            gc.collect()
            return resident()

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        before = calls(5_000)
        after = calls(20_000)  # 80,000 calls
        for _ in range(20_000):
            speder.MDP.from_factors(mdp.phi, mdp.mu, mdp.r, mdp.rho, gamma)
        gc.collect()
        self.assertLess(after - before, 2 << 20)  # 27 bytes a call
        self.assertLess(resident() - after, 2 << 20)

    def test_import_is_quick_and_light(self):
        """0.3 s of CPU, interpreter and numpy included; on a machine where numpy alone takes 0.1 s, three times that."""
        code = ("import {}, resource, sys\n"
                "print(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))\n"
                "print([m for m in ('pandas', 'gymnasium', 'torch', 'mujoco') if m in sys.modules])")
        seconds = {"speder": [], "numpy": []}
        for _ in range(3):
            for name, found in seconds.items():
                spent, loaded = self.python(code.format(name)).stdout.splitlines()
                self.assertEqual(loaded, "[]")
                found.append(float(spent))
        self.assertLess(min(seconds["speder"]), max(0.3, 3 * min(seconds["numpy"])), seconds)


if __name__ == "__main__":
    main()
