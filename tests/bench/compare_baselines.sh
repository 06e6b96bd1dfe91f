#!/usr/bin/env bash
# compare_baselines.sh SPEDER_DEEP PYTHON: planned actions of pets-cem and updates of dreamer per CPU-second, ours and
# in eager PyTorch, in turns, five times; prints the median ratios. PYTHON needs torch 2.15.0.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
deep=$1 python=$2
compare() {  # algorithm, eager script, key
  rate() { sed "s/.*\"$1\": *\([0-9.e+-]*\).*/\1/"; }
  for _ in 1 2 3 4 5; do
    ours=$("$deep" bench-update --algorithm "$1" --updates "$4" --repeats 1 --json | tr -d '\n' | rate "$3")
    eager=$("$python" "$here/$2" --updates 10 --repeats 1 | rate "$3")
    awk -v o="$ours" -v e="$eager" 'BEGIN { printf "%.2f %.2f %.3f\n", o, e, o / e }'
  done | tee >(cat >&2) | sort -k3 -n | sed -n 3p | awk -v n="$1" '{ print n ": median ratio " $3 }'
}
compare pets-cem eager_planning.py actions_per_cpu_second 1
compare dreamer eager_dreamer.py updates_per_cpu_second 10
