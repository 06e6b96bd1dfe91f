#!/usr/bin/env bash
# deep_page_test.sh <speder-deep> <source folder> <chromium or ""> <pdflatex or "">: the tables, curves and page of the stores
# that docs/evidence keeps.
set -euo pipefail
deep=$1 source=$2 chromium=${3:-} pdflatex=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAIL: $*" >&2; exit 1; }
stores=("$source"/docs/evidence/{classic,cheetah,cheetah-dmc}.db)
export COLUMNS=400
for format in text markdown latex csv; do "$deep" table "${stores[@]}" --format $format >table.$format || fail "table --format $format"; done
grep -q 'MBBL.s Hopper, without early termination' table.text || fail "no footnote of a misprint"
grep -q '^mbbl,ME-TRPO\*,published,Hopper-ET,1272.5,500.9,,4.9,4$' table.csv || fail "the right number of a misprinted cell"
python3 - <<'PY' || fail "the tables differ"
import csv
rows = list(csv.DictReader(open("table.csv", encoding="utf-8")))
ours = [r for r in rows if r["source"] == "ours"]
assert len(ours) >= 8 and len(rows) - len(ours) == 10 * 10 + 8 * 6, len(rows)
for name in ("table.text", "table.markdown"):
    text = open(name, encoding="utf-8").read()
    for r in ours:
        assert f"{float(r['mean']):.1f}" in text, (name, r)
PY
"$deep" table "${stores[@]}" --draw curves.svg --width 7 --palette grey >/dev/null
head -1 curves.svg.csv | grep -q '^figure,panel,kind,label,x,y,low,high$' || fail "no numbers beside the curves"
"$deep" report "${stores[@]}" --out page >/dev/null || fail "report"
for file in learning-curves aggregates profiles improvement; do [ -s "page/figures/$file.tex" ] && [ -s "page/data/$file.csv" ] || fail "no $file"; done
grep -q 'fewer than five seeds: their intervals are weak' page/index.html || fail "the page does not say that intervals are weak"
grep -q 'speder deep train --env Pendulum --algorithm sac3' page/index.html || fail "no command to repeat a run"
if [ -n "$chromium" ]; then
  /usr/bin/python3 "$source/tests/plots/check_figures.py" "$chromium" page/figures/*.svg curves.svg || fail "the figures"
  /usr/bin/python3 "$source/tests/plots/check_page.py" "$chromium" page || fail "the page"
  # All kept runs, of many kinds, in one column of a paper.
  "$deep" report "$source"/docs/evidence/*.db --out column --width 3.4 >/dev/null || fail "report of all"
  for file in learning-curves aggregates profiles improvement; do [ -s "column/figures/$file.svg" ] || fail "no $file of all"; done
  /usr/bin/python3 "$source/tests/plots/check_figures.py" "$chromium" column/figures/*.svg || fail "the figures of one column"
fi
# One kind of runs is one row, though some tasks alone have the other kinds.
"$deep" table "$source"/docs/evidence/*.db --suite mbbl --format csv |
  python3 -c '
import csv, sys
rows = {}
for r in csv.DictReader(sys.stdin):
    if r["source"] == "ours":
        rows.setdefault(r["row"], set()).add(r["task"])
full = [name for name, tasks in rows.items() if name.startswith("speder") and len(tasks) == 5]
assert len(full) == 2, rows
' || fail "the rows of SPEDER"
[ -z "$pdflatex" ] || "$source/tests/plots/latex_test.sh" "$pdflatex" page/figures/*.tex table.latex || fail "LaTeX"
echo ok
