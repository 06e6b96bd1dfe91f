#!/usr/bin/env bash
# sweep_kill_test.sh <speder> [mpirun]: kills sweeps in every way and compares what they leave with
# an undisturbed run, number by number.
set -euo pipefail
speder=$1 mpirun=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >suite.toml <<'TOML'
experiment = "planted"
[quick]
repetitions = 60
draws = 1000000
x = [1, 2, 4, 8]
TOML

fail() { echo "FAIL: $*" >&2; exit 1; }
rows() { "$speder" report "$1" --rows; }
same() { rows "$1" | cmp -s - reference.csv || fail "$2: rows differ from the undisturbed run"; }
finished() { rows "$1" 2>/dev/null | grep -c ',value,' || true; }
# A sweep in the background, without the shell's "Killed" notices.
start() { "$@" >/dev/null 2>&1 & child=$!; disown; }
gone() { while kill -0 "$1" 2>/dev/null; do sleep 0.02; done; }

"$speder" sweep suite.toml -o one.db --jobs 1 >/dev/null
rows one.db >reference.csv
[ "$(wc -l <reference.csv)" = 481 ] || fail "the undisturbed run has $(wc -l <reference.csv) lines, not 481"
"$speder" sweep suite.toml -o two.db --jobs 2 >/dev/null
same two.db "--jobs 2"

# SIGKILL at 25 moments: early (while the store is being made), then anywhere.
kills=0 last=0
for pause in 0.001 0.004 0.008 0.012 0.016 0.02 0.025 0.03 0.035 0.04 0.045 0.05 0.055 0.06 0.065 \
  0.07 0.075 0.08 0.085 0.09 0.095 0.1 0.105 0.11 0.115; do
  start "$speder" sweep suite.toml -o killed.db --jobs 2
  sleep "$pause"
  kill -9 "$child" 2>/dev/null && kills=$((kills + 1))
  gone "$child"
  [ -e killed.db ] || continue
  now=$(finished killed.db)
  [ "$now" -ge "$last" ] || fail "a kill lost finished runs ($last, then $now)"
  last=$now
done
[ "$kills" -ge 20 ] || fail "only $kills kills hit a running sweep; make the runs longer"
[ "$last" -lt 240 ] || fail "the sweep was over before the kills were"
"$speder" sweep suite.toml -o killed.db --jobs 2 >/dev/null
same killed.db "after $kills kills"

# Ctrl-C: exit code 130, runs under way are kept, the same command goes on.
start "$speder" sweep suite.toml -o stopped.db --jobs 2; sleep 0.3; disowned=$child
code=0; timeout --preserve-status -s INT 0.8 "$speder" sweep suite.toml -o int.db --jobs 2 >/dev/null || code=$?
[ "$code" = 130 ] || fail "SIGINT gave exit code $code, not 130"
[ "$(finished int.db)" -gt 0 ] || fail "SIGINT lost the finished runs"
"$speder" sweep suite.toml -o int.db >/dev/null
same int.db "after SIGINT"

# A second sweep on a store in use refuses; the first one is not disturbed.
code=0; message=$("$speder" sweep suite.toml -o stopped.db 2>&1 >/dev/null) || code=$?
if kill -0 "$disowned" 2>/dev/null; then
  [ "$code" = 2 ] || fail "a store in use gave exit code $code, not 2"
  case "$message" in *"store is in use by another sweep"*) ;; *) fail "unclear: $message" ;; esac
fi
gone "$disowned"
"$speder" sweep suite.toml -o stopped.db >/dev/null
same stopped.db "two sweeps at once"

# No room left: one clear line, exit code 2, a healthy store; with room again it goes on.
code=0
message=$( (trap '' XFSZ; ulimit -f 64; exec "$speder" sweep suite.toml -o full.db --jobs 2) 2>&1 >/dev/null) || code=$?
[ "$code" = 2 ] || fail "a full disk gave exit code $code: $message"
[ "$(printf '%s\n' "$message" | wc -l)" = 1 ] || fail "a full disk gave more than one line: $message"
case "$message" in *disk*"finished runs are kept"*) ;; *) fail "unclear: $message" ;; esac
[ "$(finished full.db)" -gt 0 ] || fail "a full disk lost the finished runs"
"$speder" sweep suite.toml -o full.db >/dev/null
same full.db "after a full disk"

if [ -n "$mpirun" ]; then
  mpi() { OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$mpirun" --oversubscribe -n 3 "$@"; }
  mpi "$speder" sweep suite.toml -o mpi.db >/dev/null
  same mpi.db "mpirun -n 3"
  # A rank dies: the job ends, and starting it again repeats only what was running.
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  start "$mpirun" --oversubscribe -n 3 "$speder" sweep suite.toml -o rank.db
  job=$child
  for _ in $(seq 200); do [ -e rank.db ] && [ "$(finished rank.db)" -gt 5 ] && break; sleep 0.02; done
  victim=$(pgrep -P "$job" | tail -1)
  kill -9 "$victim" || fail "no rank to kill"
  gone "$job"
  before=$(finished rank.db)
  [ "$before" -lt 240 ] || fail "the job was over before its rank was killed"
  summary=$(mpi "$speder" sweep suite.toml -o rank.db)
  case "$summary" in *"$before of them from before"*) ;; *) fail "finished runs were repeated: $summary" ;; esac
  same rank.db "after a rank died"
fi
echo "ok: $kills kills"
