#!/usr/bin/env bash
# worst.sh <speder>: a search killed at any moment and started again ends in the same report; what it leaves can be
# used; bad input is one line and exit code 2.
set -euo pipefail
speder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAIL: $*" >&2; exit 1; }
options=(--values 2 3 --class-size 4 --budget 40 --runs 4 --fresh-runs 8 --episodes 512 --epsilon 0.2)

"$speder" worst "${options[@]}" --out whole --jobs 1 >whole.txt
grep -q "80 instances tried" whole.txt || fail "the report does not say how many were tried: $(cat whole.txt)"
for file in search.db report.json worst-d2.h5 worst-d2.json worst-d3.h5 worst-d3.json; do
  [ -e "whole/$file" ] || fail "no $file"
done

kills=0
for pause in 0.02 0.05 0.1 0.15 0.2 0.3; do
  "$speder" worst "${options[@]}" --out killed --jobs 2 >/dev/null 2>&1 & child=$!
  disown
  sleep "$pause"
  kill -9 "$child" 2>/dev/null && kills=$((kills + 1))
  while kill -0 "$child" 2>/dev/null; do sleep 0.02; done
done
[ "$kills" -ge 2 ] || fail "only $kills kills hit a running search"
"$speder" worst "${options[@]}" --out killed --jobs 2 >/dev/null
cmp whole/report.json killed/report.json || fail "after $kills kills the report differs"
cmp whole/worst-d3.json killed/worst-d3.json || fail "after $kills kills the worst instance differs"

"$speder" worst --replay whole/worst-d3.json --seed 7 --fresh-runs 4 >replay.txt
grep -q "N(epsilon, 0.1) = " replay.txt || fail "replay: $(cat replay.txt)"
"$speder" mdp check whole/worst-d3.h5 >/dev/null || fail "the worst MDP is no MDP file"

refused() {
  local word=$1 code=0 message
  shift
  message=$("$speder" worst "$@" 2>&1 >/dev/null) || code=$?
  [ "$code" = 2 ] || fail "$*: exit code $code, not 2"
  [ "$(printf '%s\n' "$message" | wc -l)" = 1 ] || fail "$*: more than one line: $message"
  case "$message" in *"$word"*) ;; *) fail "$*: unclear: $message" ;; esac
}
refused "--out"
refused "axis" --axis gamma --out x
refused "must increase" --values 4 3 --out x
refused "kind" --kind lock --out x
refused "ranks 8, 12" --kind needle --values 10 --out x
refused "not an instance" --replay whole/report.json
refused "settings" "${options[@]}" --gamma 0.7 --out whole
[ ! -e x ] || fail "a refused search left a folder"
