"""deep_harness.py <speder-deep> <packages> [--kills N] [--flips N] [--cuts all] [--seed NAME]:
what a machine can do to training, benches, imitation and the making of data.

Signals at random moments, checkpoints with flipped bits or cut off, a full disk, a read-only disk, a
clock that jumps. After each: nothing finished is lost, the same command ends with the numbers of an
undisturbed run, bit for bit, and what is refused is refused with one line that says what to do. All
randomness comes from the name given as --seed. Scenarios that need root or a missing tool print why
they are skipped.
"""
import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time

from common import PAGE, Disk, fail, faked_clock, fill, refused, struck
from deep_jobs import JOBS, LENGTH, PROGRAM, command, compare, finished, run, undisturbed, whole_records


def kills(rng, job, count):
    """Signals at uniform moments of the length of an undisturbed run, and each time the command again."""
    hits, tries, codes, last, folder = 0, 0, {}, 0, f"{job}_killed"
    while hits < count:
        tries += 1
        if tries > 10 * count:
            fail(f"only {hits} of {tries} signals hit {job}; make it longer")
        os.makedirs(folder, exist_ok=True)
        running, ending, message = struck(command(job, folder), rng, LENGTH[job])
        if running:
            hits += 1
            codes[ending] = codes.get(ending, 0) + 1
        now = finished(job, folder, message)
        if now is not None and now < last:
            fail(f"{job}: {ending} lost what was done: {last}, then {now}")
        last = last if now is None else now
        if ending.endswith(":0"):
            compare(job, folder, ending)
            shutil.rmtree(folder)
            last = 0
    if run(job, folder).returncode != 0:
        fail(f"{job} does not go on after signals")
    compare(job, folder, "signals")
    print(f"{job}: {hits} signals, endings {dict(sorted(codes.items()))}; nothing lost, same numbers", flush=True)


