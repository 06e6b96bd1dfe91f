"""coverage.py BUILD [--uncovered FOLDER]...: line and branch coverage of the product, by folder.

BUILD was made with -DCMAKE_CXX_FLAGS=--coverage, and tests were run in it. The one command that does all of it is
tests/coverage/run. gcov reads what the programs wrote down; a line or a branch that several units hold counts once,
and as taken if any of them took it. Branches that only exceptions take are left out: nearly every call has one.
--uncovered lists lines and branches of a folder that nothing took.
"""
import argparse
import collections
import json
import pathlib
import subprocess

FOLDERS = ("src", "mdp", "oracle", "experiments", "plots", "deep")


def reports(build):
    """What gcov says of each unit, one JSON object at a time."""
    data = sorted(build.rglob("*.gcda"))
    for start in range(0, len(data), 20):
        got = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", *map(str, data[start:start + 20])],
                             cwd=build, capture_output=True, text=True, errors="replace", check=True)
        for line in got.stdout.splitlines():
            if line.startswith("{"):
                yield json.loads(line)


def product_file(root, name, folder):
    path = pathlib.Path(folder, name).resolve()
    if not path.is_relative_to(root):
        return None
    inside = path.relative_to(root)
    return inside if inside.parts[0] in FOLDERS else None


def gather(root, build):
    lines, branches = collections.Counter(), collections.Counter()
    links = {}  # include/speder/… are links into the tree
    for report in reports(build):
        for file in report["files"]:
            key = (file["file"], report["current_working_directory"])
            if key not in links:
                links[key] = product_file(root, file["file"], report["current_working_directory"])
            path = links[key]
            if path is None:
                continue
            for line in file["lines"]:
                here = (path, line["line_number"])
                lines[here] += line["count"]
                for i, branch in enumerate(line["branches"]):
                    if not branch["throw"]:
                        branches[here + (i,)] += branch["count"]
    return lines, branches


def share(counter, keys):
    taken = sum(counter[key] > 0 for key in keys)
    return f"{taken} of {len(keys)} ({100 * taken / len(keys):.1f}%)" if keys else "none"


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    lines, branches = gather(root, ARGS.build)
    folders = sorted({str(pathlib.Path(*key[0].parts[:2] if len(key[0].parts) > 2 else key[0].parts[:1])) for key in lines})
    print("| folder | lines | branches |\n|---|---|---|")
    for folder in [*folders, "."]:
        inside = lambda key: folder == "." or key[0].is_relative_to(folder)
        print(f"| {'all' if folder == '.' else folder} | {share(lines, [k for k in lines if inside(k)])} | "
              f"{share(branches, [k for k in branches if inside(k)])} |")
    for folder in ARGS.uncovered or []:
        missing = collections.defaultdict(set)
        for key, count in lines.items():
            if count == 0 and key[0].is_relative_to(folder):
                missing[key[0]].add((key[1], "line"))
        for key, count in branches.items():
            if count == 0 and lines[key[:2]] > 0 and key[0].is_relative_to(folder):
                missing[key[0]].add((key[1], "branch"))
        for path in sorted(missing):
            text = (root / path).read_text().splitlines()
            for number, what in sorted(missing[path]):
                print(f"{path}:{number}: {what}: {text[number - 1].strip()[:110]}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--uncovered", action="append")
    ARGS = parser.parse_args()
    main()
