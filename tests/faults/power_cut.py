"""power_cut.py <speder> <recorder> [--deep SPEDER_DEEP PACKAGES] [--cuts N] [--seed NAME] [--only NAME]...

The power fails. power_log.c writes down every call of a command that changes the disk. For a moment between two of
them (N random ones, or every one with --cuts 0) the disk is made that a machine may find afterwards: of each file what
was written through, of each folder the names that were written through; of the rest the blocks of 4 KiB and the names
that a coin allows (nothing, some, all; names in their order). Blocks are not torn.
  - A finished file is whole or not there. After the end of the command it is there.
  - The same command then gives the undisturbed result, or says in one line what is damaged.
"""
import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from common import PAGE, fail
from nth_commands import COMMANDS, DEEP, make_inputs

WHOLE = ("plain", "without_seconds", "parses")  # files that are there at once, unlike stores


class Node:
    """A file: what the disk holds, and what is on its way."""

    def __init__(self, data=b""):
        self.disk, self.pending = bytearray(data), []

    def write(self, at, data):
        for start in range(0, len(data), PAGE):
            self.pending.append((at + start, data[start:start + PAGE]))

    def cut(self, size):
        self.pending.append((size, None))

    @staticmethod
    def apply(disk, at, data):
        if data is None:
            del disk[at:]
            disk.extend(bytes(at - len(disk)))
        else:
            disk.extend(bytes(max(0, at - len(disk))))
            disk[at:at + len(data)] = data

    def through(self):
        for step in self.pending:
            self.apply(self.disk, *step)
        self.pending = []

    def survived(self, chance):
        disk = bytearray(self.disk)
        for step in self.pending:
            if chance():
                self.apply(disk, *step)
        return bytes(disk)


class Disk:
    def __init__(self, root):
        self.names = {str(path): Node(path.read_bytes()) for path in root.rglob("*") if path.is_file()}
        self.folders, self.live, self.nodes, self.pending = {str(root)}, dict(self.names), {}, []
        self.inputs = set(self.names)

    def step(self, kind, inode, a, data, first, second):
        if kind == "C":
            if a == 1 or inode not in self.nodes:
                self.nodes[inode] = Node() if a == 1 else self.live.setdefault(first, Node())
            if a == 1:
                self.live[first] = self.nodes[inode]
                self.pending.append(("add", first, self.nodes[inode]))
        elif kind == "W" and inode in self.nodes:
            self.nodes[inode].write(a, data)
        elif kind == "T" and inode in self.nodes:
            self.nodes[inode].cut(a)
        elif kind == "S" and inode in self.nodes:
            self.nodes[inode].through()
        elif kind == "R":
            if first in self.live:
                self.live[second] = self.live.pop(first)
                self.pending.append(("move", second, (first, self.live[second])))
        elif kind == "U":
            self.live.pop(first, None)
            self.pending.append(("drop", first, None))
        elif kind == "M":
            self.pending.append(("folder", first, None))
        elif kind == "D":
            mine = [step for step in self.pending if os.path.dirname(step[1]) == first]
            self.pending = [step for step in self.pending if os.path.dirname(step[1]) != first]
            for step in mine:
                self.name(self.names, self.folders, *step)

    @staticmethod
    def name(names, folders, what, path, more):
        if what == "add":
            names[path] = more
        elif what == "move":
            names.pop(more[0], None)
            names[path] = more[1]
        elif what == "drop":
            names.pop(path, None)
        else:
            folders.add(path)

    def after_cut(self, rng, root, target):
        """Makes in `target` the disk that is found after the power fails now."""
        share = rng.choice([0, 0, 0.5, 1])
        names, folders, stopped = dict(self.names), set(self.folders), set()
        for step in self.pending:
            folder = os.path.dirname(step[1])
            if folder in stopped or rng.random() >= share:
                stopped.add(folder)
            else:
                self.name(names, folders, *step)
        for folder in sorted(folders):
            (target / os.path.relpath(folder, root)).mkdir(parents=True, exist_ok=True)
        for path, node in names.items():
            if os.path.dirname(path) in folders:
                (target / os.path.relpath(path, root)).write_bytes(node.survived(lambda: rng.random() < share))


