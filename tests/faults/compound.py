"""compound.py <speder> [--deep SPEDER_DEEP PACKAGES] [--rounds N] [--seed NAME] [--only NAME]...

Faults on faults, for every command that writes (nth_commands.py) and for a sweep under mpirun. In each round a KILL at
a random moment; then up to three times the same command, killed while it recovers; then, where a disk of one's own can
be mounted, the command once more on a disk that is full; then there is room, and it must end with the undisturbed
result or say in one line what is in the way. Under mpirun the KILL hits one rank of three.
"""
import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from common import Disk, fail, fill
from nth_commands import COMMANDS, DEEP, make_inputs, store_rows

MPI = "--allow-run-as-root --oversubscribe -n 3"


def ranks_of(parent):
    """The processes under mpirun that compute; not those that have ended and were not waited for."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split() if entry.name.isdigit() else []
            if fields and int(fields[1]) == parent and fields[0] != "Z":
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def killed(command, folder, rng, longest):
    """Starts, waits, kills; whether the command was still running."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(rng.uniform(0, longest))
    running = process.poll() is None
    ranks = ranks_of(process.pid) if "mpirun" in command[0] else []
    try:
        os.kill(rng.choice(ranks) if ranks else process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    ended(process, command)
    return running


def ended(process, command, patience=120, empty=10):
    """Waits for its end. OpenMPI 4.1 may miss that a rank was killed within its first tenths of a second and wait for
    ever for ranks that have ended: an mpirun without a rank that computes is ended here after `empty` seconds."""
    last_rank = began = time.monotonic()
    while process.poll() is None:
        now = time.monotonic()
        if "mpirun" not in command[0] or ranks_of(process.pid):
            last_rank = now
        if now - last_rank > empty:
            print(f"mpirun waited for ranks that had ended and was killed: {' '.join(command[-4:])}", flush=True)
            process.kill()
            process.wait()
        elif now - began > patience:
            process.kill()
            fail(f"{command}: goes on after a KILL")
        else:
            time.sleep(0.02)


class Attack:
    def __init__(self, name, command, output, compare):
        self.name, self.plain, self.output, self.compare = name, command, output, compare
        self.rng = random.Random(f"{ARGS.seed} {name}")
        shutil.copytree("inputs", "clean")
        began = time.monotonic()
        got = self.run("clean")
        self.seconds = time.monotonic() - began
        if got.returncode != 0:
            fail(f"{name}: undisturbed: {got.stderr}")
        self.expected = compare(pathlib.Path("clean", output))
        shutil.rmtree("clean")

    def command(self, folder):
        resume = self.name == "deep train" and any(pathlib.Path(folder, "out").glob("checkpoint*.bin"))
        return self.plain + (["--resume"] if resume else [])

    def run(self, folder):
        return subprocess.run(self.command(folder), cwd=folder, capture_output=True, text=True, errors="replace", timeout=240)

    def refused(self, got):
        return got.returncode == 2 and sum(": error: " in line for line in got.stderr.splitlines()) == 1

    def full_disk(self, disk):
        """On a disk without room: done all the same, or refused in one line."""
        filler = pathlib.Path(disk.path, "filler")
        fill(filler)
        got = self.run(disk.path)
        filler.unlink()
        if got.returncode != 0 and not self.refused(got):
            return f"full disk after a KILL: exit {got.returncode}: {got.stderr[:300]}"
        return None

    def round(self, folder, disk):
        hits = killed(self.command(folder), folder, self.rng, self.seconds)
        for _ in range(self.rng.randrange(4)):
            hits += killed(self.command(folder), folder, self.rng, min(self.seconds, 0.3))
        wrong = self.full_disk(disk) if disk is not None else None
        got = self.run(folder)
        path = pathlib.Path(folder, self.output)
        if wrong is None and got.returncode not in (0, 2):
            wrong = f"exit {got.returncode} at the end: {got.stderr[:300]}"
        if wrong is None and got.returncode == 2 and not self.refused(got):
            wrong = f"not one line: {got.stderr[:300]}"
        if wrong is None and (not path.exists() or self.compare(path) != self.expected):
            wrong = f"another result at the end (exit {got.returncode}: {got.stderr[:200]})"
        return hits, wrong

    def rounds(self):
        hits, failed, full = 0, 0, 0
        for number in range(ARGS.rounds):
            with Disk("64m") as disk:
                mounted = not disk.why_not
                if mounted:
                    shutil.copytree("inputs", disk.path, dirs_exist_ok=True)
                    struck, wrong = self.round(disk.path, disk)
                else:
                    shutil.copytree("inputs", f"{disk.path}/plain")
                    struck, wrong = self.round(f"{disk.path}/plain", None)
                hits, full = hits + struck, full + mounted
                if wrong:
                    failed += 1
                    print(f"FAILED: {self.name}, round {number}: {wrong}", file=sys.stderr, flush=True)
            shutil.rmtree(disk.path)
        print(f"| {self.name} | {ARGS.rounds} | {hits} | {full} | {failed} |", flush=True)
        return failed


def main():
    commands = {name: ([ARGS.speder, *text.split()], output, compare) for name, (text, output, compare) in COMMANDS.items()}
    if shutil.which("mpirun"):
        commands["mpirun sweep"] = (["mpirun", *MPI.split(), ARGS.speder, *"sweep suite.toml -o out.db".split()], "out.db", store_rows)
    if ARGS.deep:
        program, packages = ARGS.deep
        commands |= {name: ([program, *text.format(packages=packages).split()], output, compare)
                     for name, (text, output, compare) in DEEP.items()}
    work = tempfile.mkdtemp()
    try:
        os.chdir(work)
        make_inputs(ARGS.speder)
        print("| command | rounds | KILLs that hit | full disks in between | failed |\n|---|---|---|---|---|")
        failed = [Attack(name, *what).rounds() for name, what in commands.items() if not ARGS.only or name in ARGS.only]
    finally:
        os.chdir("/")
        shutil.rmtree(work)
    if not failed or sum(failed):
        fail(f"{sum(failed)} rounds" if failed else "nothing was tried")
    print("no silent loss, no hang")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("speder", type=os.path.abspath)
    parser.add_argument("--deep", nargs=2, type=os.path.abspath)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", default="compound")
    parser.add_argument("--only", action="append")
    ARGS = parser.parse_args()
    main()
