#!/usr/bin/env bash
# compare_update.sh SPEDER_DEEP PYTHON [WIDTH [CRITIC [UPDATES]]]: updates per CPU-second of the learner with the
# settings "bounded" of docs/evidence.md (d and every layer of width WIDTH, 256; critic heads of width CRITIC, 512) and of the
# same update in eager PyTorch, in turns, five times; prints the median ratio. PYTHON needs torch 2.15.0.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
deep=$1 python=$2 width=${3:-256} critic=${4:-512} updates=${5:-60}
set=()
for s in head_layers=2 in_batch=true twin=mean returns=3 unit_every=1000 successor_noise=0.5 feature_bound=1 \
  actor_observation_norm=true critic_width="$critic"; do set+=(--set "$s"); done
rate() { sed 's/.*"updates_per_cpu_second": *\([0-9.e+-]*\).*/\1/'; }
for _ in 1 2 3 4 5; do
  ours=$("$deep" bench-update --preset plain --width "$width" "${set[@]}" --updates "$updates" --repeats 1 --json | rate)
  eager=$("$python" "$here/eager_update.py" --width "$width" --critic "$critic" --updates "$updates" --repeats 1 | rate)
  awk -v o="$ours" -v e="$eager" 'BEGIN { printf "%.2f %.2f %.3f\n", o, e, o / e }'
done | tee >(cat >&2) | sort -k3 -n | sed -n 3p | awk -v w="$width" -v c="$critic" \
  '{ print "width " w ", critic " c ": median ratio " $3 }'
