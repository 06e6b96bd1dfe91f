#!/usr/bin/env python3
"""check_figures.py <chromium> FILE.svg...: what a reader of printed figures would stumble over.

Finds text that overlaps other text, touches an axis or its ticks, or runs off the picture (boxes as the
browser lays them out), and marks of one legend that cannot be told apart in grey: the same marker, the
same dashes, hollow or not alike, and a lightness too near. Before the files are judged, faults planted into
copies of them must be found.
"""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
NEAR = 15  # difference of L*: less is one grey in print

SCRIPT = r"""
function corners(t) {  // of the letters: the box of a line of text has room above and below them
  const b = t.getBBox(), m = t.getCTM(), y0 = b.y + 0.2 * b.height, y1 = b.y + 0.82 * b.height;
  return [[b.x, y0], [b.x + b.width, y0], [b.x + b.width, y1], [b.x, y1]].map(p =>
    [m.a * p[0] + m.c * p[1] + m.e, m.b * p[0] + m.d * p[1] + m.f]);
}
function apart(p, q) {  // separating axes of two convex outlines
  for (const o of [p, q]) for (let i = 0; i < o.length; i++) {
    const a = o[i], b = o[(i + 1) % o.length], n = [b[1] - a[1], a[0] - b[0]];
    const side = s => s.map(c => c[0] * n[0] + c[1] * n[1]);
    const u = side(p), v = side(q);
    if (Math.max(...u) <= Math.min(...v) + 1e-6 || Math.max(...v) <= Math.min(...u) + 1e-6) return true;
  }
  return false;
}
const found = [];
document.querySelectorAll('svg').forEach(svg => {
  const name = svg.getAttribute('data-file'), v = svg.viewBox.baseVal;
  const all = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim()).map(t => ({t: t.textContent, c: corners(t)}));
  const scale = svg.getCTM ? svg.getScreenCTM().a : 1, w = v.width * scale, h = v.height * scale;
  all.forEach((a, i) => {
    if (a.c.some(c => c[0] < -0.5 || c[1] < -0.5 || c[0] > w + 0.5 || c[1] > h + 0.5)) found.push([name, 'off the picture', a.t]);
    for (let k = i + 1; k < all.length; k++) if (!apart(a.c, all[k].c)) found.push([name, 'overlap', a.t + ' | ' + all[k].t]);
  });
  svg.querySelectorAll('path.axis').forEach(p => {
    const m = p.getCTM();
    for (const piece of p.getAttribute('d').split('M').slice(1)) {
      const at = piece.replace('Z', '').split('L').map(s => s.trim().split(' ').map(Number)).map(q => [m.a * q[0] + m.e, m.d * q[1] + m.f]);
      for (let i = 0; i + 1 < at.length; i++) all.forEach(a => {
        if (!apart([at[i], at[i + 1]], a.c)) found.push([name, 'touches an axis or tick', a.t]);
      });
    }
  });
});
document.body.innerHTML = '<pre id="found"></pre>';
document.getElementById('found').textContent = JSON.stringify(found);
"""


def boxes(chromium, files):
    """[file, kind, text] of every misplaced text."""
    page = "<!doctype html><meta charset='utf-8'><body>"
    for name, text in files.items():
        svg = text[text.index("<svg"):]
        page += svg.replace("<svg", f'<svg data-file="{name}"', 1)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "page.html"
        file.write_text(page + f"<script>{SCRIPT}</script></body>", encoding="utf-8")
        dom = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                              f"--user-data-dir={folder}/profile", "--virtual-time-budget=10000", "--dump-dom", f"file://{file}"],
                             capture_output=True, text=True, timeout=120, env={"HOME": folder, "PATH": "/usr/bin:/bin"}).stdout
    match = re.search(r'<pre id="found">(.*?)</pre>', dom, re.S)
    if not match:
        sys.exit("FAIL: the browser gave no answer")
    return json.loads(match.group(1).replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))


def lightness(colour):
    """CIE L* of #rrggbb."""
    linear = [(v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4)
              for v in (int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5))]
    y = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 116 * (y ** (1 / 3) if y > 0.008856 else 7.787 * y + 16 / 116) - 16


def marker(element):
    """Its form alone: corners relative to their middle, whatever the size."""
    if element.tag == SVG + "circle":
        return "circle"
    points = [tuple(map(float, p.split())) for p in re.findall(r"[-0-9.]+ [-0-9.]+", element.get("d"))]
    x, y = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    size = max(math.hypot(p[0] - x, p[1] - y) for p in points) or 1
    return tuple((round((p[0] - x) / size, 1), round((p[1] - y) / size, 1)) for p in points)


def hatching(d):
    """The directions of its lines: along x, along y, up or down a slant."""
    lines = [[tuple(map(float, p.split())) for p in piece.split("L")] for piece in d.split("M") if piece]
    sign = lambda v: (v > 0.01) - (v < -0.01)
    return sorted({(abs(sign(b[0] - a[0])), sign((b[0] - a[0]) * (b[1] - a[1])) if sign(b[0] - a[0]) else 1)
                   for a, b in ((line[0], line[-1]) for line in lines)})


