"""ranges.py <speder> | <speder-deep>: every number on every command line, out of range: exit code 2,
one line on standard error that names the option or the quantity, nothing on standard output.

The options are read from --help, so a new numeric option fails here until it has a line in BAD.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

SPEDER = sys.argv[1]
DEEP = os.path.basename(SPEDER) == "speder-deep"
GARBAGE = ["abc", "", "1x", "1e999", "-1e999", "0x10"]  # for every number
BEYOND = {"INT": ["1.5", "99999999999999999999999"], "UINT": ["-1", "1.5", "99999999999999999999999"],
          "FLOAT": ["nan", "inf", "-inf"]}

MDP = ["--family", "simplex", "--states", "12", "--actions", "3", "--rank", "3", "--class-size", "8"]
SMALL = {"mdp make": ["--family", "simplex", "--out", "{out}/made.h5"],
         "mdp check": ["{out}/m.h5"],
         "mdp import": ["{out}/dense.csv", "--out", "{out}/imported.h5"],
         "solve": ["{out}/m.h5"], "spectral": ["{out}/m.h5"],
         "learn online": [*MDP, "--episodes", "5"],
         "learn offline": [*MDP, "--transitions", "5"],
         "learn estimate": [*MDP, "--transitions", "5"],
         "scale": ["--family", "simplex", "--states", "12", "--rank", "3", "--axis", "actions=2,3", "--epsilon", "0.5",
                   "--class-size", "8", "--budget", "5", "--seeds", "1", "-o", "{out}/scale.db"],
         "sweep": ["{out}/suite.toml", "-o", "{out}/s.db"], "report": ["{out}/none.db"],
         "validate": ["--only", "table1", "--out", "{out}/v"], "agreement": [], "bench": ["--only", "none"],
         "audit": ["--only", "value-norm-bellman", "--budget", "1"],
         "worst": ["--out", "{out}/w", "--values", "2", "--budget", "1", "--runs", "1", "--fresh-runs", "1",
                   "--episodes", "4"]}
# Options that only count beside another one.
BESIDE = {"--epsilon": ["--behaviour", "epsilon"], "--temperature": ["--behaviour", "softmax"],
          "--omega": ["--behaviour", "coverage"], "--mix": ["--behaviour", "coverage"],
          "--c-star": ["--behaviour", "coverage"], "--class-radius": ["--class", "net"]}
SEED = []  # every whole number from 0 to 2^64 - 1
SIZE = ["-1", "0.5", "2147483648"]
BAD = {"--states": SIZE, "--actions": SIZE, "--rank": SIZE, "--gamma": ["0", "1", "-0.5", "1.5"],
       "--seed": SEED, "--mdp-seed": SEED, "--class-seed": SEED,
       "--residual": ["0", "-1"], "--start": ["-1", "1000000"], "--top": ["0", "-1"], "--dimension": ["0", "-1"],
       "--episodes": ["0", "-1"], "--transitions": ["0", "-1"], "--budget": ["0", "-1"],
       "--jobs": ["-1", "5000"], "--c-alpha": ["-1"], "--c-lambda": ["0", "-1"],
       "--delta": ["0", "1", "-1", "2"], "--class-size": ["0", "-1"], "--class-scales": ["-1", "2000"],
       "--class-base": ["-1"], "--class-radius": ["-1"], "--class-support": ["0", "-1", "1.5"],
       "--epsilon": ["-0.1", "1.1"], "--temperature": ["0", "-1"], "--omega": ["-1", "0.5"],
       "--mix": ["-0.1", "1.1"], "--c-star": ["-1", "0"], "--seeds": ["0", "-1"]}
# The same word may mean something else to another command.
BAD["scale --epsilon"] = ["0", "-1"]
BAD["scale --class-size"] = ["0", "1", "2.5"]
BESIDE["scale --epsilon"] = []
BAD["worst --epsilon"] = ["0", "-1"]
BESIDE["worst --epsilon"] = []
BAD |= {"--values": ["1", "-1", "1001"], "--overlap": ["-0.1", "0.6"], "--runs": ["0", "-1"],
        "--fresh-runs": ["0", "-1"], "--width": ["0", "0.5", "41", "-1"]}

if DEEP:  # its start takes a quarter of a second, so each option gets one word of each kind
    SMALL = {"train": ["--env", "CartPole", "--out", "{out}/t"], "bench": ["--envs", "CartPole", "--out", "{out}/b"],
             "imitate": ["--out", "{out}/i"], "data pointmaze": ["--out", "{out}/d.h5"],
             "data antmaze": ["--policy", "{out}/p.h5", "--out", "{out}/d.h5"], "data info": ["{out}/none.h5"],
             "data bench": ["--out", "{out}/s.h5"], "heatmap": ["--out", "{out}/h"], "rollout": ["--env", "CartPole"],
             "bench-env": [], "bench-update": [], "envs": [], "exact": ["{out}/none.h5"], "probe": ["{out}/none"], "table": ["{out}/none.db"],
             "report": ["{out}/none.db", "--out", "{out}/r"]}
    COUNT = ["0"]
    BAD = {"--seed": SEED, "--steps": COUNT, "--checkpoint-every": COUNT, "--seeds": COUNT, "--jobs": COUNT,
           "--transitions": COUNT, "--episodes": COUNT, "--noise": ["-0.1"], "--threads": COUNT, "--compress": ["10"],
           "--jump": ["-1"], "--max-episode-steps": COUNT, "--rows": COUNT, "--features": COUNT, "--hidden": COUNT,
           "--batch": ["1"], "--lr": ["2"], "--ortho": ["-1"], "--seconds": ["61"], "--repeats": COUNT,
           "--members": ["-1"], "--width": COUNT, "--updates": COUNT, "--observation": ["-1", "5000"],
           "--class-size": ["1"], "--states": ["1"], "--actions": ["1"]}

failures = []


def run(arguments):
    return subprocess.run([SPEDER, *arguments], capture_output=True, text=True, timeout=60)


def help_of(command):
    return run([*command, "--help"]).stdout


def commands(path=()):
    """Every command that has no commands of its own."""
    text = help_of(path)
    below = re.search(r"^Subcommands:\n((?:  .*\n|\n)+)", text, re.M)
    if not below:
        return [path]
    names = re.findall(r"^  ([a-z][a-z-]*)(?: |$)", below[1], re.M)
    return [c for name in names if name != "deep" for c in commands((*path, name))]


def numeric_options(command):
    return re.findall(r"^\s+(?:-\w,)?(--[a-z-]+) (INT|UINT|FLOAT)\b", help_of(command), re.M)


def expect_refusal(arguments):
    try:
        got = run(arguments)
    except subprocess.TimeoutExpired:
        failures.append(f"speder {' '.join(arguments)}: still running after 60 s")
        return
    lines = got.stderr.splitlines()
    if got.returncode != 2 or len(lines) != 1 or got.stdout or not re.match("speder(-deep)?: error: ", lines[0]):
        failures.append(f"speder {' '.join(arguments)}: exit {got.returncode}, "
                        f"{len(lines)} lines: {got.stderr.strip()[:200]}{' +stdout' if got.stdout else ''}")


def main(out):
    open(f"{out}/suite.toml", "w").write('experiment = "planted"\n[quick]\nrepetitions = 1\nx = [1]\n')
    open(f"{out}/dense.csv", "w").write("gamma,1\n0.9\nP,2,1,2\n0.5,0.5\n0,1\nr,2,1\n0\n1\nrho,2\n1,0\n")
    if not DEEP:
        made = run(["mdp", "make", "--family", "simplex", "--states", "12", "--actions", "3", "--rank", "3",
                    "--gamma", "0.9", "--out", f"{out}/m.h5"])
        assert made.returncode == 0, made.stderr
    trials = []
    for command in commands():
        options = numeric_options(command)
        name = " ".join(command)
        if options and name not in SMALL:
            failures.append(f"{name}: has numbers but no line in SMALL")
            continue
        for option, kind in options:
            own = f"{name} {option}"
            if option not in BAD:
                failures.append(f"{name} {option}: has no line in BAD")
                continue
            base = [word.format(out=out) for word in SMALL[name]]
            if option in base:  # the last word would be "given twice"
                del base[base.index(option):base.index(option) + 2]
            words = [*GARBAGE, *BEYOND[kind]]
            if DEEP:
                words = [GARBAGE[len(trials) % len(GARBAGE)], BEYOND[kind][len(trials) % len(BEYOND[kind])]]
            for value in [*words, *BAD.get(own, BAD[option])]:
                trials.append([*command, *base, *BESIDE.get(own, BESIDE.get(option, [])), option, value])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(expect_refusal, trials))
    print(f"{len(trials)} out-of-range numbers, {len(failures)} not refused")
    for failure in failures:
        print("FAILED", failure.replace(out, "."))
    return 1 if failures or len(trials) < (100 if DEEP else 400) else 0


with tempfile.TemporaryDirectory() as folder:
    sys.exit(main(folder))