def records(path):
    data, at = path.read_bytes(), 0
    while at < len(data):
        end = data.index(b"\n", at)
        kind, inode, a, size, paths = data[at:end].decode().split(" ", 4)
        first, second = paths.split("|")
        body = data[end + 1:end + 1 + int(size)]
        at = end + 1 + int(size)
        yield kind, int(inode), int(a), body, first, second


def start(command, folder, **more):
    try:
        return subprocess.run(command, cwd=folder, env={**os.environ, **more}, capture_output=True, text=True,
                              errors="replace", timeout=240)
    except subprocess.TimeoutExpired:
        return None


def check(name, command, output, compare, target, ended, expected):
    """What is wrong with this disk, or the word for how it goes on."""
    path = target / output
    if path.exists() and compare.__name__ in WHOLE and compare(path) != expected:
        return "a finished file with other bytes", None
    if ended and not (path.exists() and compare(path) == expected):
        return "lost after exit code 0", None
    resume = ["--resume"] if name == "deep train" and any((target / "out").glob("checkpoint*.bin")) else []
    again = start(command + resume, target)
    if again is None or again.returncode not in (0, 2):
        return f"the next start ends with {again and again.returncode}: {again and again.stderr[:300]}", None
    if again.returncode == 2:
        lines = [line for line in again.stderr.splitlines() if line and ": warning: " not in line]
        return (None if len(lines) == 1 else f"{len(lines)} lines: {again.stderr[:300]}"), "refused"
    return (None if compare(path) == expected else "the next start gives another result"), "whole"


def attack(name, command, output, compare):
    rng = random.Random(f"{ARGS.seed} {name}")
    root = pathlib.Path("recorded").absolute()
    shutil.copytree("inputs", root)
    log = pathlib.Path("log").absolute()
    log.unlink(missing_ok=True)
    disk = Disk(root)
    got = start(command, root, LD_PRELOAD=str(ARGS.recorder), SPEDER_POWER_LOG=str(log))
    if got is None or got.returncode != 0:
        fail(f"{name}: undisturbed: {got and got.stderr}")
    expected = compare(root / output)
    steps = [step for step in records(log)]
    moments = range(len(steps) + 1) if ARGS.cuts == 0 else {len(steps), *rng.choices(range(len(steps)), k=ARGS.cuts - 1)}
    tally, wrong = {"whole": 0, "refused": 0}, 0
    for moment in range(len(steps) + 1):
        if moment in moments:
            target = pathlib.Path("after")
            disk.after_cut(rng, root, target)
            problem, word = check(name, command, output, compare, target, moment == len(steps), expected)
            shutil.rmtree(target)
            if problem:
                wrong += 1
                print(f"FAILED: {name}: cut at {moment} of {len(steps)} ({' '.join(map(str, steps[moment - 1][:3]))}): "
                      f"{problem}", file=sys.stderr, flush=True)
            else:
                tally[word] += 1
        if moment < len(steps):
            disk.step(*steps[moment])
    shutil.rmtree(root)
    print(f"| {name} | {len(steps)} | {len(set(moments))} | {tally['whole']} | {tally['refused']} | {wrong} |", flush=True)
    return wrong


def main():
    commands = {name: ([ARGS.speder, *text.split()], output, compare) for name, (text, output, compare) in COMMANDS.items()}
    if ARGS.deep:
        program, packages = ARGS.deep
        commands |= {name: ([program, *text.format(packages=packages).split()], output, compare)
                     for name, (text, output, compare) in DEEP.items()}
    work = tempfile.mkdtemp()
    try:
        os.chdir(work)
        make_inputs(ARGS.speder)
        print("| command | calls | power cuts | the next start: same result | refused in one line | failed |")
        print("|---|---|---|---|---|---|")
        wrong = [attack(name, *what) for name, what in commands.items() if not ARGS.only or name in ARGS.only]
    finally:
        os.chdir("/")
        shutil.rmtree(work)
    if not wrong or sum(wrong):
        fail(f"{sum(wrong)} power cuts" if wrong else "nothing was tried")
    print("no silent loss")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("speder", type=os.path.abspath)
    parser.add_argument("recorder", type=os.path.abspath)
    parser.add_argument("--deep", nargs=2, type=os.path.abspath)
    parser.add_argument("--cuts", type=int, default=6)
    parser.add_argument("--seed", default="power")
    parser.add_argument("--only", action="append")
    ARGS = parser.parse_args()
    main()
