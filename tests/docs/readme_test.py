#!/usr/bin/env python3
"""readme_test.py SPEDER ROOT [deep]: every command of README.md, in order, in one scratch folder; the verdicts it
says the audit prints; and its numbers. `deep`: the deep column is built, so its commands run too.

Long commands run at a smaller size (SHORT); what it replaces is said there.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SPEDER, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
DEEP = "deep" in sys.argv[3:]
# Command of the page -> what is run in its place. None: the script's syntax alone, since this test is part of it.
SHORT = {
    "./run": "speder validate --help",  # cli.validate runs it
    "./test": None,
    "speder validate": "speder validate --help",
    "speder report --compare a.db b.db": "speder report --compare horizon.db horizon.db",  # the store made above
    "speder audit": "speder audit --quick --only simulation-first",
    "speder bench": "speder bench --help",
    "speder deep train --env Pendulum --steps 25000 --out runs/a":
        "speder deep train --env Pendulum --steps 400 --set random_steps=200 --set eval_every=200 "
        "--checkpoint-every 200 --out runs/a",
    "speder deep bench --out runs/mbbl": "speder deep bench --help",
    "speder deep imitate --suite quick --out runs/imitate": "speder deep imitate --help",
    "speder deep heatmap --out runs/room": "speder deep heatmap --help",
    "cmake --install build/release --prefix DIR": "cmake --help",  # package.install runs it
}
text = (ROOT / "README.md").read_text()
used, failures = set(), []


def check(good, what):
    if not good:
        failures.append(what)
        print("FAILED:", what)


def commands():
    fenced = False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced and re.match(r"\./|speder ", line):
            yield line.split("  #")[0].strip(), line
        elif not fenced:
            for code in re.findall(r"`([^`]+)`", line):
                if re.match(r"(\./run|\./test|speder|cmake) ?\b", code) and "ARGS" not in code and "…" not in code:
                    yield code.replace("\\|", "|"), line


def run(command, **options):
    words = command.split()
    if words[0] == "./run":
        words[0] = "speder"
    return subprocess.run([str(SPEDER) if words[0] == "speder" else words[0], *words[1:]], text=True,
                          capture_output=True, timeout=300, check=False, **options)


def main():
    ran = 0
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for command, line in commands():
            if command in ("speder", "./run", "./test") and not line.startswith("./"):
                continue  # a name in a sentence
            if command.split()[:2] == ["speder", "deep"] and not DEEP:
                continue
            used.add(command)
            shorter = SHORT.get(command, command)
            if shorter is None:
                done = subprocess.run(["bash", "-n", ROOT / command], check=False, capture_output=True, text=True)
            else:
                done = run(shorter)
            check(done.returncode == 0, f"{command}: exit {done.returncode}\n{done.stderr}")
            cells = [cell.strip() for cell in line.split(" | ")]
            if len(cells) == 3 and "--only" in command:  # | finding | command | prints |
                said = cells[2].rstrip(" |")
                verdicts = re.findall(r"^([\w-]+): (.*)$", done.stdout, re.M)
                check(len(verdicts) == command.count("--only"), f"{command}: verdicts {verdicts}")
                check(all(v == said for _, v in verdicts), f"{command} prints {verdicts}, the page says {said}")
            ran += 1
        numbers(work)
    check(set(SHORT) <= used | ({c for c in SHORT if "deep" in c} if not DEEP else set()),
          f"not on the page any more: {set(SHORT) - used}")
    check(ran >= 15, f"only {ran} commands found")
    print(f"{ran} commands, {len(failures)} failures")
    return 1 if failures else 0


def numbers(work):
    families = [f for f in json.loads(run("speder mdp families --json").stdout) if f["name"] != "file"]
    check(f"one of {len(families)} families" in text, f"{len(families)} families")
    for mode, name in (("online", "Algorithm 1"), ("offline", "Algorithm 2")):
        listed = run(f"speder learn {mode} --help").stdout.split("Algorithms:\n")[1].split("\n\n")[0].splitlines()
        row = next(r for r in text.splitlines() if f"speder learn {mode} --mdp" in r)
        check(f"{len(listed) - 1} comparators" in row, f"{len(listed) - 1} comparators in {name}")
    entries = int(run("speder audit --list").stdout.splitlines()[-1].split()[0])
    said = int(re.search(r"more than (\d+) entries", text)[1])
    check(said < entries < said + 50, f"the audit has {entries} entries")
    judged = re.search(r"--only TEXT:\{([^}]*)\}", run("speder validate --help").stdout)[1].split(",")
    check(f"{len(judged)} experiments" in text, f"{len(judged)} experiments")
    if DEEP:
        tasks = run("speder deep envs --seconds 0").stdout.splitlines()[1:]
        check(f"{len(tasks)} tasks" in text, f"{len(tasks)} tasks")


if __name__ == "__main__":
    sys.exit(main())
