#include "speder/plots/report/html.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "speder/plots/layout/rich_text.hpp"

namespace speder {
namespace {

// Light and dark follow the reader's system; nothing is loaded from anywhere.
constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark;
  --page: #ffffff; --text: #1a1a1a; --soft: #5c5c5c; --line: #d9d9d9; --panel: #f6f6f4;
  --good: #00664b; --bad: #a33c00; --open: #5c5c5c; --link: #005b8e;
  --grid: #e4e4e4; --neutral: #606060; --faint: #b0b0b0;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #56b4e9; --c5: #e69f00; }
@media (prefers-color-scheme: dark) { :root {
  --page: #16181b; --text: #e6e6e3; --soft: #a8a8a4; --line: #3a3d42; --panel: #1f2226;
  --good: #4cc9a3; --bad: #ff9a66; --open: #a8a8a4; --link: #6cb8ea;
  --grid: #2b2e33; --neutral: #a0a09c; --faint: #5c6066;
  --c0: #3f9fdc; --c1: #ff8a4c; --c2: #2fc59b; --c3: #e39fc8; --c4: #9ad8fb; --c5: #f5bd45; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 3.2rem; }
body { margin: 0; background: var(--page); color: var(--text); overflow-wrap: break-word;
  font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
header { position: sticky; top: 0; z-index: 2; background: var(--page); border-bottom: 1px solid var(--line); }
header > div { max-width: 70rem; margin: 0 auto; padding: .45rem 1.25rem; display: flex; gap: 1rem;
  justify-content: space-between; align-items: baseline; }
header details { position: relative; } header summary { font-size: .9rem; white-space: nowrap; }
nav { position: absolute; right: 0; top: 1.8rem; background: var(--page); border: 1px solid var(--line);
  padding: .6rem .9rem; width: max-content; max-width: min(22rem, 86vw); max-height: 75vh; overflow-y: auto; columns: 2; }
nav a { display: block; padding: .12rem 0; }
main { max-width: 70rem; margin: 0 auto; padding: .8rem 1.25rem 5rem; }
h1 { font-size: 1.05rem; line-height: 1.3; margin: 0; }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
a { color: var(--link); }
p { margin: .4rem 0; max-width: 46rem; }
sup, sub { line-height: 0; font-size: .75em; }
.soft { color: var(--soft); }
.lead { display: grid; grid-template-columns: minmax(0, 9fr) minmax(0, 11fr); gap: 1.2rem; align-items: start; }
.lead figure { margin: .4rem 0; } .lead figure svg { max-width: 100%; }
.lead table, .short p { font-size: .8rem; } .lead th, .lead td { padding: .17rem .4rem .17rem 0; }
.lead td:first-child { white-space: nowrap; } .lead .short td:first-child { white-space: normal; } .lead .cut { display: block; max-width: 8.2rem; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
#verdicts > p { font-size: .875rem; max-width: none; margin: .2rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .4rem .7rem .4rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--soft); white-space: nowrap; }
.nowrap { white-space: nowrap; }
.why { display: block; font-size: .8rem; color: var(--soft); max-width: 20rem; }
.verdict { font-weight: 600; white-space: nowrap; border: 1.5px solid; padding: 0 .4rem; font-size: .95em; }
.good { color: var(--good); border-radius: 1rem; }
.bad { color: var(--page); background: var(--bad); border-color: var(--bad); border-radius: 0; }
.open { color: var(--open); border-style: dashed; border-radius: 0; }
.tag { margin-left: .4rem; font-size: .75rem; color: var(--soft); border: 1px solid var(--line); border-radius: .6rem; padding: 0 .45rem; }
.weak { border-left: .3rem solid var(--bad); padding: .2rem .8rem; background: var(--panel); }
figure { margin: 1.2rem 0; }
figure svg, figure img { display: block; width: 100%; max-width: 34rem; height: auto; color: var(--text); }
figure.wide svg, figure.wide img { max-width: none; }
figure .narrow { display: none; }
figcaption { font-size: .875rem; color: var(--soft); max-width: 46rem; margin-top: .4rem; }
figure button { font: inherit; font-size: .8rem; color: var(--link); background: none; border: 1px solid var(--line); border-radius: .3rem; cursor: pointer; }
figure.zoomed { position: fixed; inset: 0; z-index: 4; margin: 0; padding: 1rem; overflow: auto; background: var(--page); }
figure.zoomed svg, figure.zoomed img { max-width: none; width: max(100%, 70rem); }
#tip { position: fixed; z-index: 5; pointer-events: none; background: var(--text); color: var(--page); font-size: .8rem;
  padding: .15rem .5rem; border-radius: .2rem; max-width: min(24rem, 80vw); display: none; }
pre, code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .85rem; }
pre { background: var(--panel); padding: .7rem .9rem; overflow-x: auto; border-radius: .3rem; margin: .5rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
details summary { cursor: pointer; color: var(--soft); font-size: .875rem; }
@media (max-width: 46rem) {
  main, header > div { padding-left: .9rem; padding-right: .9rem; }
  .lead { display: block; } .lead .cut { display: inline-block; vertical-align: bottom; } .nowrap, th { white-space: normal; } .why { max-width: none; }
  figure .broad { display: none; } figure .narrow { display: block; }
  table, tbody, tr, td { display: block; width: 100%; } thead { display: none; }
  tr { border-bottom: 1px solid var(--line); padding: .4rem 0; } td { border: 0; padding: .05rem 0 !important; overflow-wrap: anywhere; }
  td:empty { display: none; }
  td::before { content: attr(data-head) " "; color: var(--soft); font-size: .8rem; }
  .lead tr { padding: .25rem 0; } .lead td { display: inline; padding-right: .5rem !important; } .lead td::before { content: none; }
  .short td { display: block; } .short td::before { content: attr(data-head) " "; }
}
@media print { header { position: static; } header details, figure button { display: none; } }
)";

// Adds to a page that stands without it: the numbers of what the pointer is on, and a larger figure.
// The numbers are the <title> elements of the SVG, which a browser shows by itself more slowly.
constexpr std::string_view kScript = R"(
(function () {
  var tip = document.createElement('div'); tip.id = 'tip'; document.body.appendChild(tip);
  document.querySelectorAll('svg title').forEach(function (t) {
    t.parentNode.setAttribute('data-note', t.textContent); t.remove();
  });
  document.addEventListener('pointerover', function (e) {
    var at = e.target.closest ? e.target.closest('[data-note]') : null;
    if (!at) { tip.style.display = 'none'; return; }
    tip.textContent = at.getAttribute('data-note'); tip.style.display = 'block';
    var w = tip.offsetWidth, x = Math.min(e.clientX + 12, innerWidth - w - 8), y = e.clientY - tip.offsetHeight - 10;
    tip.style.left = Math.max(8, x) + 'px'; tip.style.top = (y < 4 ? e.clientY + 16 : y) + 'px';
  });
  function close() { document.querySelectorAll('figure.zoomed').forEach(function (f) { f.classList.remove('zoomed'); }); }
  document.querySelectorAll('figure').forEach(function (f) {
    var b = document.createElement('button'); b.type = 'button'; b.textContent = 'zoom';
    b.addEventListener('click', function () { var on = f.classList.contains('zoomed'); close(); if (!on) f.classList.add('zoomed'); });
    (f.querySelector('figcaption') || f).appendChild(b);
  });
  document.addEventListener('keydown', function (e) { if (e.key === 'Escape') close(); });
})();
)";

// RFC 4648: three bytes as four letters, the last ones padded with '='.
std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k > bytes.size() ? '=' : kLetters[group >> (18U - 6U * k) & 63U];
    }
  }
  return out;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_element(std::string_view tag, std::string_view text, std::string_view css_class) {
  const std::string attribute =
      css_class.empty() ? "" : fmt::format(" class=\"{}\"", html_text(css_class));
  return fmt::format("<{}{}>{}</{}>", tag, attribute, html_text(text), tag);
}

std::string html_id(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += word ? c : '-';
  }
  return out;
}

