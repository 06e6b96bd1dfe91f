"""harness.py <speder> [--kills N] [--flips N] [--seed NAME]: what a machine can do to a run.

Kills at random moments, a full disk, a read-only disk, a store with flipped bits or cut off at
every 4 KiB, a clock that jumps. After each: nothing finished is lost, no number is silently wrong,
and what is refused is refused with one line that says what to do. All randomness comes from the
name given as --seed. Scenarios that need root or a missing tool print why they are skipped.
"""
import argparse
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time

from common import PAGE, Disk, fail, faked_clock, fill, refused, struck

SUITE = 'experiment = "planted"\n[quick]\nrepetitions = 40\ndraws = {draws}\nx = [1, 2, 4, 8]\n'
RUNS = 160


def run(*arguments, **more):
    return subprocess.run([ARGS.speder, *arguments], capture_output=True, text=True, errors="replace",
                          timeout=300, **more)


def rows(store):
    got = run("report", store, "--rows")
    if got.returncode == 2 and "is empty" in got.stderr:  # killed between making and filling the file
        return ""
    return got.stdout if got.returncode == 0 else None


def finished(store):
    if not os.path.exists(store):
        return 0
    got = run("report", store, "--rows")
    if got.returncode == 0:
        return got.stdout.count(",value,")
    with sqlite3.connect(store) as db:  # killed while the store was being made: no table yet
        if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            return 0
    fail(f"{store} cannot be read after a kill: {got.stderr}")


def kills(rng, suite, reference, count):
    """Signals at uniform moments of an undisturbed run's length; then the same command to the end."""
    start = time.monotonic()
    assert run("sweep", suite, "-o", "clean.db").returncode == 0
    length = time.monotonic() - start
    hits, codes, last, store, tries = 0, {}, 0, "killed.db", 0
    while hits < count:  # a signal that comes after the end does not count
        tries += 1
        if tries > 10 * count:
            fail(f"only {hits} of {tries} signals hit a running sweep; make the runs longer")
        running, ending, _ = struck([ARGS.speder, "sweep", suite, "-o", store], rng, length)
        hits += running
        if running:
            codes[ending] = codes.get(ending, 0) + 1
        now = finished(store)
        if now < last:
            fail(f"{ending} lost finished runs: {last}, then {now}")
        last = now
        if last == RUNS:  # over: another store
            compare(store, reference)
            os.remove(store)
            last = 0
    assert run("sweep", suite, "-o", store).returncode == 0
    compare(store, reference)
    print(f"kills: {hits}, endings {dict(sorted(codes.items()))}; nothing lost, rows as undisturbed")


def compare(store, reference):
    if rows(store) != reference:
        fail(f"{store}: rows differ from the undisturbed run")


def interrupted_commands(rng, count):
    """The other long commands: a signal ends them at once, with the signal's code or 130."""
    commands = [["validate"], ["audit", "--only", "value-norm-bellman", "--budget", "100000000"],
                ["learn", "online", "--family", "simplex", "--class-size", "8", "--episodes", "100000000",
                 "--out", "l.csv"]]
    for i in range(count):
        command = commands[i % len(commands)]
        how = rng.choice([signal.SIGTERM, signal.SIGINT])
        process = subprocess.Popen([ARGS.speder, *command], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0, 0.5))
        process.send_signal(how)
        try:
            code = process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            fail(f"{command[0]} goes on after {how.name}")
        if code not in (0, 1, 130, -how):
            fail(f"{command[0]}: {how.name} gave exit code {code}")
    print(f"other commands: {count} signals")


def bit_flips(rng, reference, count):
    data = pathlib.Path("clean.db").read_bytes()
    same = stopped = 0
    for _ in range(count):
        damaged = bytearray(data)
        at = rng.randrange(len(damaged))
        damaged[at] ^= 1 << rng.randrange(8)
        pathlib.Path("flip.db").write_bytes(damaged)
        got = run("report", "flip.db", "--rows")
        if got.returncode == 0 and got.stdout == reference:
            same += 1  # a byte that holds nothing
        elif got.returncode == 0:
            fail(f"a flipped bit in byte {at} gave other numbers and no message")
        else:
            refused(got, f"a flipped bit in byte {at}")
            stopped += 1
    print(f"bit flips: {count}, {same} in unused bytes, {stopped} refused, none silent")


def truncations(suite, reference):
    data = pathlib.Path("clean.db").read_bytes()
    cuts = range(0, len(data), PAGE)
    for cut in cuts:
        pathlib.Path("cut.db").write_bytes(data[:cut])
        got = run("report", "cut.db", "--rows")
        if got.returncode == 0:
            fail(f"a store cut off at {cut} bytes is read")
        refused(got, f"a store cut off at {cut} bytes")
        if cut == 0:  # an empty file is a store to be
            assert run("sweep", suite, "-o", "cut.db").returncode == 0
            compare("cut.db", reference)
            os.remove("cut.db")
            continue
        refused(run("sweep", suite, "-o", "cut.db"), f"a sweep into a store cut off at {cut} bytes")
        if pathlib.Path("cut.db").read_bytes() != data[:cut]:
            fail(f"a store cut off at {cut} bytes was written to")
    print(f"truncations: {len(cuts)}, at every {PAGE} bytes")


