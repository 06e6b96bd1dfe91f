"""nth_call.py <speder> <shim> [--deep SPEDER_DEEP PACKAGES] [--points N] [--kinds KIND[,KIND]...] [--only NAME]...

The N-th call fails. For every command that writes (nth_commands.py) and every kind of call (nth_call.c), the first
call fails, then the second, and so on up to the last (--points 0), or at that many places spread evenly. Each fault
comes once, or lasts from then on. Then:
  - the command ends with exit code 0 and has written what an undisturbed one writes, every file of it, or with 2 (1
    where runs of a sweep failed) and one line that says why; never by a signal, never in a hang;
    Where a file or folder could not be written through it does not end with 0 without a word.
  - the same command without the fault gives the undisturbed result, or says in one line what is damaged.
Prints a table of what was tried; every departure is printed as it is found, and the exit code is 1.
"""
import argparse
import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from common import fail
from nth_commands import COMMANDS, DEEP, LONG, everything, make_inputs, parses

IO = [(kind, error) for kind in ("open", "folder", "write", "sync", "rename", "close", "map", "truncate", "unlink")
      for error in ("EIO", "ENOSPC")] + [("through", "EIO"), ("read", "EIO"), ("garble", "EIO")]
MEMORY = [("memory", "ENOMEM")]
KINDS = {"io": IO, "all": IO + MEMORY}  # or kinds of nth_call.c by their names
ERRNO = {"EIO": 5, "ENOSPC": 28, "ENOMEM": 12}
MOST_SHOWN = 10  # departures of one command that are printed


def pairs(words):
    """The kinds and their errors that --kinds names."""
    if words in KINDS:
        return KINDS[words]
    chosen = [pair for pair in IO + MEMORY if pair[0] in words.split(",")]
    if {kind for kind, _ in chosen} != set(words.split(",")):
        raise argparse.ArgumentTypeError(f"one of {', '.join([*KINDS, *dict(IO)])}, or several kinds with commas")
    return chosen


def environment(kind, error, n, mode, counter):
    return {**os.environ, "LD_PRELOAD": str(ARGS.shim), "SPEDER_FAULT": f"{kind},{ERRNO[error]},{n},{mode}",
            "SPEDER_FAULT_COUNT": str(counter), "OMP_NUM_THREADS": "1"}


def start(command, folder, env=None):
    try:
        return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, errors="replace",
                              timeout=ARGS.patience)
    except subprocess.TimeoutExpired:
        return None


def prepare(folder):
    shutil.copytree("inputs", folder)
    return folder


class Attack:
    def __init__(self, name, command, output, compare):
        self.name, self.command, self.output, self.compare = name, command, output, compare
        self.counter = pathlib.Path("count").absolute()
        got = start(command, prepare(pathlib.Path("clean")))
        if got is None or got.returncode != 0:
            fail(f"{name}: undisturbed: {got and got.stderr}")
        self.expected = self.result(pathlib.Path("clean"))
        self.whole = self.files(pathlib.Path("clean"))
        shutil.rmtree("clean")

    def calls(self, kind, error):
        self.counter.write_bytes(bytes(8))
        start(self.command, prepare(pathlib.Path("count-run")), environment(kind, error, 0, "once", self.counter))
        shutil.rmtree("count-run")
        return int.from_bytes(self.counter.read_bytes(), "little")

    def result(self, folder):
        if self.output is None:
            return None
        path = folder / self.output
        return self.compare(path) if path.exists() else None

    def files(self, folder):
        """Beside the result: every other file, but of a command whose pages hold many times."""
        return {} if self.compare in (None, parses) else everything(folder, pathlib.Path("inputs"))

    def departure(self, kind, got, folder):
        """What the struck command does that it must not, or nothing."""
        if got is None:
            return "hangs"
        # A long command says how far it is; MuJoCo's own last words may come before ours.
        counts = (lambda line: ": error: " in line) if self.name.startswith("deep") else (lambda line: ": warning: " not in line)
        lines = [line for line in got.stderr.splitlines() if line and counts(line)]
        if got.returncode < 0 or got.returncode > 2:
            return f"exit {got.returncode}: {got.stderr[:300]}"
        if got.returncode == 0 and self.result(folder) != self.expected:
            return "exit 0 and another result"
        said = [line for line in got.stderr.splitlines() if ": warning: " in line]
        if got.returncode == 0 and kind == "through" and not said:
            return "exit 0, and it was not written through"
        if got.returncode == 0:
            found = self.files(folder)
            other = [name for name in sorted({*found, *self.whole}) if found.get(name) != self.whole.get(name)
                     and not any(f"no {pathlib.Path(name).name}: " in line  # a training's picture
                                 or f"{pathlib.Path(name).name}: could not be removed" in line for line in said)]
            if other:
                return f"exit 0 and other files: {', '.join(other[:5])}"
        if got.returncode == 2 and len(lines) != 1:
            return f"{len(lines)} lines: {got.stderr[:300]}"
        return None

    def departure_again(self, again, folder):
        if again is None:
            return "the next start hangs"
        if again.returncode == 0 and self.result(folder) != self.expected:
            return "the next start gives another result"
        if again.returncode not in (0, 2):
            return f"the next start ends with {again.returncode}: {again.stderr[:300]}"
        return None

    def one(self, kind, error, n, mode):
        folder = prepare(pathlib.Path("struck"))
        self.counter.write_bytes(bytes(8))
        got = start(self.command, folder, environment(kind, error, n, mode, self.counter))
        wrong = self.departure(kind, got, folder)
        again = None
        if wrong is None and self.output is not None:
            again = start(self.again(folder), folder)
            wrong = self.departure_again(again, folder)
        shutil.rmtree(folder)
        if wrong is not None:
            return [f"{self.name}: {kind} {n} fails with {error} ({mode}): {wrong}"], ["failed"]
        words = ["unharmed" if got.returncode == 0 else "refused"]
        return [], words + ["says so" if again is not None and again.returncode == 2 else "whole"]

    def again(self, folder):
        """A training that has a checkpoint goes on when it is told to."""
        resume = self.name == "deep train" and (folder / "out/checkpoint.bin").exists()
        return self.command + (["--resume"] if resume else [])


