#!/usr/bin/env bash
# pictures_test.sh <source folder> <speder> <speder-deep or ""> <chromium or "">: docs/make-pictures in small makes every
# picture that the pages show but those of long runs, and says which it leaves; the shipped SVG pass the checks of figures.
set -euo pipefail
source=$1 chromium=$4
export SPEDER=$2 SPEDER_DEEP=${3:-/nowhere}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*" >&2; exit 1; }
"$source/docs/make-pictures" --small "$work/out" >"$work/log.txt" || fail "$(tail -3 "$work/log.txt")"
for file in $(cd "$source/docs" && ls pictures/* tutorial.svg); do
  [ -s "$work/out/$file" ] && continue
  case $file in
    *-success.png) grep -q "${file%.png}" "$work/log.txt" || [ ! -x "$SPEDER_DEEP" ] || fail "nothing is said of $file" ;;
    *.svg) fail "$file was not made" ;;
    *) [ ! -x "$SPEDER_DEEP" ] || fail "$file was not made" ;;
  esac
done
! "$source/docs/make-pictures" --nonsense 2>/dev/null || fail "an unknown option was taken"
if [ -n "$chromium" ]; then
  /usr/bin/python3 "$source/tests/plots/check_figures.py" "$chromium" "$source"/docs/tutorial.svg "$source"/docs/pictures/*.svg ||
    fail "a shipped figure"
fi
cat "$work/log.txt"
