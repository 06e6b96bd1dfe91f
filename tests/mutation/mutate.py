"""mutate.py BUILD [--count N] [--seed NAME] [--seconds S] [--only FOLDER]...: which small errors do the unit tests catch?

Takes N places at random (0: all) out of every place in src/learning, src/stats, src/sweep and mdp/planners where one
line can be made wrong: a comparison, a sign, a product, a logical word, a bound, a constant, or a statement left out.
Each error is planted alone and its unit tests are built in BUILD. The test file of the same name runs first, then,
where that one does not fail, all test cases of the library. Caught: a test fails, crashes or does not end. Survivors
are printed with the change. No new one is begun after S seconds. The source is put back whatever happens, so use a
copy of the tree:
  cmake -S COPY -B BUILD -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g0" -DSPEDER_UNITY=OFF
"""
import argparse
import math
import pathlib
import random
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = {"src/learning": ["speder_learning_tests"], "src/stats": ["speder_stats_tests"],
         "src/sweep": ["speder_sweep_tests", "speder_parallel_tests"], "mdp/planners": ["speder_mdp_tests"]}
SWAPS = [(r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
         (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" && ", " || "), (r" \|\| ", " && "),
         (r"std::max\b", "std::min"), (r"std::min\b", "std::max"), (r" \+= ", " -= "), (r" -= ", " += "),
         (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"(?<![=!<>a-zA-Z_\])])!(?=[a-z(])", ""),
         (r"(?<![\w.\"'])0(?![\w.'])", "1"), (r"(?<![\w.\"'])1(?![\w.'])", "2"), (r"(?<![\w.\"'])2(?![\w.'])", "3"),
         (r"\b0\.5\b", "0.6"), (r"\b1\.0\b", "1.1")]
STATEMENT = re.compile(r"^\s+[\w\[\]().:>*-]+( [-+*/|]?= .*|\(.*\)|\+\+|--);\s*$")
SKIP = re.compile(r"^\s*(//|#|using |namespace |template|static_assert|\}|return;|require|throw |case |fmt::)|\"")


def places(path):
    """(line, column, old, new) of every error that can be planted in a file."""
    found = []
    for number, line in enumerate(path.read_text().splitlines()):
        code = line.split("  //")[0].rstrip()
        if not code or SKIP.search(code):
            continue
        for pattern, new in SWAPS:
            for match in re.finditer(pattern, code):
                found.append((number, match.start(), match.group(), new))
        if STATEMENT.match(code) and not re.match(r"^\s*(return|const|auto|if|for|while|else|delete|co_)\b", code):
            found.append((number, len(code) - len(code.lstrip()), code.strip(), ";"))
    return found


def mutated(text, place):
    number, column, old, new = place
    lines = text.split("\n")
    line = lines[number]
    assert line[column:column + len(old)] == old, (line, place)
    lines[number] = line[:column] + new + line[column + len(old):]
    return "\n".join(lines)


def passes(program, which, limit):
    try:
        return subprocess.run([ARGS.build / "bin" / program, "--abort", "-#", *which], capture_output=True,
                              timeout=limit).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def built(folder):
    targets = [word for program in TESTS[folder] for word in ("--target", program)]
    return subprocess.run(["cmake", "--build", ARGS.build, *targets], capture_output=True).returncode == 0


def caught(folder, path, limit):
    """A test file that nothing has the name of runs no test case, and passes."""
    near = [f"[#{path.stem}_test]"]
    return any(not passes(program, near, limit) for program in TESTS[folder]) or \
        any(not passes(program, [], limit) for program in TESTS[folder])


def share(killed, survived):
    """Of those that compile the share caught, with Wilson's interval of 95%."""
    n, z = killed + survived, 1.96
    if n == 0:
        return "none"
    p = killed / n
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return f"{100 * p:.0f}% [{100 * low:.0f}, {100 * high:.0f}]"


def main():
    folders = ARGS.only or list(TESTS)
    limits = {}
    for folder in folders:
        start = time.monotonic()
        if not built(folder) or not all(passes(program, [], 1800) for program in TESTS[folder]):
            sys.exit(f"{folder}: the tests do not pass without an error")
        limits[folder] = 20 + 5 * (time.monotonic() - start)
    all_places = [(folder, path, place) for folder in folders for path in sorted((ROOT / folder).glob("*.cpp"))
                  for place in places(path)]
    chosen = all_places
    if ARGS.count:
        chosen = random.Random(ARGS.seed).sample(all_places, min(ARGS.count, len(all_places)))
    tally = {folder: [0, 0, 0] for folder in folders}  # caught, survived, no program
    end = time.monotonic() + ARGS.seconds
    for folder, path, place in chosen:
        if time.monotonic() > end:
            break
        sound = path.read_text()
        try:
            path.write_text(mutated(sound, place))
            if not built(folder):
                tally[folder][2] += 1
            elif caught(folder, path, limits[folder]):
                tally[folder][0] += 1
            else:
                tally[folder][1] += 1
                print(f"SURVIVED {path.relative_to(ROOT)}:{place[0] + 1}: '{place[2]}' -> '{place[3]}' in: "
                      f"{sound.splitlines()[place[0]].strip()}", flush=True)
        finally:
            path.write_text(sound)
    tried = sum(map(sum, tally.values()))
    print(f"{len(all_places)} places, {tried} of {len(chosen)} tried, seed '{ARGS.seed}'")
    print("| folder | caught | survived | did not compile | caught of those that compile |\n|---|---|---|---|---|")
    for folder, (killed, survived, no_program) in tally.items():
        print(f"| {folder} | {killed} | {survived} | {no_program} | {share(killed, survived)} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", default="mutants")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--only", action="append", choices=TESTS)
    ARGS = parser.parse_args()
    main()
