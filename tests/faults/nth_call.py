"""nth_call.py <speder> <shim> [--deep SPEDER_DEEP PACKAGES] [--points N] [--only NAME] [--memory]: the N-th call
fails.

For every command that writes and every kind of call (nth_call.c), the first call fails, then the second, and so on
up to the last (--points 0), or at that many places spread evenly. Each fault comes once, or lasts from then on. Then:
  - the command ends with exit code 0 and has written what an undisturbed one writes, or with 2 (1 where runs of a
    sweep failed) and one line that says why; never by a signal, never in a hang;
  - the same command without the fault gives the undisturbed result, or says in one line what is damaged.
"""
import argparse
import collections
import hashlib
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile

from common import fail

IO = [(kind, error) for kind in ("open", "write", "sync", "rename", "close", "map", "truncate", "unlink")
      for error in ("EIO", "ENOSPC")]
ERRNO = {"EIO": 5, "ENOSPC": 28, "ENOMEM": 12}
SUITE = 'experiment = "planted"\n[quick]\nrepetitions = 6\nx = [1, 4, 16]\n'
LEARN = "learn online --mdp in.h5 --class-size 8 --episodes 40 --seed 3"
TINY = ("--set feature_dim=8 --set feature_hidden=[8] --set critic_width=8 --set actor_hidden=[8] --set batch=8 "
        "--set random_steps=50 --set eval_every=100 --set eval_episodes=1 --checkpoint-every 1")


def store_rows(path):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return repr(sorted(db.execute("SELECT experiment, cell, repetition, status, error, metric, n, value "
                                      "FROM runs LEFT JOIN rows ON run = id")))


def without_seconds(path):
    lines = [line.split(",") for line in pathlib.Path(path).read_text().splitlines()]
    keep = [i for i, name in enumerate(lines[0]) if name != "seconds"]
    return repr([[line[i] for i in keep] for line in lines])


def plain(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


# name: command, what it writes and how two results are compared
COMMANDS = {
    "mdp make": ("mdp make --family lock --seed 2 --out out.h5", "out.h5", plain),
    "mdp import": ("mdp import in.csv --gamma 0.9 --out out.h5", "out.h5", plain),
    "solve": ("solve in.h5 --out out.h5", "out.h5", plain),
    "learn csv": (LEARN + " --out out.csv", "out.csv", without_seconds),
    "learn db": (LEARN + " --out out.db", "out.db", store_rows),
    "learn several": (LEARN + " --algorithm speder --algorithm greedy --seeds 2 -j1 --out out.db", "out.db", store_rows),
    "scale": ("scale --family needle --axis rank=8,12,16,20 --actions 2 --gamma 0.8 --epsilon 0.2 --budget 30 --seeds 2 "
              "-j1 -o out.db", "out.db", store_rows),
    "sweep": ("sweep suite.toml -j1 -o out.db", "out.db", store_rows),
    "audit": ("audit --only simulation-first --findings out.json", "out.json", plain),
    "report": ("report in.db --out out", "out/index.html", plain),
}
DEEP = {
    "deep train": ("train --json --packages {packages} --env CartPole --algorithm sac2 --steps 150 --out out " + TINY,
                   "out/run.db", store_rows),
    "deep data": ("data pointmaze --packages {packages} --layout medium --style diverse --transitions 300 --out out.h5", "out.h5", plain),
}


def environment(kind, error, n, mode, counter):
    return {**os.environ, "LD_PRELOAD": str(ARGS.shim), "SPEDER_FAULT": f"{kind},{ERRNO[error]},{n},{mode}",
            "SPEDER_FAULT_COUNT": str(counter), "OMP_NUM_THREADS": "1"}


def start(command, folder, env=None):
    try:
        return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, errors="replace", timeout=120)
    except subprocess.TimeoutExpired:
        return None


def prepare(folder):
    folder.mkdir()
    for name in os.listdir("inputs"):
        shutil.copy(f"inputs/{name}", folder / name)
    return folder


