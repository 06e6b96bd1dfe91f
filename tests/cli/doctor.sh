#!/usr/bin/env bash
# doctor.sh <speder>: a healthy installation, and one whose tools are masked.
set -uo pipefail
speder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
check() {  # check NAME CONDITION...
  local name=$1; shift
  if ! "$@"; then echo "FAILED check: $name"; cat "$work/out"; failed=1; fi
}
has() { grep -qE -- "$1" "$work/out"; }
lacks() { ! grep -qE -- "$1" "$work/out"; }
export TMPDIR=$work/tmp; mkdir "$TMPDIR"

"$speder" doctor >"$work/out" 2>"$work/err"; code=$?
check "a healthy installation: exit 0" [ $code = 0 ]
check "says so" has "All that is needed works"
check "nothing is missing" lacks "^MISSING"
check "no stray message" [ ! -s "$work/err" ]
check "nothing is left behind" [ -z "$(ls "$TMPDIR")" ]

# gnuplot masked: an empty PATH. The program beside is a copy, so neither MPI nor deep is there.
mkdir "$work/alone" "$work/empty"; cp "$speder" "$work/alone/speder"
PATH=$work/empty "$work/alone/speder" doctor >"$work/out" 2>&1; code=$?
check "no gnuplot: exit 1" [ $code = 1 ]
check "names the part" has "^MISSING +pictures +gnuplot is not installed"
check "prints the fix" has "fix: apt-get install gnuplot-nox"
check "MPI is optional" has "^absent +MPI"
check "deep is optional" has "^absent +deep tasks +speder-deep is not built"
check "prints how to get it" has "fix: ./run deep"
check "video is optional" has "^absent +video +ffmpeg is not on PATH"
check "files still work" has "^ok +MDP files"
check "the verdict" has "Something is missing"

# A gnuplot that fails is as bad as none.
printf '#!/bin/sh\nexit 3\n' >"$work/empty/gnuplot"; chmod +x "$work/empty/gnuplot"
PATH=$work/empty "$work/alone/speder" doctor --json >"$work/out" 2>&1; code=$?
check "a broken gnuplot: exit 1" [ $code = 1 ]
check "JSON names it" has '"could not be drawn|could not be drawn'

# Without the packages that hold the tasks' XML files: optional, and the message names what to install.
if [ -x "$(dirname "$speder")/speder-deep" ]; then
  SPEDER_PACKAGES=$work/empty "$speder" doctor >"$work/out" 2>&1
  check "no XML files: deep is absent" has "^absent +deep tasks .*no such model file.*gymnasium=="
fi

# A scratch folder that is not there: one line, exit 2.
TMPDIR=$work/absent "$speder" doctor >"$work/out" 2>&1; code=$?
check "no scratch folder: exit 2" [ $code = 2 ]
check "one line" [ "$(wc -l <"$work/out")" = 1 ]
exit $failed
