#!/usr/bin/env bash
# report_page_test.sh <speder> <chromium> <python>: the report opened in a browser, from file:// and without
# a network: no console message, every figure drawn, readable in light and dark, on a phone and in print.
set -euo pipefail
speder=$1 chromium=$2 python=$3
here=$(cd "$(dirname "$0")/.." && pwd)
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
figures=$(grep -o '<figure id=' dom.html | wc -l)
[ "$figures" -ge 1 ] && [ "$(ls out/figures/*.svg | wc -l)" = "$figures" ] || fail "the page does not show every figure"
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
"$python" "$here/plots/check_page.py" "$chromium" out || fail "the page"
"$python" "$here/plots/check_figures.py" "$chromium" out/figures/*.svg || fail "the figures"
# Two runs compared: the constant that was changed is named, and the page opens.
"$speder" sweep suite.toml -o b.db --seed 7 >/dev/null
"$speder" report --compare a.db b.db --out both >text.txt
grep -q 'seed: 1 -> 7' text.txt || fail "the seed that differs is not named"
grep -q 'of .* findings' text.txt || fail "no findings compared"
browse "$work/both/compare.html" --dump-dom >dom.html
[ ! -s console.txt ] && grep -q 'id="settings"' dom.html || fail "the page of two runs"
echo "ok: $figures figures"
