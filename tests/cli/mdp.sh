#!/usr/bin/env bash
# mdp.sh <speder>: `speder mdp make|check|import|families` and `speder solve` as a person uses them.
set -uo pipefail
speder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

refused() {  # refused TEXT ARGS...: exit code 2, nothing on stdout, one line on stderr with TEXT
  local text=$1; shift
  "$speder" "$@" >out 2>err; local code=$?
  if [ $code != 2 ] || [ -s out ] || [ "$(wc -l <err)" != 1 ] || ! grep -qF -- "$text" err; then
    echo "FAILED refused: $* (exit $code)"; cat err; failed=1
  fi
}
works() {  # works TEXT ARGS...: exit code 0, TEXT on stdout, nothing on stderr
  local text=$1; shift
  if ! "$speder" "$@" >out 2>err || [ -s err ] || ! grep -qF -- "$text" out; then
    echo "FAILED works: $*"; cat out err; failed=1
  fi
}
check() {  # check NAME CONDITION...
  local name=$1; shift
  if ! "$@"; then echo "FAILED check: $name"; failed=1; fi
}

# Every family of the table can be made with its defaults and passes its own check.
works "sizes:" mdp families
made=0
for family in $(sed -n 's/^\([a-z][a-z-]*\) .*/\1/p' out | grep -vE '^(family|speder|file)$'); do
  works "kernel_rows" mdp make --family "$family" --out "$family.h5"
  works "$family" mdp families "$family"
  works "$family:" mdp check "$family.h5"
  made=$((made + 1))
done
check "at least nine families" [ $made -ge 9 ]

# The same seed, the same file; another seed, another MDP; the JSON says what was made.
works written mdp make --family simplex --states 20 --actions 2 --rank 3 --gamma 0.8 --seed 7 --out a.h5
works written mdp make --family simplex --states 20 --actions 2 --rank 3 --gamma 0.8 --seed 7 --out b.h5
works written mdp make --family simplex --states 20 --actions 2 --rank 3 --gamma 0.8 --seed 8 --out c.h5
value() { "$speder" solve "$1" --json | grep '"value":'; }
check "same seed, same value" [ "$(value a.h5)" = "$(value b.h5)" ]
check "another seed, another value" [ "$(value a.h5)" != "$(value c.h5)" ]
works '"gamma": 0.8' mdp make --family simplex --gamma 0.8 --out j.h5 --json
works '"holds": true' mdp check j.h5 --json
works "knobs: " mdp make --family lock --knob slip=0.1 --out k.h5
works "lock" mdp make --family file --path k.h5 --out again.h5
check "a copy has the same value" [ "$(value k.h5)" = "$(value again.h5)" ]

# A hand-solved kernel: both states pay 1 for ever, so V = 1/(1 − 0.5) = 2 whatever P is.
printf 'gamma,1\n0.5\nP,2,1,2\n0.5,0.5\n0,1\nr,2,1\n1\n1\nrho,2\n1,0\n' >two.csv
works "rank of P: 2, kept: 2" mdp import two.csv --out two.h5
works "J*          2 " solve two.h5
works '"true_rank": 2' mdp import two.csv --out two.h5 --json
works written mdp import two.csv --gamma 0.9 --out nine.h5
works "J*          10 " solve nine.h5

# One transition a line. By hand: state 0 moves to 1, which pays 3 for ever, so V(1) = 3 / (1 - 0.5) = 6 and
# V(0) = -1 + 0.5 * 6 = 2; rescaled, r = (r + 1) / 4.
printf "s,a,s',p,r\n0,0,1,1,-1\n1,0,1,0.5,2\n1,0,1,0.5,4\n" >list.csv
works "as given they are -1 + 4 r" mdp import list.csv --gamma 0.5 --start 0 --rescale-rewards --out list.h5
works "as given they are -1 + 4 r" mdp check list.h5
works "            2 in the rewards as given" solve list.h5
works "start distribution: uniform" mdp import list.csv --gamma 0.5 --rescale-rewards --out list.h5
works "            4 in the rewards as given" solve list.h5
works '"offset": -1.0' mdp import list.csv --gamma 0.5 --rescale-rewards --out list.h5 --json
refused "--rescale-rewards" mdp import list.csv --gamma 0.5 --out x.h5
refused "the states are 0 .. 1" mdp import list.csv --gamma 0.5 --start 2 --rescale-rewards --out x.h5
printf "s,a,s',p,r\n0,1,0,1,0\n" >gap.csv
refused "state 0, action 0 has no line" mdp import gap.csv --gamma 0.5 --out x.h5
printf "s,a,s',p,r\n9999999,0,0,1,0\n" >huge.csv
refused "an import makes a dense kernel" mdp import huge.csv --gamma 0.5 --out x.h5

# A hundred thousand states: what is too large to compute says so.
works "not computed: needs 100000 x 100000 tables" mdp make --family garnet --states 100000 --actions 4 --out g.h5
works '"how": "not computed' mdp check g.h5 --json

# What is refused, and that nothing is left behind.
refused "--family" mdp make --out x.h5
refused "--out" mdp make --family lock
refused "no family 'cube'" mdp make --family cube --out x.h5
refused "--knob slip" mdp make --family lock --knob slip --out x.h5
refused "slip" mdp make --family lock --knob slip=2 --out x.h5
refused "magic" mdp make --family lock --knob magic=1 --out x.h5
refused "each name once" mdp make --family lock --knob slip=0 --knob slip=0 --out x.h5
refused "gamma" mdp make --family lock --gamma 1 --out x.h5
refused "no/such" mdp make --family lock --out no/such/x.h5
refused "absent.h5: no such file" mdp check absent.h5
refused "absent.csv" mdp import absent.csv --out x.h5
refused "no family 'cube'" mdp families cube
refused "not an HDF5 file" mdp check two.csv
sed 's/0.5,0.5/0.5,0.6/' two.csv >bad.csv
refused "sums to 1.1" mdp import bad.csv --out x.h5
refused "rank" mdp import two.csv --rank 3 --out x.h5
head -c 2000 a.h5 >cut.h5
refused "cut.h5" mdp check cut.h5
check "no file was left" [ ! -e x.h5 ]
check "no temporary was left" [ -z "$(ls | grep tmp)" ]
exit $failed
