"""help.py <speder>: every --help says what the command does, shows it used, and fits a terminal."""
import re
import subprocess
import sys

SPEDER = sys.argv[1]
WIDEST = 132  # columns
failures = []
seen = 0


def help_of(path):
    got = subprocess.run([SPEDER, *path, "--help"], capture_output=True, text=True, timeout=60)
    if got.returncode != 0 or got.stderr:
        failures.append(f"{' '.join(path)}: exit {got.returncode} {got.stderr}")
    return got.stdout


def look(path):
    global seen
    seen += 1
    name = " ".join(("speder", *path))
    text = help_of(path)
    if len(text.splitlines()[0]) < 15:
        failures.append(f"{name}: the first line says nothing")
    if f"Usage: {name} " not in text:
        failures.append(f"{name}: the usage line does not begin with the command's name")
    for line in text.splitlines():
        if len(line) > WIDEST:
            failures.append(f"{name}: {len(line)} columns: {line}")
    below = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.M)
    if below:
        for word in re.findall(r"^  ([a-z][a-z-]*)(?: |$)", below[1], re.M):
            if word != "deep":
                look((*path, word))
    elif not re.search(rf"^ +(.*&& )?{name}\b", text.split("Options:")[-1], re.M):
        failures.append(f"{name}: no example")


look(())
print(f"{seen} commands")
for failure in failures:
    print("FAILED", failure)
sys.exit(1 if failures or seen < 15 else 0)
