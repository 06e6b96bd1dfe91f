#!/usr/bin/env bash
# compare_baselines.sh SPEDER_DEEP PYTHON: planned actions and fits of pets-cem and updates of dreamer per CPU-second,
# ours and in eager PyTorch, in turns, five times; prints the median ratios. PYTHON needs torch 2.15.0.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
deep=$1 python=$2
rate() { tr -d '\n' <<<"$1" | sed "s/.*\"$2\": *\([0-9.e+-]*\).*/\1/"; }
compare() {  # algorithm, eager script, updates of ours, keys
  local name=$1 script=$2 updates=$3 ours eager key; shift 3
  for _ in 1 2 3 4 5; do
    ours=$("$deep" bench-update --algorithm "$name" --updates "$updates" --repeats 1 --json)
    eager=$("$python" "$here/$script" --updates 10 --repeats 1)
    for key in "$@"; do
      awk -v n="$name $key" -v o="$(rate "$ours" "$key")" -v e="$(rate "$eager" "$key")" \
        'BEGIN { printf "%s: %.2f eager %.2f ratio %.3f\n", n, o, e, o / e }'
    done
  done | tee >(cat >&2) | sort -k1,2 -k7n | awk '{ seen[$1 " " $2]++; if (seen[$1 " " $2] == 3) print "median of " $0 }'
}
compare pets-cem eager_planning.py 1 actions_per_cpu_second updates_per_cpu_second
compare dreamer eager_dreamer.py 10 updates_per_cpu_second
