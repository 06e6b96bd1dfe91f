#!/usr/bin/env bash
# report_page_test.sh <speder> <chromium>: the report opened in a browser, from file:// and without
# a network: no console message, every figure drawn, readable in light and dark.
set -euo pipefail
speder=$1 chromium=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME="$work"
fail() { echo "FAIL: $*" >&2; exit 1; }
# The page's final DOM on standard output, the console's messages in console.txt.
browse() {
  "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" \
    --host-resolver-rules="MAP * 127.0.0.1:9" --enable-logging=stderr "${@:2}" "file://$1" 2>log.txt
  grep 'CONSOLE' log.txt >console.txt || true
}

# The check can fail: a page that complains is noticed.
echo '<script>console.error("planted")</script><img src="http://localhost/x.png">' >bad.html
browse "$work/bad.html" --dump-dom >/dev/null
grep -q planted console.txt || fail "a planted console error went unnoticed"

cat >suite.toml <<'TOML'
experiment = "planted"
[quick]
repetitions = 10
x = [1, 4, 16, 64]
TOML
"$speder" sweep suite.toml -o a.db >/dev/null
"$speder" report a.db --out out >/dev/null
browse "$work/out/index.html" --dump-dom >dom.html
[ ! -s console.txt ] || fail "console: $(cat console.txt)"
figures=$(grep -c '<figure' dom.html)
drawn=$(grep -c '<svg' dom.html)
[ "$figures" -ge 1 ] && [ "$figures" = "$drawn" ] || fail "$figures figures, $drawn pictures"
[ "$(ls out/figures/*.svg | wc -l)" = "$figures" ] || fail "the page does not show every figure"
for id in verdicts planted audit environment; do
  grep -q "id=\"$id\"" dom.html || fail "the page has no section $id"
done
# Links of the page lead to files beside it.
grep -o 'href="\(figures\|data\)/[^"]*"' dom.html | sed 's/href="//; s/"$//' | while read -r link; do
  [ -s "out/$link" ] || fail "the link $link leads nowhere"
done
for scheme in 0 1; do
  browse "$work/out/index.html" --window-size=1000,1600 --screenshot="$work/$scheme.png" \
    --blink-settings=preferredColorScheme=$scheme
  [ -s "$work/$scheme.png" ] || fail "no screenshot"
done
! cmp -s 0.png 1.png || fail "light and dark look the same"
echo "ok: $figures figures"
