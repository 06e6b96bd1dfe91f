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
draws = 3000000
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
began=$(date +%s%N)
"$speder" sweep suite.toml -o two.db --jobs 2 >/dev/null
whole=$((($(date +%s%N) - began) / 1000))  # microseconds of an undisturbed sweep: every pause is a part of it
same two.db "--jobs 2"
part() { awk -v t="$whole" -v n="$1" 'BEGIN { printf "%.6f", t * n / 1e6 }'; }

# SIGKILL at 25 moments: early (while the store is being made), then anywhere. All pauses together are a
# quarter of an undisturbed sweep: not over before the last kill, though other tests leave or load the machine.
kills=0 last=0
for i in $(seq 25); do
  pause=$(part "$(awk -v i="$i" 'BEGIN { print i / 1300 }')")
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
code=0; timeout --preserve-status -s INT "$(part 0.2)" "$speder" sweep suite.toml -o int.db --jobs 2 >/dev/null || code=$?
[ "$code" = 130 ] || fail "SIGINT gave exit code $code, not 130"
[ "$(finished int.db)" -gt 0 ] || fail "SIGINT lost the finished runs"
"$speder" sweep suite.toml -o int.db >/dev/null
same int.db "after SIGINT"

# A second sweep on a store in use refuses; the first one is not disturbed.
start "$speder" sweep suite.toml -o stopped.db --jobs 2
for _ in $(seq 200); do [ -e stopped.db ] && [ "$(finished stopped.db)" -gt 0 ] && break; sleep 0.02; done
code=0; message=$("$speder" sweep suite.toml -o stopped.db 2>&1 >/dev/null) || code=$?
kill -0 "$child" 2>/dev/null || fail "the first sweep was over before the second began"
[ "$code" = 2 ] || fail "a store in use gave exit code $code, not 2"
case "$message" in *"store is in use by another sweep"*) ;; *) fail "unclear: $message" ;; esac
gone "$child"
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
