#!/usr/bin/env bash
# latex_test.sh <pdflatex> FILE.tex...: every TikZ figure and LaTeX table compiles in a document that has TikZ and nothing
# else, without a missing character; a broken one is noticed.
set -euo pipefail
pdflatex=$1; shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compile() {  # compile FILE: 0 when it becomes a page
  { printf '\\documentclass{article}\n\\usepackage{tikz}\n'  # what the figure's first line asks for, no more
    printf '\\pagestyle{empty}\\begin{document}\\noindent\n'; cat "$1"; printf '\\end{document}\n'; } >"$work/page.tex"
  (cd "$work" && rm -f page.pdf && "$pdflatex" -interaction=nonstopmode -halt-on-error page.tex >page.out 2>&1 && [ -s page.pdf ] &&
    ! grep -q 'Missing character' page.log)
}
printf '\\begin{tikzpicture}\\node at (0,0) {$x^2^3$};\\end{tikzpicture}\n' >"$work/bad.tex"
! compile "$work/bad.tex" || { echo "FAIL: a broken figure compiled"; exit 1; }
printf 'a \\textquotedbl{} that only some encodings have\n' >"$work/bad.tex"
! compile "$work/bad.tex" || { echo "FAIL: a sign of another encoding compiled"; exit 1; }
for file in "$@"; do
  compile "$file" || { echo "FAIL: $file"; grep -A3 '^!' "$work/page.log" | head -8; exit 1; }
  ! grep -q '{[^}]*?[^}]*};$' "$file" || { echo "FAIL: $file has a sign that LaTeX was not told"; exit 1; }
done
echo "$# files"
