"""Runs the cells of examples/notebooks in order, without Jupyter, and the snippets of docs/python.md.

`notebooks_test.py --write` keeps what the cells show.

Cells tagged "slow" (training with other people's libraries) run in tests/python/peers alone.
"""

import ast
import contextlib
import io
import json
import os
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["SPEDER_SOURCE"])
FOLDER = SOURCE / "examples/notebooks"


def run_cell(source, names):
    """The value of the last line, as a notebook shows it."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def shown(value):
    for kind, method in (("image/svg+xml", "_repr_svg_"), ("text/html", "_repr_html_")):
        text = getattr(value, method)() if hasattr(value, method) else None
        if text:
            return {kind: text, "text/plain": repr(value)}
    return {"text/plain": repr(value)}


def run(path):
    """Every code cell with what it shows."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code" or "slow" in cell["metadata"].get("tags", []):
            continue
        printed, outputs = io.StringIO(), []
        with contextlib.redirect_stdout(printed):
            value = run_cell("".join(cell["source"]), names)
        if printed.getvalue():
            outputs.append({"output_type": "stream", "name": "stdout", "text": printed.getvalue().splitlines(keepends=True)})
        if value is not None:
            data = {kind: text.splitlines(keepends=True) for kind, text in shown(value).items()}
            outputs.append({"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data})
        cell["outputs"] = outputs
    return notebook


class Notebooks(unittest.TestCase):
    def test_they_run(self):
        found = sorted(FOLDER.glob("*.ipynb"))
        self.assertEqual(len(found), 3)
        for path in found:
            with self.subTest(path.name):
                self.assertLess(path.stat().st_size, 300_000)
                kept = json.loads(path.read_text(encoding="utf-8"))
                pictures = [c for c in kept["cells"] for o in c.get("outputs", []) if "image/svg+xml" in o.get("data", {})]
                self.assertTrue(pictures, "a notebook is kept with its pictures")
                run(path)


class Page(unittest.TestCase):
    def test_the_snippets_run(self):
        snippets = re.findall(r"^```python\n(.*?)^```", (SOURCE / "docs/python.md").read_text(encoding="utf-8"), re.S | re.M)
        self.assertEqual(len(snippets), 4)
        names = {"__name__": "__main__"}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            Path("runs/a").mkdir(parents=True)
            shutil.copy(SOURCE / "deep/policies/ant_direction.h5", "runs/a/policy.h5")
            for snippet in snippets:
                exec(compile(snippet, "docs/python.md", "exec"), names)
            self.assertLessEqual({"hopper", "policy.onnx", "s.db"}, set(os.listdir()))
        # The plane was planted.
        plane = names["speder"].fit_rate(names["yours"], x=["d", "A"], y="N", theory=[4, 2])
        self.assertAlmostEqual(plane["d"].exponent, 3, places=6)
        self.assertEqual((plane["d"].verdict, plane["A"].verdict), ("below", "tight"))
        self.assertTrue(names["found"][0].exponents)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        for file in sorted(FOLDER.glob("*.ipynb")):
            file.write_text(json.dumps(run(file), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            print(file.name, file.stat().st_size)
    else:
        unittest.main()
