"""hostile_store.py <speder>: a result store and an audit.json in which every text is an attack.

The report must either be refused with one line or show the texts as texts: no tag, attribute or
entity of theirs is live in the page, in its pictures or in its tables.
"""
import csv
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
from html.parser import HTMLParser

SPEDER = sys.argv[1]
ATTACK = "\"'><script>trap()</script><img src=x onerror=trap()> </style></pre></svg>&#60;"
AUDIT_KEYS = ["id", "source", "statement", "verdict", "instances", "worst_ratio", "counterexample",
              "corrected_by"]


class Page(HTMLParser):
    """Collects what a browser would run or load."""

    def __init__(self):
        super().__init__()
        self.live = []

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "img", "iframe", "object", "embed", "base", "form"):
            self.live.append(tag)
        for name, value in attrs:
            if name.startswith("on") or (value or "").lower().lstrip().startswith("javascript:"):
                self.live.append(f"{tag} {name}")


def run(*arguments):
    return subprocess.run([SPEDER, *arguments], capture_output=True, text=True, timeout=120)


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def poison(store, text):
    """Puts the attack into every text column; the experiment keeps its name, or nothing is drawn."""
    with sqlite3.connect(store) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("DROP TABLE checks")
        db.execute("UPDATE manifest SET config = config || ?", (f"\n# {text}\n",))  # still TOML
        for column in ("version", "commit_id", "compiler", "build_type"):
            db.execute(f"UPDATE manifest SET {column} = ?", (text,))
        db.execute("UPDATE runs SET error = ?, status = 'failed' WHERE repetition = 0", (text,))
        changed = db.execute("SELECT count(*) FROM runs WHERE error = ?", (text,)).fetchone()[0]
    check(changed > 0, "nothing was poisoned")


def judge(folder):
    pages = list(pathlib.Path(folder).rglob("*.html")) + list(pathlib.Path(folder).rglob("*.svg"))
    check(len(pages) >= 2, "no page, no picture")
    for page in pages:
        parser = Page()
        text = page.read_text()
        if page.suffix == ".html":  # its own script, which stands at the end and has no text of a store in it
            head, own, tail = text.rpartition("<script>")
            check(own and "trap" not in tail and tail.endswith("</script>\n</body>\n</html>\n"), f"{page.name}: its script")
            text = head
        parser.feed(text)
        check(not parser.live, f"{page.name}: live: {parser.live}")
    return "".join(p.read_text() for p in pages)


def main():
    pathlib.Path("suite.toml").write_text(
        'experiment = "planted"\n[quick]\nrepetitions = 10\nx = [1, 4, 16]\n')
    check(run("sweep", "suite.toml", "-o", "s.db").returncode == 0, "the sweep")
    # The judge can see an attack.
    parser = Page()
    parser.feed(f"<p>{ATTACK}</p>")
    check(len(parser.live) >= 3, "the judge is blind")

    poison("s.db", ATTACK)
    pathlib.Path("audit.json").write_text(json.dumps([{key: ATTACK for key in AUDIT_KEYS}]))
    got = run("report", "s.db", "--out", "out", "--audit", "audit.json")
    check(got.returncode == 0, f"report: {got.stderr}")
    shown = judge("out").count("&lt;script&gt;trap()")
    check(shown >= len(AUDIT_KEYS) + 5, f"only {shown} of the texts are shown")

    # Cells and experiment names that no program of ours writes: shown as text or refused.
    with sqlite3.connect("s.db") as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("UPDATE runs SET cell = ? || '=' || repetition || cell", (ATTACK,))
    got = run("report", "s.db", "--out", "cells")
    check(got.returncode in (0, 2) and (got.returncode == 0 or len(got.stderr.splitlines()) == 1),
          f"hostile cells: exit {got.returncode} {got.stderr}")
    if got.returncode == 0:
        judge("cells")
    with sqlite3.connect("s.db") as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("UPDATE manifest SET experiment = ?", (ATTACK,))
        db.execute("UPDATE runs SET experiment = ?", (ATTACK,))
    got = run("report", "s.db", "--out", "names")
    check(got.returncode in (0, 2), f"a hostile experiment: exit {got.returncode} {got.stderr}")
    if got.returncode == 0:
        judge("names")
    got = run("report", "s.db", "--rows")  # CSV: one record a run and metric, whatever the texts are
    check(got.returncode == 0, f"rows as CSV: {got.stderr}")
    widths = {len(row) for row in csv.reader(got.stdout.splitlines())}
    check(widths == {8}, f"rows as CSV: {widths} fields")
    print("ok")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
