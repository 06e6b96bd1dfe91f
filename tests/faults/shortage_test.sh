#!/usr/bin/env bash
# shortage_test.sh <speder>: too little memory, threads or room for output. One line says what is lacking, the
# exit code is not 0, nothing is stored as a result, and the same command with enough of it gives what an
# undisturbed one gives.
set -uo pipefail
speder=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
check() {
  if ! "${@:2}"; then
    echo "FAIL: $1; exit code ${code:-}: $(tail -n 3 err.txt)" >&2
    failed=1
  fi
}
run() { # run <limits> <command…>: the exit code in $code
  code=0
  (eval "$1" && exec "$speder" "${@:2}") >out.txt 2>err.txt || code=$?
}

cat >big.toml <<'TOML'
experiment = "horizon"
[quick]
repetitions = 1
states = 1500
episodes = 200
TOML
cat >small.toml <<'TOML'
experiment = "planted"
[quick]
repetitions = 3
x = [1, 4, 16, 64]
TOML

# Memory: obstacles, not results.
run "ulimit -v 75000" sweep big.toml -o short.db -j1
check "a sweep without memory is not done" [ $code = 2 ]
check "it says why" grep -q "not enough memory" err.txt
run true sweep big.toml -o short.db -j1
check "the same command makes the runs" [ $code = 0 ]
run true sweep big.toml -o whole.db -j1
check "the rows are those of an undisturbed sweep" \
  cmp -s <("$speder" report short.db --rows) <("$speder" report whole.db --rows)

# Threads that cannot be started: fewer of them, or a clear end.
run "ulimit -v 400000" sweep small.toml -o threads.db -j 512
check "threads" [ $code = 0 -o $code = 2 ]

# Output that does not arrive.
for command in "report whole.db --rows" "mdp families" "--help" "--version" "sweep --list"; do
  code=0
  "$speder" $command >/dev/full 2>err.txt || code=$?
  check "$command > /dev/full" [ $code = 2 ]
  check "$command > /dev/full says so once" [ "$(wc -l <err.txt)" = 1 ]
done

# A file that may not grow: an error, not a signal.
run "ulimit -f 8" mdp make --family simplex --states 300 --out limited.h5
check "ulimit -f" [ $code = 2 ]
check "nothing is left" [ ! -e limited.h5 ]
run "ulimit -f 1" sweep small.toml -o limited.db
check "ulimit -f for a store" [ $code = 2 ]

# learn --out is refused before the work; what is done is printed before it is written.
small="--family simplex --states 6 --actions 2 --rank 2 --class-size 10"
for out in none/a.csv none/a.json none/a.db; do
  run "ulimit -t 20" learn online $small --episodes 100000000 --out $out
  check "learn --out $out" [ $code = 2 ]
done
run "ulimit -t 20" learn online $small --episodes 100000000 --plot none/a.svg
check "learn --plot none/a.svg" [ $code = 2 ]
run true learn online $small --episodes 5 --out a.db
check "learn --out a.db" [ $code = 0 ]
run true learn online $small --episodes 5 --out a.db --mdp-seed 9007199254740992
run true learn online $small --episodes 5 --out a.db --mdp-seed 9007199254740993
check "seeds above 2^53 are told apart" [ $code = 0 ]

# Hostile input: refused at once.
mkfifo pipe pipe.csv pipe.npy
for command in "solve pipe" "report pipe" "sweep pipe" "audit --replay pipe" "worst --replay pipe" \
  "mdp import pipe --out i.h5" "mdp import pipe.csv --out i.h5" "mdp import pipe.npy --out i.h5"; do
  code=0
  timeout 20 "$speder" $command >out.txt 2>err.txt || code=$?
  check "$command" [ $code = 2 ]
done
{ printf '['%.0s $(seq 100000); } >deep.json
run true audit --replay deep.json
check "deep JSON" [ $code = 2 ]
run true report whole.db --audit deep.json --out page
check "a deep audit" [ $code = 2 ]
sed -i 's/repetitions = 3/repetitions = 2000000000/' small.toml
run true sweep small.toml -o many.db
check "two thousand million repetitions" [ $code = 2 ]
exit $failed
