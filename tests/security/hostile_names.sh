#!/usr/bin/env bash
# hostile_names.sh <speder>: file names that a shell, gnuplot, SQLite or HTML would take for
# commands. Each is either used as it stands or refused with one line; none is ever executed.
set -uo pipefail
speder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
fail() { echo "FAILED: $*"; failed=1; }
unharmed() { [ ! -e trap ] || { fail "$1 was executed"; rm -f trap; }; }
printf 'experiment = "planted"\n[quick]\nrepetitions = 10\nx = [1, 4, 16]\n' >suite.toml
small="--family simplex --states 12 --actions 3 --rank 3 --gamma 0.9 --class-size 8 --episodes 20"

names=('$(touch trap)' '`touch trap`' "';touch trap;'" '";touch trap;"' '|touch trap' '| touch trap' '<touch trap'
  "' ; system(\"touch trap\") ; '" '@trap' '%d%s%n' '*?[a]' ' leading blank' 'a b' '&& touch trap' ':memory:'
  'file:x?mode=memory' "x'; DROP TABLE runs; --" '<script>alert(1)</script>'"'" 'ünïcödé ε' '{/Bold x}' '\"' '~' '#x')
tried=0
for name in "${names[@]}"; do
  file=${name//\//_}
  # A store and its report, in a folder of that name.
  if ! "$speder" sweep suite.toml -o "$file.db" >/dev/null 2>err; then fail "sweep -o '$file.db': $(cat err)"; fi
  [ -f "$file.db" ] || fail "'$file.db' was not written"
  if ! "$speder" report "$file.db" --out "$file" >/dev/null 2>err; then fail "report --out '$file': $(cat err)"; fi
  [ -s "$file/index.html" ] && ls "$file"/figures/*.svg >/dev/null || fail "no report in '$file'"
  # A picture of that name.
  if ! "$speder" learn online $small --plot "$file.svg" >/dev/null 2>err; then fail "--plot '$file.svg': $(cat err)"; fi
  grep -q '<svg' -- "./$file.svg" || fail "'$file.svg' was not drawn"
  # An MDP file of that name.
  "$speder" mdp make --family lock --out "./$file.h5" >/dev/null && "$speder" solve "./$file.h5" >/dev/null 2>&1 ||
    fail "an MDP file called '$file.h5'"
  unharmed "$name"
  tried=$((tried + 1))
done
# Exactly the name, also when SQLite would read it as "no file".
(mkdir sub && cd sub && "$speder" sweep ../suite.toml -o ':memory:' >/dev/null 2>&1 && [ -f ':memory:' ]) || fail "a store called :memory: is not a file"

# A name with a line break cannot be shown in one line by gnuplot's script: refused, not executed.
"$speder" learn online $small --plot $'a\ntouch trap\n.svg' >out 2>err; code=$?
[ $code = 2 ] && [ "$(wc -l <err)" = 1 ] || fail "a line break in a picture's name: exit $code, $(cat err)"
unharmed "a line break"
# A name that begins with a dash is a file when it is given as ./-x.
"$speder" learn online $small --plot ./-d.svg >/dev/null 2>err && [ -s ./-d.svg ] || fail "./-d.svg: $(cat err)"
# A name need not be UTF-8; JSON must be.
latin=$'caf\xe9'
for command in "mdp make --family lock --json --out ./$latin.h5" "mdp check ./$latin.h5 --json" "solve ./$latin.h5 --json" \
  "learn online --mdp ./$latin.h5 --episodes 5 --json" "sweep suite.toml --json -o ./$latin.db"; do
  "$speder" $command >out 2>err || fail "$command: $(cat err)"
  python3 -c 'import json, sys; json.loads(open(sys.argv[1], encoding="utf-8").read())' out || fail "$command: no JSON"
done
[ "$tried" = ${#names[@]} ] && echo "$tried names"
exit $failed
