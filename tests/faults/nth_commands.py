"""The commands that nth_call.py disturbs: what each writes, and when two results are equal."""
import contextlib
import functools
import hashlib
import json
import pathlib
import re
import sqlite3
import subprocess

SUITE = 'experiment = "planted"\n[quick]\nrepetitions = 6\nx = [1, 4, 16]\n'
LEARN = "learn online --mdp in.h5 --class-size 8 --episodes 40 --seed 3"
TINY = ("--set feature_dim=8 --set feature_hidden=[8] --set critic_width=8 --set actor_hidden=[8] --set batch=8 "
        "--set random_steps=50 --set eval_every=100 --set eval_episodes=1 --checkpoint-every 1")
IMITATE = ("--suite quick --layout medium --method bc --method speder --seeds 1 --set rows=600 --set expert_episodes=1 "
           "--set hidden=[8] --set latent=4 --set rnn=4 --set batch=4 --set pretrain_steps=6 --set steps=6 "
           "--set eval_every=3 --set eval_episodes=1 --set final_episodes=1 --checkpoint-every 3")


def or_damaged(compare):
    @functools.wraps(compare)
    def guarded(path):
        try:
            return compare(path)
        except (IndexError, sqlite3.Error, ValueError):
            return "damaged"

    return guarded


@or_damaged
def store_rows(path):
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return repr(sorted(db.execute("SELECT experiment, cell, repetition, status, error, metric, n, value "
                                      "FROM runs LEFT JOIN rows ON run = id WHERE metric IS NULL OR metric != 'seconds'")))


@or_damaged
def without_seconds(path):
    lines = [line.split(",") for line in pathlib.Path(path).read_text().splitlines()]
    keep = [i for i, name in enumerate(lines[0]) if name != "seconds"]
    return repr([[line[i] for i in keep] for line in lines])


def plain(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def without_times(path):
    """Of a page or a PDF: all but when it was made and how long that took."""
    text = pathlib.Path(path).read_bytes()
    return hashlib.sha256(re.sub(rb"/CreationDate \(D:\d+Z|[\d.]+ s of computing", b"", text)).hexdigest()


@or_damaged
def scalars(path):
    """Of a TensorBoard log: its records without their clock (a double at byte 1) and their checksums."""
    data, at, out = pathlib.Path(path).read_bytes(), 0, []
    while at < len(data):
        size = int.from_bytes(data[at:at + 8], "little")
        record = data[at + 12:at + 12 + size]
        out.append(record[9:] if len(record) == size and len(data) >= at + 16 + size else b"cut short")
        at += 16 + size
    return repr(out)


SECOND = {".db": store_rows, ".csv": without_seconds, ".pdf": without_times, ".html": without_times, ".speder": scalars}
# SQLite's, a lock's, and a temporary that could not be removed: whether they stay is nobody's result.
PASSING = ("-wal", "-shm", "-journal", ".lock", ".tmp")


def everything(folder, inputs):
    """Every file that a command has made, by name: a second file may be lost where the first one is whole."""
    return {str(path.relative_to(folder)): SECOND.get(path.suffix, plain)(path) for path in sorted(folder.rglob("*"))
            if path.is_file() and not (inputs / path.relative_to(folder)).exists() and not path.name.endswith(PASSING)}


@or_damaged
def parses(path):
    """Of a page whose bytes hold times: that it is whole."""
    return repr(sorted(json.loads(pathlib.Path(path).read_text())))


# name: command, what it writes and how two results are compared
COMMANDS = {
    "mdp make": ("mdp make --family lock --seed 2 --out out.h5", "out.h5", plain),
    "mdp import": ("mdp import in.csv --gamma 0.9 --out out.h5", "out.h5", plain),
    "solve": ("solve in.h5 --out out.h5", "out.h5", plain),
    "learn csv": (LEARN + " --out out.csv", "out.csv", without_seconds),
    "learn db": (LEARN + " --out out.db", "out.db", store_rows),
    "learn plot": (LEARN + " --plot out.svg", "out.svg", plain),
    "learn several": (LEARN + " --algorithm speder --algorithm greedy --seeds 2 -j1 --out out.db", "out.db", store_rows),
    "class": ("learn offline --mdp in.h5 --transitions 50 --class-size 8 --save-class out.h5", "out.h5", plain),
    "data": ("learn offline --mdp in.h5 --transitions 50 --class-size 8 --save-data out.h5", "out.h5", plain),
    "scale": ("scale --family needle --axis rank=8,12,16,20 --actions 2 --gamma 0.8 --epsilon 0.2 --budget 30 --seeds 2 "
              "-j1 -o out.db", "out.db", store_rows),
    "worst": ("worst --values 2 3 --budget 2 --episodes 32 --runs 1 --fresh-runs 2 --epsilon 0.5 --class-size 2 -j1 "
              "--out out", "out/worst-d3.h5", plain),
    "sweep": ("sweep suite.toml -j1 -o out.db", "out.db", store_rows),
    "audit": ("audit --only simulation-first --findings out.json", "out.json", plain),
    "report": ("report in.db --out out", "out/index.html", plain),
}
# Minutes each, hence at few places and only when asked for by --only.
LONG = {
    "validate": ("validate --only table1 -j1 --out out", "out/report.json", parses),
    "bench": ("bench --only factored --json", None, None),
}
DEEP = {
    "deep train": ("train --json --packages {packages} --env CartPole --algorithm sac2 --steps 150 --out out " + TINY,
                   "out/run.db", store_rows),
    "deep bench": ("bench --packages {packages} --envs CartPole:60 --algorithms sac2 --seeds 1 --jobs 1 --out out " + TINY,
                   "out/runs.db", store_rows),
    "deep imitate": ("imitate --packages {packages} --out out " + IMITATE, "out/imitate.db", store_rows),
    "deep heatmap": ("heatmap --packages {packages} --objective exact --steps 20 --features 8 --hidden 8 --batch 8 --out out",
                     "out/heatmap.db", store_rows),
    "deep data": ("data pointmaze --packages {packages} --layout medium --style diverse --transitions 3000 --out out.h5",
                  "out.h5", plain),
}


def make_inputs(speder):
    pathlib.Path("inputs").mkdir()
    run = lambda *words: subprocess.run([speder, *words], cwd="inputs", capture_output=True, check=True)
    run("mdp", "make", "--family", "simplex", "--states", "12", "--actions", "3", "--rank", "3", "--out", "in.h5")
    pathlib.Path("inputs/suite.toml").write_text(SUITE)
    pathlib.Path("inputs/in.csv").write_text("s,a,s',p,r\n0,0,1,1,0.5\n1,0,0,0.5,1\n1,0,1,0.5,1\n")
    run("sweep", "suite.toml", "-o", "in.db")
