"""What both fault harnesses use: a disk of one's own, a faked clock, signals, the shape of a refusal."""
import glob
import os
import signal
import subprocess
import sys
import tempfile
import time

PAGE = 4096
ADVICE = ("disk", "is empty", "damaged", "not a result store", "not an SQLite", "read-only", "older", "newer", "locked",
          "could not be", "cannot be", "something else", "cannot write", "cannot create", "Read-only")


def fail(what):
    sys.exit(f"FAILED: {what}")


def refused(got, what):
    """One line that says what to do, exit code 2."""
    # A warning of what was found half done may come before.
    lines = [line for line in got.stderr.splitlines() if ": warning: " not in line]
    if got.returncode != 2 or len(lines) != 1 or not any(a in lines[0] for a in ADVICE):
        fail(f"{what}: exit {got.returncode}: {got.stderr[:600]}")


class Disk:
    """A file system of its own, or why_not when mounting is not allowed."""

    def __init__(self, size):
        self.path = tempfile.mkdtemp(dir=".")
        got = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "speder_test", self.path],
                             capture_output=True, text=True)
        self.why_not = got.stderr.strip() if got.returncode else ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.why_not:
            subprocess.run(["umount", "-l", self.path], check=True)

    def remount(self, option):
        subprocess.run(["mount", "-o", f"remount,{option}", self.path], check=True)


def fill(path):
    with open(path, "wb", buffering=0) as out:
        try:
            while out.write(bytes(PAGE)):
                pass
        except OSError:
            pass


def faked_clock(jump):
    """The environment of a process whose clock is off, or None without libfaketime."""
    library = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    if not library:
        return None
    return {**os.environ, "LD_PRELOAD": library[0], "FAKETIME": jump, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


def struck(command, rng, longest):
    """Starts a command and sends it a signal after a uniform part of `longest` seconds.

    Returns whether it was still running, "SIGNAL:code", and what it said on standard error."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(rng.uniform(0, longest))
    how = rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
    running = process.poll() is None
    process.send_signal(how)
    try:
        message = process.communicate(timeout=120)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        fail(f"{command[1]} goes on after {how.name}")
    # Before its handlers are set a program dies of the signal itself.
    allowed = {0, -how} if how == signal.SIGKILL else {0, 130, -how}
    if process.returncode not in allowed:
        fail(f"{how.name} gave exit code {process.returncode}: {message}")
    return running, f"{how.name}:{process.returncode}", message