class Attack:
    def __init__(self, name, command, output, compare):
        self.name, self.command, self.output, self.compare = name, command, output, compare
        self.counter = pathlib.Path("count").absolute()
        got = start(command, prepare(pathlib.Path("clean")))
        if got is None or got.returncode != 0:
            fail(f"{name}: undisturbed: {got and got.stderr}")
        self.expected = compare(f"clean/{output}")
        shutil.rmtree("clean")

    def calls(self, kind, error):
        self.counter.write_bytes(bytes(8))
        start(self.command, prepare(pathlib.Path("count-run")), environment(kind, error, 0, "once", self.counter))
        shutil.rmtree("count-run")
        return int.from_bytes(self.counter.read_bytes(), "little")

    def result(self, folder):
        path = folder / self.output
        return self.compare(path) if path.exists() else None

    def one(self, kind, error, n, mode):
        what = f"{self.name}: {kind} {n} fails with {error} ({mode})"
        folder = prepare(pathlib.Path("struck"))
        self.counter.write_bytes(bytes(8))
        got = start(self.command, folder, environment(kind, error, n, mode, self.counter))
        if got is None:
            fail(f"{what}: hangs")
        lines = [line for line in got.stderr.splitlines() if line and ": warning: " not in line]
        if got.returncode < 0 or got.returncode > 2:
            fail(f"{what}: exit {got.returncode}: {got.stderr[:500]}")
        if got.returncode == 0 and self.result(folder) != self.expected:
            fail(f"{what}: exit 0 and another result")
        if got.returncode == 2 and len(lines) != 1:
            fail(f"{what}: {len(lines)} lines: {got.stderr[:500]}")
        again = start(self.again(folder), folder)
        if again is None or (again.returncode == 0 and self.result(folder) != self.expected):
            fail(f"{what}: the next start gives another result")
        if again.returncode not in (0, 2):
            fail(f"{what}: the next start ends with {again.returncode}: {again.stderr[:500]}")
        shutil.rmtree(folder)
        return "unharmed" if got.returncode == 0 else "refused", "whole" if again.returncode == 0 else "says so"

    def again(self, folder):
        """A training that has a checkpoint goes on when it is told to."""
        resume = self.name == "deep train" and (folder / "out/checkpoint.bin").exists()
        return self.command + (["--resume"] if resume else [])


def points(total):
    if ARGS.points == 0 or total <= ARGS.points:
        return list(range(1, total + 1))
    return sorted({1 + round(i * (total - 1) / (ARGS.points - 1)) for i in range(ARGS.points)})


def attack(name, command, output, compare):
    one = Attack(name, command, output, compare)
    kinds = IO + ([("memory", "ENOMEM")] if ARGS.memory else [])
    tally = collections.Counter()
    for kind, error in kinds:
        total = one.calls(kind, error)
        for mode in ("once", "on"):
            for n in points(total):
                for word in one.one(kind, error, n, mode):
                    tally[word] += 1
    tried = tally["unharmed"] + tally["refused"]
    print(f"{name}: {tried} faults, {tally['refused']} refused, {tally['unharmed']} without effect; "
          f"the next start: {tally['whole']} whole, {tally['says so']} refused in one line", flush=True)
    return tried


def make_inputs():
    os.mkdir("inputs")
    run = lambda *words: subprocess.run([ARGS.speder, *words], cwd="inputs", capture_output=True, check=True)
    run("mdp", "make", "--family", "simplex", "--states", "12", "--actions", "3", "--rank", "3", "--out", "in.h5")
    pathlib.Path("inputs/suite.toml").write_text(SUITE)
    pathlib.Path("inputs/in.csv").write_text("s,a,s',p,r\n0,0,1,1,0.5\n1,0,0,0.5,1\n1,0,1,0.5,1\n")
    run("sweep", "suite.toml", "-o", "in.db")


def main():
    commands = {name: ([ARGS.speder, *text.split()], output, compare)
                for name, (text, output, compare) in COMMANDS.items()}
    if ARGS.deep:
        program, packages = ARGS.deep
        commands |= {name: ([program, *text.format(packages=packages).split()], output, compare)
                     for name, (text, output, compare) in DEEP.items()}
    work = tempfile.mkdtemp()
    try:
        os.chdir(work)
        make_inputs()
        tried = sum(attack(name, *what) for name, what in commands.items() if not ARGS.only or name in ARGS.only)
    finally:
        os.chdir("/")
        shutil.rmtree(work)
    if tried == 0:
        fail("nothing was tried")
    print(f"{tried} faults, no silent loss, no signal, no hang")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("speder", type=os.path.abspath)
    parser.add_argument("shim", type=os.path.abspath)
    parser.add_argument("--deep", nargs=2, type=os.path.abspath)
    parser.add_argument("--points", type=int, default=4)
    parser.add_argument("--only", action="append")
    parser.add_argument("--memory", action="store_true")  # allocations too; not all commands stand it yet
    ARGS = parser.parse_args()
    main()
