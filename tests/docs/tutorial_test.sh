#!/usr/bin/env bash
# tutorial_test.sh <speder> <source folder>: every command of docs/tutorial.md, in order, in one folder; and
# the numbers that the page shows are the ones that come out.
set -euo pipefail
speder=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
ln -s "$source/experiments" "$source/examples" .
mkdir bin; ln -s "$speder" bin/speder; ln -s /usr/bin/python3 bin/python3
export PATH=$work/bin:$PATH
page=$source/docs/tutorial.md
sed -n '/^```sh$/,/^```$/p' "$page" | grep -v '^```' >commands.sh
[ "$(wc -l <commands.sh)" -ge 10 ] || { echo "FAILED: the page has no commands"; exit 1; }
while read -r command; do
  bash -c "$command" >out.txt 2>err.txt || { echo "FAILED: $command"; cat err.txt; exit 1; }
  cat out.txt >>all.txt
done <commands.sh
# Rows of the page's tables: their words appear, in this order, in one line of the output.
shown=0
while read -r line; do
  pattern=$(sed 's/[][\.*^$/+?(){}|]/\\&/g; s/  */[^a-z]+.*/g' <<<"$line")
  grep -qE -- "$pattern" all.txt || { echo "FAILED: the page shows a line that does not come out: $line"; exit 1; }
  shown=$((shown + 1))
done < <(sed -n '/^```$/,/^```$/p' "$page" | grep -E '^[0-9a-z_]+ +[0-9.]+ ')
[ "$shown" -ge 8 ] || { echo "FAILED: only $shown lines of the page were compared"; exit 1; }
[ -s gap.svg ] && [ -s report/index.html ] || { echo "FAILED: no picture, no report"; exit 1; }
echo "$(wc -l <commands.sh) commands, $shown lines compared"
