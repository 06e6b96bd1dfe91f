#!/usr/bin/env bash
# mistakes.sh <speder> [<speder-deep>]: a wrong command line gets one line that leads on, and exit code 2.
set -uo pipefail
speder=$1 deep=${2:-}
failed=0

refused() {  # refused TEXT COMMAND...
  local text=$1; shift
  local said code
  said=$("$@" 2>&1 >/dev/null </dev/null); code=$?
  if [ $code != 2 ] || [ "$(wc -l <<<"$said")" != 1 ] || [[ $said != *"$text"* ]]; then
    echo "FAILED: $* (exit $code): $said"; failed=1
  fi
}

refused "speder has no command 'solv'; did you mean solve? the commands are: mdp, " "$speder" solv m.h5
refused "speder mdp has no command 'familes'; did you mean families?" "$speder" mdp familes
refused "speder mdp needs a command; the commands are: make, check, import, families" "$speder" mdp
refused "speder learn needs a command; the commands are: " "$speder" learn
refused "speder solve has no option --metod; did you mean --method?" "$speder" solve m.h5 --metod pi
refused "speder has no command 'zzzzzzzz'; the commands are: " "$speder" zzzzzzzz
refused "no family 'lok'; did you mean lock? there are: " "$speder" mdp make --family lok --out x.h5
refused "no algorithm 'sepder'; did you mean speder? there are: " "$speder" learn online --family lock --algorithm sepder
refused "no benchmark 'lck'; did you mean lock?" "$speder" bench --only lck
refused "--json is a flag and prints; --findings audit.json writes" "$speder" audit --json audit.json
refused "speder audit has no option --quik; did you mean --quick?" "$speder" audit --quik
alone=$(mktemp -d); cp "$speder" "$alone/speder"
refused "the deep column is not built here" "$alone/speder" deep envs
rm -r "$alone"
# 8 TB of features: the request is sound, this machine is too small.
(ulimit -v 4000000; refused "the memory does not suffice" "$speder" mdp make --family simplex \
  --states 2000000 --actions 50 --rank 40 --out x.h5; exit $failed) || failed=1
if [ -n "$deep" ]; then
  refused "speder deep has no command 'tran'; did you mean train?" "$deep" tran
  refused "speder deep data needs a command; the commands are: " "$deep" data
fi
exit $failed
