# Sourced with $deep (the program) and $packages set, by the tests of training commands: a folder
# $work that goes away, what to expect of a command, runs of a few seconds.
export OMP_NUM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED $*"; failed=1; }

refused() {  # refused TEXT ARGS...: exit code 2, nothing on stdout, one line on stderr with TEXT
  local text=$1; shift
  "$deep" "$@" >"$work/stdout" 2>"$work/stderr"; local code=$?
  if [ $code != 2 ] || [ -s "$work/stdout" ] || [ "$(wc -l <"$work/stderr")" != 1 ] || ! grep -qF -- "$text" "$work/stderr"; then
    fail "refused: $* (exit $code)"; cat "$work/stdout" "$work/stderr"
  fi
}
works() {  # works TEXT ARGS...: exit code 0, TEXT on stdout
  local text=$1; shift
  "$deep" "$@" >"$work/stdout" 2>"$work/stderr" || { fail "works: $*"; cat "$work/stderr"; }
  grep -qF -- "$text" "$work/stdout" || { fail "works: $*: no '$text'"; cat "$work/stdout"; }
}
rows() {  # every run and every number of a store, exactly
  python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("select cell, repetition, status, error, metric, n, value "
    "from runs left join rows on run = id order by 1, 2, 5, 6"): print(row)' "$1"
}
# Small networks, checkpoints at every end of an episode.
tiny=(--packages "$packages" --set feature_dim=16 --set feature_hidden=[32] --set critic_width=32
  --set actor_hidden=[32] --set batch=32 --set random_steps=300 --set eval_every=400 --set eval_episodes=2
  --checkpoint-every 1)
