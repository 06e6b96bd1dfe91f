#!/usr/bin/env python3
"""references.py citations|paths|map|experiments ROOT: what comments and pages refer to is there.

citations  every label (lem:regret) is one of the paper (docs/paper-labels.txt), every page that a comment names
           is a file of this repository, and DEVIATION-n of the code and of PAPER.md are the same.
paths      every file or folder that a page (but CHANGELOG.md) names in `code` or links to exists.
map        every folder that ARCHITECTURE.md lists exists, and every folder with sources is listed.
experiments  docs/extending.md, An experiment: suites, registry, CMake list and the table of docs/sweeps.md agree,
           and the page shows the experiment that recipe_test.cpp runs.
"""
import pathlib
import re
import sys

FOLDERS = ("src", "mdp", "oracle", "experiments", "deep", "plots", "tests", "docs", "cmake", "setup", "examples",
           "python", ".ci", ".github")
LABEL = re.compile(r"\b(?:alg|assump|eq|fig|lem|line|sec|section|tab|table|thm|appendix):[\w-]+")
faults = []


def fault(file, number, text):
    faults.append(f"{file}:{number}: {text}")


def files(root, *suffixes, under=FOLDERS):
    for folder in under:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path


def page_exists(root, name):
    return (root / name).is_file()


def citations(root):
    labels = set((root / "docs/paper-labels.txt").read_text().split())
    numbered = {}
    seen = 0
    for path in files(root, ".hpp", ".cpp", ".py", ".sh", ".cmake", ".toml"):
        if "corpus" in path.parts or "lint" in path.parts:
            continue
        here = path.relative_to(root)
        comment = "//" if path.suffix in (".hpp", ".cpp") else "#"
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for found in re.findall(r"DEVIATION(-D?\d+)?", line):
                if not found:
                    fault(here, number, "a deviation without its number in PAPER.md")
                numbered.setdefault(found.lstrip("-"), f"{here}:{number}")
            for label in LABEL.findall(line):  # in comments, and in the sources of the audit's claims
                seen += 1
                if label not in labels:
                    fault(here, number, f"{label} is no label of the paper")
            if comment not in line and path.suffix != ".py":
                continue
            text = line if path.suffix == ".py" else line[line.index(comment):]
            for name in re.findall(r"[\w/.-]*\w\.md\b", text):
                seen += 1
                if not page_exists(root, name):
                    fault(here, number, f"{name} is no page of this repository (from its root)")
            if re.search(r"§", text):
                fault(here, number, "pages here have no numbered sections")
    for page in (root / "PAPER.md", *(root / "docs").glob("*.md")):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for label in re.findall(LABEL.pattern + r"(?!\*)\b", line):
                seen += 1
                if label not in labels and not any(one.startswith(label) for one in labels):
                    fault(page.relative_to(root), number, f"{label} is no label of the paper")
    listed = set(re.findall(r"DEVIATION-(D?\d+)", (root / "PAPER.md").read_text()))
    for name in sorted(set(numbered) - listed - {""}):
        fault(*numbered[name].split(":"), f"DEVIATION-{name} is not in PAPER.md")
    for name in sorted(listed - set(numbered)):
        fault("PAPER.md", 0, f"DEVIATION-{name} is marked nowhere in the code")
    return seen


def expand(name):
    """a/{b,c}_d -> a/b_d, a/c_d"""
    found = re.search(r"\{([^{}]*)\}", name)
    if not found:
        return [name]
    return [one for part in found[1].split(",") for one in expand(name[:found.start()] + part + name[found.end():])]


def there(root, name):
    name = name.rstrip("/")
    if any(c in name for c in "*?"):
        return any(root.glob(name)) or any(root.glob(name + ".*"))
    # A source is named without its ending when it is a pair.
    return (root / name).exists() or any((root / name).parent.glob(pathlib.Path(name).name + ".*"))


def paths(root):
    seen = 0
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    for page in sorted(pages):
        here = page.relative_to(root)
        if page.name == "CHANGELOG.md":  # it names what was
            continue
        fenced = False
        for number, line in enumerate(page.read_text().splitlines(), 1):
            if line.lstrip().startswith("```"):
                fenced = not fenced
                continue
            if fenced:
                continue
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", line):
                if "://" in target or "{" in target:  # the latter is a formula
                    continue
                seen += 1
                if not (page.parent / target).exists():
                    fault(here, number, f"the link {target} leads nowhere")
            for code in re.findall(r"`([^`]+)`", line):
                for word in code.split():
                    word = word.strip(",;:").split("#")[0]
                    if word.split("/")[0] not in FOLDERS or "/" not in word or re.search(r"[<>$…]", word):
                        continue
                    for name in expand(word):
                        seen += 1
                        if not there(root, name):
                            fault(here, number, f"`{name}` is not in the tree")
    return seen


def tree_map(root):
    page = root / "ARCHITECTURE.md"
    text = page.read_text()
    listed = set(re.findall(r"^\| `([\w/.]+)/` \|", text, re.M))
    for folder in sorted(listed):
        if not (root / folder).is_dir():
            fault("ARCHITECTURE.md", 0, f"{folder}/ is not in the tree")
    code = ("src", "mdp", "oracle", "experiments", "deep", "plots", "python")
    for path in files(root, ".hpp", ".cpp", under=code):
        folder = path.parent.relative_to(root)
        # One experiment, one folder: experiments/rates/<id> is a single row of the map.
        if str(folder.parent) == "experiments/rates":
            folder = folder.parent
        if str(folder) not in listed:
            fault("ARCHITECTURE.md", 0, f"{folder}/ has sources and is not in the map")
            listed.add(str(folder))
    return len(listed)


def experiments(root):
    rates = root / "experiments/rates"
    registry = (rates / "registry.cpp").read_text()
    rows = re.findall(r'^      \{"([\w-]+)",', registry, re.M)
    build = (root / "experiments/CMakeLists.txt").read_text()
    table = (root / "docs/sweeps.md").read_text().split("## The experiments")[1]
    suites = {}
    for suite in sorted(rates.glob("*/*.toml")):
        name = re.search(r'^experiment = "([^"]+)"', suite.read_text(), re.M)[1]
        suites[name] = suite.parent
        for part in ("run", "judge"):
            file = suite.parent / f"{part}.cpp"
            if not file.is_file() or f"rates/{suite.parent.name}/{part}.cpp" not in build:
                fault(suite.relative_to(root), 1, f"{part}.cpp is not beside it or not in experiments/CMakeLists.txt")
    for name in sorted(set(suites) ^ set(rows)):
        fault("experiments/rates/registry.cpp", 0, f"{name} has a suite or a row, not both")
    for name in rows:
        if not re.search(rf"^\|[^|]*\b{name}\b", table, re.M):
            fault("docs/sweeps.md", 0, f"{name} is not in the table of experiments")
    recipe = (root / "docs/extending.md").read_text()
    coin = root / "tests/unit/experiments/coin"
    for file in sorted(coin.iterdir()):
        if f"\n{file.read_text()}```\n" not in recipe:
            fault("docs/extending.md", 0, f"does not show {file.relative_to(root)} as it is")
    return len(rows) + len(suites)


def main():
    root = pathlib.Path(sys.argv[2]).resolve()
    checked = {"citations": citations, "paths": paths, "map": tree_map, "experiments": experiments}[sys.argv[1]](root)
    for line in faults:
        print(line)
    print(f"{checked} references, {len(faults)} faults")
    return 1 if faults or checked < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