WRITERS = {"mdp make": ["mdp", "make", "--family", "simplex", "--states", "200", "--out", "{}/m.h5"],
           "solve": ["solve", "m.h5", "--out", "{}/v.h5"],
           "report": ["report", "clean.db", "--out", "{}/page"],
           "learn": ["learn", "online", "--family", "simplex", "--class-size", "8", "--episodes", "3",
                     "--out", "{}/l.csv"],
           "audit": ["audit", "--only", "value-norm-bellman", "--budget", "10", "--findings", "{}/a.json"]}


def full_disk(suite, reference):
    with Disk("128k") as disk:
        if disk.why_not:
            print(f"full disk: SKIPPED, {disk.why_not}")
            return
        store = f"{disk.path}/s.db"
        refused(run("sweep", suite, "-o", store), "a sweep on a full disk")
        disk.remount("size=8m")
        kept = finished(store)
        if not 0 < kept < RUNS:
            fail(f"a full disk kept {kept} runs of {RUNS}")
        assert run("sweep", suite, "-o", store).returncode == 0
        compare(store, reference)
        filler = pathlib.Path(disk.path, "filler")
        fill(filler)
        for name, command in WRITERS.items():
            got = run(*[word.format(disk.path) for word in command])
            refused(got, f"{name} on a full disk")
            left = [p.name for p in pathlib.Path(disk.path).rglob("*")
                    if p.is_file() and p != filler and not p.name.startswith("s.db") and p.stat().st_size]
            if left:
                fail(f"{name} on a full disk leaves half of {left}")
    print(f"full disk: {kept} finished runs kept, then completed; {len(WRITERS)} writers refuse")


def read_only_disk(suite):
    with Disk("4m") as disk:
        if disk.why_not:
            print(f"read-only disk: SKIPPED, {disk.why_not}")
            return
        shutil.copy("clean.db", f"{disk.path}/clean.db")
        disk.remount("ro")
        refused(run("sweep", suite, "-o", f"{disk.path}/s.db"), "a sweep on a read-only disk")
        refused(run("sweep", suite, "-o", f"{disk.path}/clean.db"), "a store on a read-only disk")
        for name, command in WRITERS.items():
            refused(run(*[word.format(disk.path) for word in command]), f"{name} on a read-only disk")
        if rows(f"{disk.path}/clean.db") != rows("clean.db"):
            fail("a store on a read-only disk cannot be read")
    print(f"read-only disk: read as ever, {len(WRITERS) + 2} writers refuse")


def clock_jumps(suite, reference):
    for jump in ("-20y", "+20y", "-3d"):
        more = faked_clock(jump)
        if more is None:
            print("clock jumps: SKIPPED, libfaketime is not installed (Debian: libfaketime)")
            return
        process = subprocess.Popen([ARGS.speder, "sweep", suite, "-o", "clock.db"], env=more,
                                   stdout=subprocess.DEVNULL)
        time.sleep(0.15)
        process.send_signal(signal.SIGINT)
        if process.wait() not in (0, 130, -signal.SIGINT):
            fail(f"a sweep at {jump} ends with {process.returncode}")
    assert run("sweep", suite, "-o", "clock.db").returncode == 0
    compare("clock.db", reference)
    print("clock jumps: -20y, +20y, -3d, now; rows as undisturbed")


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell would pass SIG_IGN on
    rng = random.Random(ARGS.seed)
    pathlib.Path("suite.toml").write_text(SUITE.format(draws=400_000))
    pathlib.Path("short.toml").write_text(SUITE.format(draws=1000))
    assert run("mdp", "make", "--family", "lock", "--gamma", "0.9", "--out", "m.h5").returncode == 0
    assert run("sweep", "suite.toml", "-o", "reference.db", "--jobs", "1").returncode == 0
    reference = rows("reference.db")
    assert reference.count(",value,") == RUNS
    kills(rng, "suite.toml", reference, ARGS.kills)
    interrupted_commands(rng, max(3, ARGS.kills // 5))
    assert run("sweep", "short.toml", "-o", "short.db").returncode == 0
    shutil.copy("short.db", "clean.db")
    short = rows("clean.db")
    bit_flips(rng, short, ARGS.flips)
    truncations("short.toml", short)
    full_disk("short.toml", short)
    read_only_disk("short.toml")
    clock_jumps("short.toml", short)


PARSER = argparse.ArgumentParser()
PARSER.add_argument("speder", type=lambda p: str(pathlib.Path(p).resolve()))
PARSER.add_argument("--kills", type=int, default=12)
PARSER.add_argument("--flips", type=int, default=60)
PARSER.add_argument("--seed", default="faults-1")
ARGS = PARSER.parse_args()
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
