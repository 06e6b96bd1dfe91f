"""power_image.py <speder> [--deep SPEDER_DEEP PACKAGES] [--cuts N] [--seed NAME] [--only NAME]...

The power fails under a real file system. Each command writes to an ext4 on a loop device. At random moments it is
stopped, another file is written through (ext4 then writes down the names that it holds, and no data that it was not
told to), and the device is copied: that is what a machine finds. The copy is mounted, which replays its journal, and
judged as in power_cut.py: a finished file is whole or not there, after exit code 0 it is there, and the same command
gives the undisturbed result or says in one line what is in the way. One of the N cuts comes after the end.
Exit code 77 where no loop device may be mounted.
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

from common import fail
from nth_commands import COMMANDS, DEEP, make_inputs
from power_cut import check

SIZE = "48M"  # of the device: room for every command, and quickly copied


class Device:
    """A loop device with a file system; without `image` a new one."""

    def __init__(self, folder, image):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        # ext4 would write through what is renamed over an old file, which others do not.
        got = subprocess.run(["mount", "-o", "loop,noauto_da_alloc", image, folder], capture_output=True, text=True)
        self.why_not = got.stderr.strip() if got.returncode else ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.why_not:
            subprocess.run(["umount", "-l", self.folder], check=True)
        self.folder.rmdir()


def new_image(path):
    pathlib.Path(path).unlink(missing_ok=True)
    subprocess.run(["truncate", "-s", SIZE, path], check=True)
    subprocess.run(["mkfs.ext4", "-q", path], check=True)


def names_written_down(folder):
    with open(folder / "other", "wb") as out:
        out.write(b"other")
        out.flush()
        os.fsync(out.fileno())


def cut(command, moment, root):
    """Runs a command until `moment` (None: to its end) and copies the device; whether it had ended with 0."""
    process = subprocess.Popen(command, cwd=root / "work", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)  # what it starts stops with it
    if moment is None:
        process.wait()
    else:
        time.sleep(moment)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGSTOP)
    names_written_down(root)
    pathlib.Path("copy").unlink(missing_ok=True)  # a new file is a new device
    shutil.copyfile("image", "copy")
    ended = process.poll() == 0
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return ended


def attack(name, command, output, compare):
    rng = random.Random(f"{ARGS.seed} {name}")
    shutil.copytree("inputs", "clean")
    began = time.monotonic()
    subprocess.run(command, cwd="clean", capture_output=True, check=True)
    seconds = time.monotonic() - began
    expected = compare(pathlib.Path("clean", output))
    shutil.rmtree("clean")
    tally, wrong, ends = {"whole": 0, "refused": 0}, 0, 0
    for number in range(ARGS.cuts):
        new_image("image")
        with Device("before", "image") as device:
            shutil.copytree("inputs", device.folder / "work")
            subprocess.run(["sync", "-f", device.folder], check=True)
            ended = cut(command, None if number == 0 else rng.uniform(0, seconds), device.folder)
        with Device("after", "copy") as device:
            problem, word = check(name, command, output, compare, device.folder / "work", ended, expected)
        ends += ended
        if problem:
            wrong += 1
            print(f"FAILED: {name}, cut {number}: {problem}", file=sys.stderr, flush=True)
        else:
            tally[word] += 1
    print(f"| {name} | {ARGS.cuts} | {ends} | {tally['whole']} | {tally['refused']} | {wrong} |", flush=True)
    return wrong


def main():
    commands = {name: ([ARGS.speder, *text.split()], output, compare) for name, (text, output, compare) in COMMANDS.items()}
    if ARGS.deep:
        program, packages = ARGS.deep
        commands |= {name: ([program, *text.format(packages=packages).split()], output, compare)
                     for name, (text, output, compare) in DEEP.items()}
    work = tempfile.mkdtemp(dir="/dev/shm")  # copied at memory's speed
    try:
        os.chdir(work)
        new_image("image")
        with Device("before", "image") as device:
            if device.why_not:
                print(f"skipped: {device.why_not}")
                return 77
        make_inputs(ARGS.speder)
        print("| command | power cuts | after its end | the next start: same result | refused in one line | failed |")
        print("|---|---|---|---|---|---|")
        wrong = [attack(name, *what) for name, what in commands.items() if not ARGS.only or name in ARGS.only]
    finally:
        os.chdir("/")
        shutil.rmtree(work)
    if not wrong or sum(wrong):
        fail(f"{sum(wrong)} power cuts" if wrong else "nothing was tried")
    print("no silent loss")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("speder", type=os.path.abspath)
    parser.add_argument("--deep", nargs=2, type=os.path.abspath)
    parser.add_argument("--cuts", type=int, default=4)
    parser.add_argument("--seed", default="power")
    parser.add_argument("--only", action="append")
    ARGS = parser.parse_args()
    sys.exit(main())