def points(total):
    if ARGS.points == 0 or total <= ARGS.points:
        return list(range(1, total + 1))
    return sorted({1 + round(i * (total - 1) / max(1, ARGS.points - 1)) for i in range(ARGS.points)})


def attack(name, command, output, compare):
    one = Attack(name, command, output, compare)
    tally, departures, calls = collections.Counter(), [], 0
    for kind, error in ARGS.kinds:
        total = one.calls(kind, error)
        calls += total if error != "ENOSPC" else 0
        for mode in ("once", "on"):
            if ARGS.brief and (mode == "once") != (error == "EIO"):
                continue
            for n in points(total):
                wrong, words = one.one(kind, error, n, mode)
                tally.update(words)
                departures += wrong
                if wrong and len(departures) <= MOST_SHOWN:
                    print(f"FAILED: {wrong[0]}", file=sys.stderr, flush=True)
    tried = tally["unharmed"] + tally["refused"] + tally["failed"]
    print(f"| {name} | {calls} | {tried} | {tally['refused']} | {tally['unharmed']} | {tally['says so']} | "
          f"{tally['failed']} |", flush=True)
    return tried, tally["failed"]


def main():
    chosen = dict(COMMANDS)
    if ARGS.only:
        chosen = {name: what for name, what in (COMMANDS | LONG).items() if name in ARGS.only}
    commands = {name: ([ARGS.speder, *text.split()], output, compare) for name, (text, output, compare) in chosen.items()}
    if ARGS.deep:
        program, packages = ARGS.deep
        commands |= {name: ([program, *text.format(packages=packages).split()], output, compare)
                     for name, (text, output, compare) in DEEP.items() if not ARGS.only or name in ARGS.only}
    work = tempfile.mkdtemp()
    try:
        os.chdir(work)
        make_inputs(ARGS.speder)
        print("| command | calls | faults tried | refused in one line | no effect | next start refused in one line | failed |")
        print("|---|---|---|---|---|---|---|")
        counts = [attack(name, *what) for name, what in commands.items()]
    finally:
        os.chdir("/")
        shutil.rmtree(work)
    tried, failed = (sum(column) for column in zip(*counts)) if counts else (0, 0)
    if tried == 0:
        fail("nothing was tried")
    if failed:
        fail(f"{failed} of {tried} faults")
    print(f"{tried} faults, no silent loss, no signal, no hang")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("speder", type=os.path.abspath)
    parser.add_argument("shim", type=os.path.abspath)
    parser.add_argument("--deep", nargs=2, type=os.path.abspath)
    parser.add_argument("--points", type=int, default=4)
    parser.add_argument("--only", action="append")
    parser.add_argument("--kinds", type=pairs, default="io")
    parser.add_argument("--brief", action="store_true")  # EIO once and ENOSPC from then on, half of the pairs
    parser.add_argument("--patience", type=float, default=120)  # seconds after which a command hangs
    ARGS = parser.parse_args()
    main()
