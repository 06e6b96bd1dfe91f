#!/usr/bin/env python3
"""check_page.py <chromium> <folder of a report> [--map]: its index.html as a reader meets it.

In the browser, from file:// and without a network: no console message; every figure is there; pointing at
a mark shows the CSV's numbers; a figure can be enlarged and put back; the heading stays in sight; no text
is off a screen 390 pixels wide; with --map the map and the exponents fit a screen of 1280 x 800. Without a
script the page has the same figures and their numbers. Faults planted into the page must be found.
"""
import csv
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PROBE = r"""
window.addEventListener('load', function () {
  function shown(e) { const r = e.getBoundingClientRect(); return r.width > 1 && r.height > 1; }
  const out = {width: innerWidth, scroll: document.documentElement.scrollWidth, off: [], tips: {}, empty: []};
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n = walk.nextNode(); n; n = walk.nextNode()) {
    if (!n.textContent.trim() || n.parentNode.closest('script, style, title, details:not([open]) > :not(summary), .cut')) continue;
    if (innerWidth > 800 && n.parentNode.closest('.scroll')) continue;  // a wide table scrolls by itself
    const range = document.createRange(); range.selectNodeContents(n);
    for (const r of range.getClientRects())
      if (r.width > 0 && (r.right > innerWidth + 1 || r.left < -1)) { out.off.push(n.textContent.trim().slice(0, 60)); break; }
  }
  document.querySelectorAll('figure').forEach(function (f) {
    const seen = [...f.querySelectorAll('svg, img')].filter(shown);
    if (seen.length !== 1) out.empty.push(f.id);
    const tips = out.tips[f.id] = [];
    if (seen.length) seen[0].querySelectorAll('[data-note]').forEach(function (m) {
      m.dispatchEvent(new PointerEvent('pointerover', {bubbles: true, clientX: 5, clientY: 5}));
      const tip = document.getElementById('tip');
      tips.push(tip && tip.style.display === 'block' ? tip.textContent : '');
    });
  });
  const first = document.querySelector('figure'), button = first && first.querySelector('button');
  if (button) {
    const svg = [...first.querySelectorAll('svg, img')].find(shown), before = svg.getBoundingClientRect().width;
    button.click(); out.zoomed = svg.getBoundingClientRect().width > before;
    document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}));
    out.back = Math.abs(svg.getBoundingClientRect().width - before) < 1;
  }
  const lead = document.querySelector('.lead');
  out.lead = lead ? lead.getBoundingClientRect().bottom + scrollY : null;
  scrollTo(0, 900);
  requestAnimationFrame(function () {
    out.sticky = scrollY > 0 ? document.querySelector('header').getBoundingClientRect().top : 0;
    parent.postMessage(JSON.stringify(out), '*');
  });
});
"""


def fail(what):
    sys.exit(f"FAIL: {what}")


def browse(chromium, page, width, height):
    """What the probe finds in a frame of that size, and the console's messages."""
    framed = html.escape(page.replace("</body>", f"<script>{PROBE}</script></body>"))
    outer = ("<!doctype html><meta charset='utf-8'><body><pre id='got'></pre><script>addEventListener('message', function (e) {"
             "document.getElementById('got').textContent = e.data; document.querySelector('iframe').remove(); });</script>"
             f"<iframe style='border:0' width='{width}' height='{height}' srcdoc=\"{framed}\"></iframe></body>")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "frame.html"
        file.write_text(outer, encoding="utf-8")
        ran = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                              f"--user-data-dir={folder}/profile", "--host-resolver-rules=MAP * 127.0.0.1:9", "--enable-logging=stderr",
                              "--window-size=1400,1000", "--virtual-time-budget=30000", "--dump-dom", f"file://{file}"],
                             capture_output=True, text=True, timeout=180, env={"HOME": folder, "PATH": "/usr/bin:/bin"})
    got = re.search(r'<pre id="got">(.*?)</pre>', ran.stdout, re.S)
    if not got or not got.group(1):
        fail("the browser gave no answer: " + ran.stderr[-300:])
    return json.loads(html.unescape(got.group(1))), [line for line in ran.stderr.splitlines() if "CONSOLE" in line]


def numbers_shown(folder, tips):
    """Every point and bar of a figure's CSV is shown when pointed at; the number of those compared."""
    compared = 0
    for figure, texts in tips.items():
        name = folder / "data" / (figure.removeprefix("figure-") + ".csv")
        if not figure or not texts or not name.exists():
            continue
        joined = "\n".join(texts)
        with open(name, newline="", encoding="utf-8") as file:
            rows = [r for r in csv.DictReader(file) if r["kind"] in ("point", "bar")]
        missing = [r for r in rows if f"x = {r['x']}, y = {r['y']}" not in joined]
        if len(rows) <= 400 and len(missing) > len(rows) // 10:  # points beyond an axis that is cut have none
            fail(f"{figure}: {len(missing)} of {len(rows)} numbers of the CSV are not shown, the first: {missing[0]}")
        compared += len(rows) - len(missing)
    return compared


def main():
    chromium, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    page = (folder / "index.html").read_text(encoding="utf-8")
    figures = len(re.findall(r"<figure", page))
    # Without a script: the same figures, with their numbers as titles.
    if figures < 1 or page.count("<svg") + page.count("<img") < figures or "<title>" not in page.split("<body>")[1]:
        fail("without its script the page lacks figures or numbers")
    if re.search(r'(src|href)="(https?:)?//', page) or page.count("<script") != 1:
        fail("the page loads something, or has more than its one script")
    phone, console = browse(chromium, page, 390, 844)
    if phone["width"] != 390:
        fail(f"the frame is {phone['width']} wide")
    if console:
        fail(f"console: {console[0]}")
    if phone["off"] or phone["scroll"] > 390:
        fail(f"off a narrow screen: {phone['off'][:3]}, {phone['scroll']} pixels wide")
    if phone["empty"]:
        fail(f"figures that are not shown once: {phone['empty']}")
    desk, console = browse(chromium, page, 1280, 800)
    if console or desk["off"] or desk["empty"] or not desk["zoomed"] or not desk["back"] or abs(desk["sticky"]) > 1:
        fail(f"on a wide screen: {console[:1]} {desk['off'][:3]} {desk['empty']} zoom {desk['zoomed']} {desk['back']} heading {desk['sticky']}")
    if "--map" in sys.argv and (desk["lead"] is None or desk["lead"] > 800):
        fail(f"the summary ends at {desk['lead']}, below one screen")
    compared = numbers_shown(folder, desk["tips"])
    if compared < 4:
        fail(f"only {compared} numbers were compared")
    # The probe can see faults.
    bad = page.replace("</main>", "<p style='white-space:nowrap;max-width:none'>" + "wide " * 90 + "</p><script>console.error('planted')</script></main>", 1)
    seen, console = browse(chromium, bad, 390, 844)
    if not seen["off"] or not any("planted" in line for line in console):
        fail("a planted wide line or console error went unnoticed")
    silent = page.replace("at.getAttribute('data-note')", "'x = 0, y = 0'")
    seen, _ = browse(chromium, silent, 1280, 800)
    if any("x = 0, y = 0" != t for texts in seen["tips"].values() for t in texts):
        fail("a planted wrong number went unnoticed")
    print(f"{figures} figures, {compared} numbers of the CSV shown")


if __name__ == "__main__":
    main()