std::string html_table(const std::vector<std::string>& head,
                       const std::vector<std::vector<std::string>>& rows_html) {
  std::string out = "<div class=\"scroll\"><table><thead><tr>";
  for (const std::string& h : head) out += "<th>" + html_rich(h) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const auto& row : rows_html) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += i < head.size() && !head[i].empty()
                 ? fmt::format("<td data-head=\"{}\">{}</td>", html_text(head[i]), row[i])
                 : "<td>" + row[i] + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string html_png(std::string_view bytes, std::string_view description) {
  return fmt::format("<img alt=\"{}\" src=\"data:image/png;base64,{}\">", html_text(description),
                     base64(bytes));
}

std::string html_rich(std::string_view text) {
  std::string out;
  for (const TextRun& run : rich_text(text)) {
    const char* tag = run.level > 0 ? "sup" : "sub";
    out += run.level == 0 ? html_text(run.text)
                          : fmt::format("<{0}>{1}</{0}>", tag, html_text(run.text));
  }
  return out;
}

std::string html_page(std::string_view title, const std::vector<PageLink>& contents,
                      std::string_view body_html) {
  std::string links;
  for (const PageLink& l : contents) {
    links += fmt::format("<a href=\"#{}\">{}</a>\n", html_id(l.id), html_rich(l.name));
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{0}</title>\n<style>{1}</style>\n</head>\n"
      "<body>\n<header><div><h1>{0}</h1>\n<details><summary>Contents</summary><nav>\n{2}</nav>"
      "</details></div></header>\n<main>\n{3}</main>\n<script>{4}</script>\n</body>\n</html>\n",
      html_text(title), kStyle, links, body_html, kScript);
}

}  // namespace speder
