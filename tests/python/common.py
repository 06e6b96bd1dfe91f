"""What the tests of the Python module share: the program beside it, and scratch folders."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["SPEDER_PROGRAM"]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_program(self, *words):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def ask(self, *words):
        return json.loads(self.run_program(*words, "--json"))

    def refused(self, kind, text, call, *args, **settings):
        """One line, of that kind, that says what is wrong."""
        with self.assertRaises(kind) as caught:
            call(*args, **settings)
        message = str(caught.exception)
        self.assertIn(text, message)
        self.assertNotIn("\n", message)

    def python(self, code, **options):
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, **options)


def main():
    unittest.main(verbosity=1)