def alike(text):
    """Pairs of legend entries that a grey print shows alike."""
    entries = {}
    elements = list(tree.fromstring(text[text.index("<svg"):]).iter())
    for i, e in enumerate(elements):
        if e.get("class") != "key":
            continue
        filled = e.get("fill") != "none"
        form = marker(e)
        kind = "bar" if e.get("fill-opacity") else "marker" if filled or e.tag == SVG + "circle" or len(form) != 2 else "line"
        look = [kind, "" if kind == "line" else form, "hollow" if e.get("fill") == "#ffffff" else "", e.get("stroke-dasharray", "")]
        if kind == "bar":  # its hatching follows it
            after = elements[i + 1] if i + 1 < len(elements) else None
            hatch = after is not None and after.get("class") == "hatch"
            look.append(hatching(after.get("d")) if hatch else 0)
        entries.setdefault(int(e.get("data-key")), []).append((tuple(map(str, look)), lightness(e.get("fill") if filled and e.get("fill") != "#ffffff" else e.get("stroke"))))
    faults = []
    for a in entries:
        for b in entries:
            if a >= b or len(entries[a]) != len(entries[b]):
                continue
            if all(p[0] == q[0] and abs(p[1] - q[1]) < NEAR for p, q in zip(entries[a], entries[b])):
                faults.append((a, b))
    return faults


def labels(text):
    """The legend's names; a name of several lines is one."""
    names, before = [], None
    for x, y, t in re.findall(r'<text x="([-0-9.]+)" y="([-0-9.]+)"[^>]*class="legend"[^>]*>(.*?)</text>', text):
        name = re.sub(r"<[^>]*>", "", t)
        if before is not None and before[0] == x and len(names) == before[2] and not marked(text, float(y)):
            names[-1] += " " + name
        else:
            names.append(name)
        before = (x, y, len(names))
    return names


def marked(text, y):
    """Whether a sample of the legend stands beside a line of text at this height."""
    heights = []
    for e in tree.fromstring(text[text.index("<svg"):]).iter():
        if e.get("class") == "key":
            at = [float(e.get("cy"))] if e.get("cy") else [float(p.split()[1]) for p in re.findall(r"[-0-9.]+ [-0-9.]+", e.get("d"))]
            heights.append(sum(at) / len(at))
    return any(abs(h - y + 3) < 4 for h in heights)


def told_by_letters(text, pair):
    """Marks of different panels may look alike: their names then begin with the panels' letters."""
    names = labels(text)
    return len(names) > max(pair) and all(names[i].startswith("(") for i in pair)


def plant(chromium, text):
    label = re.search(r'<text x="([-0-9.]+)" (.*?)</text>', text)
    moved = text[:label.end()] + f'<text x="{float(label.group(1)) + 1}" {label.group(2)}</text>' + text[label.end():]
    off = text[:label.start()] + f'<text x="-500" {label.group(2)}</text>' + text[label.end():]
    got = boxes(chromium, {"moved": moved, "off": off, "as it is": text})
    if not any(f[0] == "moved" and f[1] == "overlap" for f in got):
        sys.exit("FAIL: a label moved onto another was not found")
    if not any(f[0] == "off" and f[1] == "off the picture" for f in got):
        sys.exit("FAIL: a label off the picture was not found")
    line = '<path class="key" data-key="{}" d="M0 0L9 0" fill="none" stroke="{}" stroke-width="1"{}/>'
    picture = '<svg xmlns="http://www.w3.org/2000/svg">' + line + line + "</svg>"
    if not alike(picture.format(0, "#0072b2", "", 1, "#d55e00", "")):
        sys.exit("FAIL: blue and vermillion lines without dashes were told apart in grey")
    if hatching("M0 0L9 9M0 3L9 12") == hatching("M0 9L9 0") or hatching("M0 0L9 0") == hatching("M0 0L0 9"):
        sys.exit("FAIL: hatching of other directions was taken for the same")
    if alike(picture.format(0, "#0072b2", "", 1, "#d55e00", ' stroke-dasharray="5 2"')):
        sys.exit("FAIL: a dashed line was taken for a solid one")


def main():
    chromium, names = sys.argv[1], sys.argv[2:]
    files = {}
    for name in names:
        files[name] = pathlib.Path(name).read_text(encoding="utf-8")
    if not files:
        sys.exit("FAIL: no figures")
    plant(chromium, next(iter(files.values())))
    faults = [f"{name}: {kind}: {text}" for name, kind, text in boxes(chromium, files)]
    for name, text in files.items():
        for pair in alike(text):
            if not told_by_letters(text, pair):
                faults.append(f"{name}: alike in grey: {' | '.join(labels(text)[i] for i in pair if i < len(labels(text)))}")
    for fault in faults:
        print("FAIL:", fault)
    print(f"{len(files)} figures, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
