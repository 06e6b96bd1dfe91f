"""Four small jobs of speder-deep, how far each has come, and what it measured."""
import os
import pathlib
import re
import sqlite3
import struct
import subprocess
import time

from common import fail

NETWORKS = ["--set", "feature_dim=8", "--set", "feature_hidden=[16]", "--set", "critic_width=16",
            "--set", "actor_hidden=[16]", "--set", "batch=16", "--set", "random_steps=250",
            "--set", "eval_every=200", "--set", "eval_episodes=1", "--checkpoint-every", "1"]
SUITE = ["--suite", "quick", "--layout", "medium", "--method", "bc", "--method", "speder", "--method", "opal",
         "--seeds", "1", "--set", "rows=3000", "--set", "expert_episodes=2", "--set", "hidden=[16]",
         "--set", "latent=8", "--set", "rnn=8", "--set", "batch=8", "--set", "pretrain_steps=60",
         "--set", "steps=60", "--set", "eval_every=30", "--set", "eval_episodes=1", "--set", "final_episodes=1",
         "--checkpoint-every", "20"]
PROGRAM = []  # speder-deep, folder of the packages
LENGTH, REFERENCE = {}, {}
# Each with {} for its folder, and where its numbers are.
JOBS = {"train": (["train", "--env", "CartPole", "--steps", "1608", "--out", "{}", *NETWORKS], "run.db"),
        "bench": (["bench", "--envs", "CartPole:603", "Pendulum:402", "--algorithms", "speder", "sac2",
                   "--seeds", "1", "--jobs", "2", "--out", "{}", *NETWORKS], "runs.db"),
        "imitate": (["imitate", *SUITE, "--out", "{}"], "imitate.db"),
        "data": (["data", "pointmaze", "--transitions", "60000", "--out", "{}/d.h5"], "d.h5")}


def command(job, folder, *more):
    """The job's command as a person would give it again: train goes on from its checkpoint when it has one."""
    here = pathlib.Path(folder)
    started = any((here / name).exists() for name in ("checkpoint.bin", "checkpoint.previous.bin"))
    resume = ["--resume"] if job == "train" and started else []
    return [PROGRAM[0], *[word.format(folder) for word in JOBS[job][0]], "--packages", PROGRAM[1], *resume, *more]


def run(job, folder, *more, **how):
    os.makedirs(folder, exist_ok=True)
    return subprocess.run(command(job, folder, *more), capture_output=True, text=True, timeout=300, **how)


def numbers(job, folder):
    """Everything the job measured, exactly; the bytes of a data file."""
    path = pathlib.Path(folder, JOBS[job][1])
    if path.suffix == ".h5":
        return path.read_bytes() if path.exists() else b""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
        return store.execute("SELECT cell, repetition, metric, n, value FROM rows JOIN runs ON run = id "
                             "ORDER BY 1, 2, 3, 4").fetchall()


def whole_records(part):
    """Finished episodes in a part file: after its first line (count, tag, floats, checksum)."""
    data = part.read_bytes() if part.exists() else b""
    at, count = data.find(b"\n") + 1, 0
    while at and at + 16 <= len(data):
        at += 24 + 4 * struct.unpack_from("<Q", data, at)[0]
        count += at <= len(data)
    return count


def finished(job, folder, message):
    """How far the job has come: it must never go back."""
    path = pathlib.Path(folder, JOBS[job][1])
    if job == "train":
        found = re.search(r"resumed at step (\d+)", message)
        return int(found[1]) if found else None
    if job == "data":
        return 10**9 if path.exists() else whole_records(pathlib.Path(f"{path}.part"))
    if not path.exists():
        return 0
    with sqlite3.connect(path) as store:
        if store.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            return 0
        return store.execute("SELECT count(*) FROM runs").fetchone()[0]


def compare(job, folder, what):
    if numbers(job, folder) != REFERENCE[job]:
        fail(f"{job}: {what}: other numbers than undisturbed")


def undisturbed():
    """Runs every job once: its length and its numbers."""
    for job in JOBS:
        start = time.monotonic()
        got = run(job, f"{job}_whole")
        if got.returncode != 0:
            fail(f"{job}: {got.stderr}")
        LENGTH[job] = time.monotonic() - start
        REFERENCE[job] = numbers(job, f"{job}_whole")
        if not REFERENCE[job]:
            fail(f"{job} measured nothing")
    print("undisturbed:", {job: f"{seconds:.1f} s" for job, seconds in LENGTH.items()}, flush=True)
