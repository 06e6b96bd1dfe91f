#!/usr/bin/env bash
# compare_update.sh SPEDER_DEEP PYTHON [WIDTH [UPDATES [--in-batch]]]: updates per CPU-second of the learner and of
# the same update in eager PyTorch, in turns, five times; prints the median ratio. PYTHON needs torch 2.15.0.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
deep=$1 python=$2 width=${3:-256} updates=${4:-60} base=(${5:+"$5"})
rate() { sed 's/.*"updates_per_cpu_second": *\([0-9.e+-]*\).*/\1/'; }
for _ in 1 2 3 4 5; do
  ours=$("$deep" bench-update --width "$width" --updates "$updates" --repeats 1 --json "${base[@]}" | rate)
  eager=$("$python" "$here/eager_update.py" --width "$width" --updates "$updates" --repeats 1 "${base[@]}" | rate)
  awk -v o="$ours" -v e="$eager" 'BEGIN { printf "%.2f %.2f %.3f\n", o, e, o / e }'
done | tee >(cat >&2) | sort -k3 -n | sed -n 3p | awk -v w="$width" '{ print "width " w ": median ratio " $3 }'
