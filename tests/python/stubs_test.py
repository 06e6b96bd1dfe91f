"""The stubs beside the package are those of the modules. `stubs_test.py --write` makes them again."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import speder

PACKAGE = Path(os.environ["SPEDER_SOURCE"]) / "python/speder"
MODULES = [name for name in ("_core", "_tasks") if list(Path(speder.__file__).parent.glob(f"{name}.*.so"))]


def stub(module):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "stub.pyi"
        subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "--exclude-values", "-i",
                        str(Path(speder.__file__).parent), "-m", module, "-o", str(out)], check=True)
        return out.read_text()


class Stubs(unittest.TestCase):
    def test_they_are_the_modules(self):
        self.assertIn("_core", MODULES)
        for module in MODULES:
            self.assertEqual((PACKAGE / f"{module}.pyi").read_text(), stub(module))


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        for name in MODULES:
            (PACKAGE / f"{name}.pyi").write_text(stub(name))
    else:
        unittest.main()
