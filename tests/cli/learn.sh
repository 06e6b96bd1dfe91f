#!/usr/bin/env bash
# `speder learn` as a person uses it: learn.sh <speder>
set -uo pipefail
speder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
small="--family simplex --states 12 --actions 3 --rank 3 --gamma 0.9 --class-size 40"

refused() {  # refused TEXT ARGS...: exit code 2, nothing on stdout, one line on stderr with TEXT
  local text=$1; shift
  "$speder" learn "$@" >"$work/out" 2>"$work/err"; local code=$?
  if [ $code != 2 ] || [ -s "$work/out" ] || [ "$(wc -l <"$work/err")" != 1 ] || ! grep -qF -- "$text" "$work/err"; then
    echo "FAILED refused: $* (exit $code)"; cat "$work/err"; failed=1
  fi
}
works() {  # works TEXT ARGS...: exit code 0, TEXT on stdout, nothing on stderr
  local text=$1; shift
  if ! "$speder" learn "$@" >"$work/out" 2>"$work/err" || [ -s "$work/err" ] || ! grep -qF -- "$text" "$work/out"; then
    echo "FAILED works: $*"; cat "$work/out" "$work/err"; failed=1
  fi
}
check() {  # check NAME CONDITION...
  local name=$1; shift
  if ! "$@"; then echo "FAILED check: $name"; failed=1; fi
}

works "speder learn online" online --help
works "coverage" offline --help
works "gap_mixture" online $small --episodes 50 --bonus tuned
works '"optimism"' online $small --episodes 50 --algorithm known-phi --json
works "error_rho" offline $small --transitions 200 --behaviour coverage --omega 20 --mix 0.3
works '"profile"' estimate $small --transitions 200 --criterion likelihood --profile --json
works "kl" estimate $small --transitions 200 --data trajectory --class product

# Several learners and seeds: each run is the one that its seed alone makes, for any number of jobs.
works "median and 10–90% band over 3 seeds" online $small --episodes 100 --bonus tuned --algorithm speder \
  --algorithm greedy --seeds 3 --seed 4 -j1 --out "$work/several.csv" --plot "$work/several.png"
works "drawn" online $small --episodes 100 --bonus tuned --algorithm speder --algorithm greedy --seeds 3 --seed 4 \
  -j2 --out "$work/again.csv" --plot "$work/several.svg"
check "a curve of one learner" grep -q "<title>speder" "$work/several.svg"
check "and of the other" grep -q "<title>greedy\|not shown: greedy" "$work/several.svg"
cut -d, -f1-19 "$work/several.csv" >"$work/rows1"
cut -d, -f1-19 "$work/again.csv" >"$work/rows2"
check "jobs change no row" cmp "$work/rows1" "$work/rows2"
"$speder" learn online $small --episodes 100 --bonus tuned --algorithm greedy --seed 5 --out "$work/single.csv" >/dev/null
cut -d, -f1-17 "$work/single.csv" | tail -n +2 >"$work/rows1"
grep '^greedy,5,' "$work/several.csv" | cut -d, -f3-19 >"$work/rows2"
check "one of several is the single run" cmp "$work/rows1" "$work/rows2"
works '"runs"' offline $small --transitions 100 --algorithm speder --algorithm clone --seeds 2 --json --out "$work/several.db"
check "the runs in the store" [ "$("$speder" report "$work/several.db" --rows | cut -d, -f2,3 | sort -u | wc -l)" = 5 ]
works "greedy" offline $small --transitions 200 --save-data "$work/d.h5" --algorithm greedy
works "greedy" offline $small --data "$work/d.h5" --algorithm speder --algorithm greedy --algorithm clone
refused "same data" offline $small --data "$work/d.h5" --seeds 2
refused "for one run" offline $small --transitions 20 --seeds 2 --save-data "$work/e.h5"
refused "given twice" online $small --algorithm speder --algorithm speder
refused "no algorithm 'speeder'" online $small --algorithm speder --algorithm speeder
refused "--seeds" online $small --seeds 0

# The same command gives the same rows, the clock apart.
for i in 1 2; do
  "$speder" learn online $small --episodes 300 --seed 5 --bonus tuned --out "$work/run$i.csv" >/dev/null
  cut -d, -f1-17 "$work/run$i.csv" >"$work/rows$i"
done
check "same seed, same rows" cmp -s "$work/rows1" "$work/rows2"
check "a row for n = 300" grep -q '^300,' "$work/rows1"

works drawn online $small --episodes 50 --bonus tuned --plot "$work/p.svg"
check "a picture" grep -q "<svg" "$work/p.svg"
works drawn estimate $small --transitions 100 --out "$work/e.csv" --plot
check "a picture beside the rows" grep -q "<svg" "$work/e.svg"
refused ".svg, .png, .pdf or .tex" online $small --episodes 50 --plot "$work/p.gif"

works written online $small --episodes 50 --out "$work/run.db"
works written online $small --episodes 50 --out "$work/run.db" --seed 2
refused "has this run already" online $small --episodes 50 --out "$work/run.db"

"$speder" mdp make --family lock --states 20 --actions 3 --rank 5 --gamma 0.9 --out "$work/m.h5" >/dev/null
works regret online --mdp "$work/m.h5" --class-size 20 --episodes 50
refused "gamma mismatch" online --mdp "$work/m.h5" --gamma 0.95 --class-size 20 --episodes 50
refused "give the MDP once" online --class-size 20 --episodes 50
refused "give the MDP once" online --mdp "$work/m.h5" --family lock --episodes 50
refused "missing.h5" online --mdp "$work/missing.h5" --episodes 50
refused "episodes must be at least 1" online $small --episodes 0
refused "at least one transition" offline $small --transitions 0
refused "no algorithm 'magic'" online $small --algorithm magic
refused "unknown class" online $small --class cube
refused "class-size" online $small --class-size 0
refused "c_alpha" online $small --c-alpha -1
refused "must end in" online $small --episodes 5 --out "$work/run.txt"
refused "--bonus" online $small --bonus huge

# Ctrl-C keeps what is done.
"$speder" learn online $small --episodes 100000000 --out "$work/cut.csv" >"$work/out" 2>"$work/err" &
pid=$!
sleep 2
kill -INT $pid
wait $pid
check "exit 130" [ $? = 130 ]
check "rows kept" [ "$(wc -l <"$work/cut.csv")" -gt 5 ]
check "says so" grep -q "interrupted at n" "$work/err"
exit $failed
