#!/usr/bin/env bash
# completion.sh <speder>: the completion script in a bash of its own, asked as Tab asks it.
set -uo pipefail
speder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
source <("$speder" completion bash) || { echo "FAILED: the script does not load"; exit 1; }

complete_words() {  # complete_words WORDS...: what Tab offers after them
  COMP_WORDS=(speder "$@"); COMP_CWORD=$#
  _speder
  printf '%s\n' "${COMPREPLY[@]}"
}
offers() {  # offers EXPECTED WORDS...
  local expected=$1; shift
  grep -qxF -- "$expected" <<<"$(complete_words "$@")" || { echo "FAILED: '$*' does not offer '$expected'"; failed=1; }
}
hides() {
  local word=$1; shift
  ! grep -qxF -- "$word" <<<"$(complete_words "$@")" || { echo "FAILED: '$*' offers '$word'"; failed=1; }
}
touch 'my file.h5'
offers mdp ""
offers doctor do
hides mdp so
offers make mdp ""
offers --family mdp make --f
hides --family solve --f
offers tuned learn online --bonus ""
hides --seed learn online --bonus ""
offers likelihood learn estimate --criterion l
offers 'my file.h5' solve my
offers 'my file.h5' mdp make --out my
[ -z "$(complete_words learn online --seed "")" ] || { echo "FAILED: a number is completed"; failed=1; }

# Complete and not stale: the same long options as --help shows, for every command.
walk() {
  local help offered shown name
  help=$("$speder" "$@" --help)
  offered=$(complete_words "$@" -- | grep '^--' | sort -u)
  shown=$(grep -oE '^  +(-[a-zA-Z],)?--[a-z][^ ]*' <<<"$help" | grep -oE -- '--[a-z][a-z-]*' | sort -u)
  [ -n "$shown" ] && [ "$offered" = "$shown" ] || { echo "FAILED: $*: offered $offered, shown $shown"; failed=1; }
  walked=$((walked + 1))
  for name in $(sed -n "/^Subcommands:/,/^$/p" <<<"$help" | grep -oE "^  [a-z][a-z-]*"); do
    [ "$name" = deep ] || walk "$@" "$name"
  done
}
walked=0
walk
[ "$walked" -ge 15 ] || { echo "FAILED: only $walked commands were looked at"; failed=1; }
exit $failed