def interrupted(job, folder):
    """A copy of the job's folder at a moment when two checkpoints are there."""
    os.makedirs(folder, exist_ok=True)
    process = subprocess.Popen(command(job, folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not any(pathlib.Path(folder).rglob("checkpoint.previous.bin")):
        time.sleep(0.002)
    process.kill()
    process.wait()
    previous = next(pathlib.Path(folder).rglob("checkpoint.previous.bin"), None)
    if previous is None:
        fail(f"{job} ended before two checkpoints were there")
    return previous.parent.relative_to(folder)


def damaged(job, place, harm, what):
    """Goes on from checkpoints of which `harm` has changed some: a warning, and the same end."""
    shutil.rmtree("harmed", ignore_errors=True)
    shutil.copytree(f"{job}_half", "harmed")
    here = pathlib.Path("harmed", place)
    harm(here)
    got = run(job, "harmed")
    warned = "warning" in got.stderr and "passed over" in got.stderr
    if got.returncode != 0 or not warned:
        fail(f"{job}: {what}: exit {got.returncode}: {got.stderr[:600]}")
    compare(job, "harmed", what)


def flipped(data, rng):
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1:]


def change(name, alter):
    def harm(folder):
        path = folder / name
        path.write_bytes(alter(path.read_bytes()))
    return harm


def both(alter):
    def harm(folder):
        for name in ("checkpoint.bin", "checkpoint.previous.bin"):
            change(name, alter)(folder)
        (folder / "checkpoint.new.bin").unlink(missing_ok=True)
    return harm


def checkpoints(rng, job, flips):
    place = interrupted(job, f"{job}_half")
    newest = pathlib.Path(f"{job}_half", place, "checkpoint.bin")
    if not newest.exists():  # killed between the two renames
        shutil.copy(newest.parent / "checkpoint.previous.bin", newest)
    for i in range(flips):
        damaged(job, place, change("checkpoint.bin", lambda data: flipped(data, rng)), f"bit flip {i}")
    cuts = range(0, newest.stat().st_size, PAGE)
    if not ARGS.all_cuts:
        cuts = rng.sample(cuts, min(len(cuts), 3))
    for cut in cuts:
        damaged(job, place, change("checkpoint.bin", lambda data: data[:cut]), f"cut off at {cut}")
    damaged(job, place, both(lambda data: flipped(data, rng)), "both checkpoints damaged")
    print(f"{job} checkpoints: {flips} bit flips, {len(cuts)} truncations, both damaged: each with a warning, "
          "same numbers", flush=True)


def part_files(rng, flips):
    """The making of data: what is damaged is made again, or belongs to other settings."""
    folder = "data_half"
    os.makedirs(folder)
    process = subprocess.Popen(command("data", folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    part = pathlib.Path(folder, "d.h5.part")
    while process.poll() is None and whole_records(part) < 8:
        time.sleep(0.002)
    process.kill()
    process.wait()
    data = part.read_bytes()
    title = data.find(b"\n") + 1
    cuts = [0, rng.randrange(title), *range(PAGE, len(data), PAGE)]
    if not ARGS.all_cuts:
        cuts = cuts[:2] + rng.sample(cuts[2:], 2)
    harmed = [data[:cut] for cut in cuts] + [flipped(data, rng) for _ in range(flips)]
    shutil.rmtree("harmed", ignore_errors=True)
    other = 0
    for bytes_ in harmed:
        os.makedirs("harmed")
        pathlib.Path("harmed/d.h5.part").write_bytes(bytes_)
        got = run("data", "harmed")
        if bytes_[:title] != data[:title][:len(bytes_)]:
            if got.returncode != 2 or "belongs to other settings" not in got.stderr:
                fail(f"data: a damaged title: exit {got.returncode}: {got.stderr[:300]}")
            other += 1
        else:
            if got.returncode != 0:
                fail(f"data: a damaged part file: {got.stderr[:300]}")
            compare("data", "harmed", "a damaged part file")
        shutil.rmtree("harmed")
    print(f"part files: {flips} bit flips, {len(cuts)} truncations; {other} refused for their title, "
          "the others end the same", flush=True)


# So much room that each starts and does not end.
ROOM = {"train": "200k", "bench": "200k", "imitate": "200k", "data": "600k"}


def full_disk():
    for job, size in ROOM.items():
        with Disk(size) as disk:
            if disk.why_not:
                print(f"full disk: SKIPPED, {disk.why_not}")
                return
            refused(run(job, disk.path, "--json"), f"{job} on a full disk")
            disk.remount("size=16m")
            again = run(job, disk.path, "--json")
            if again.returncode != 0:
                fail(f"{job} does not go on when there is room: {again.stderr[:300]}")
            compare(job, disk.path, "a full disk")
            filler = pathlib.Path(disk.path, "filler")
            before = {p for p in pathlib.Path(disk.path).rglob("*")}
            fill(filler)
            refused(run(job, f"{disk.path}/new", "--json"), f"{job} without any room")
            left = [p.name for p in pathlib.Path(disk.path).rglob("*")
                    if p not in before and p != filler and p.is_file() and p.stat().st_size]
            if left:
                fail(f"{job} without any room leaves half of {left}")
    print(f"full disk: {len(ROOM)} jobs refuse and go on when there is room", flush=True)


def read_only_disk():
    with Disk("16m") as disk:
        if disk.why_not:
            print(f"read-only disk: SKIPPED, {disk.why_not}")
            return
        for job in JOBS:
            shutil.copytree(f"{job}_whole", f"{disk.path}/{job}")
        disk.remount("ro")
        for job in JOBS:
            refused(run(job, f"{disk.path}/{job}", "--json"), f"{job} on a read-only disk")
            got = subprocess.run(command(job, f"{disk.path}/{job}/new", "--json"), capture_output=True, text=True)
            refused(got, f"{job} in a new folder of a read-only disk")
        for reading in (["data", "info", f"{disk.path}/data/d.h5"], ["table", f"{disk.path}/bench/runs.db"]):
            got = subprocess.run([ARGS.deep, *reading], capture_output=True, text=True)
            if got.returncode != 0:
                fail(f"{reading} on a read-only disk: {got.stderr}")
    print(f"read-only disk: read as ever, {len(JOBS)} jobs refuse", flush=True)


def clock_jumps(rng):
    for job in JOBS:
        folder = f"{job}_clock"
        os.makedirs(folder)
        for jump in ("-20y", "+20y", "-3d"):
            more = faked_clock(jump)
            if more is None:
                print("clock jumps: SKIPPED, libfaketime is not installed (Debian: libfaketime)")
                return
            process = subprocess.Popen(command(job, folder), env=more, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0.3, 1) * LENGTH[job])
            process.send_signal(signal.SIGINT)
            if process.wait() not in (0, 130, -signal.SIGINT):
                fail(f"{job} at {jump} ends with {process.returncode}")
        if run(job, folder).returncode != 0:
            fail(f"{job} does not go on after clock jumps")
        compare(job, folder, "clock jumps")
    print("clock jumps: -20y, +20y, -3d, now; same numbers", flush=True)


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell would pass SIG_IGN on
    os.environ["OMP_NUM_THREADS"] = "1"
    rng = random.Random(ARGS.seed)
    undisturbed()
    for job in JOBS:
        kills(rng, job, ARGS.kills)
    for job in ("train", "imitate"):
        checkpoints(rng, job, ARGS.flips)
    part_files(rng, ARGS.flips)
    full_disk()
    read_only_disk()
    clock_jumps(rng)


PARSER = argparse.ArgumentParser()
PARSER.add_argument("deep", type=lambda p: str(pathlib.Path(p).resolve()))
PARSER.add_argument("packages", type=lambda p: str(pathlib.Path(p).resolve()))
PARSER.add_argument("--kills", type=int, default=2, help="of each job")
PARSER.add_argument("--flips", type=int, default=2, help="in the checkpoints of each job")
PARSER.add_argument("--all-cuts", action="store_true", help="cut off at every 4 KiB")
PARSER.add_argument("--seed", default="deep-faults-1")
ARGS = PARSER.parse_args()
PROGRAM.extend([ARGS.deep, ARGS.packages])
with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    main()
