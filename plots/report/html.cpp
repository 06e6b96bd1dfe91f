#include "speder/plots/report/html.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace speder {
namespace {

// Light and dark follow the reader's system; nothing is loaded from anywhere.
constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark;
  --page: #ffffff; --text: #1a1a1a; --soft: #5c5c5c; --line: #d9d9d9; --panel: #f6f6f4;
  --good: #00664b; --bad: #a33c00; --open: #5c5c5c; --link: #005b8e;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #56b4e9; --c5: #e69f00; }
@media (prefers-color-scheme: dark) { :root {
  --page: #16181b; --text: #e6e6e3; --soft: #a8a8a4; --line: #3a3d42; --panel: #1f2226;
  --good: #4cc9a3; --bad: #ff9a66; --open: #a8a8a4; --link: #6cb8ea;
  --c0: #3f9fdc; --c1: #ff8a4c; --c2: #2fc59b; --c3: #e39fc8; --c4: #9ad8fb; --c5: #f5bd45; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, "DejaVu Sans", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 5rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 .75rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
a { color: var(--link); }
p { margin: .5rem 0; max-width: 46rem; }
.soft { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .4rem .7rem .4rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--soft); white-space: nowrap; }
.nowrap { white-space: nowrap; }
.why { display: block; font-size: .8rem; color: var(--soft); max-width: 20rem; }
.verdict { font-weight: 600; white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); }
.tag { margin-left: .4rem; font-size: .75rem; color: var(--soft); border: 1px solid var(--line); border-radius: .6rem; padding: 0 .45rem; white-space: nowrap; }
figure { margin: 1.2rem 0; }
figure svg, figure img { display: block; width: 100%; max-width: 34rem; height: auto; color: var(--text); }
figure.wide svg, figure.wide img { max-width: none; }
figcaption { font-size: .875rem; color: var(--soft); max-width: 46rem; margin-top: .4rem; }
pre, code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .85rem; }
pre { background: var(--panel); padding: .7rem .9rem; overflow-x: auto; border-radius: .3rem; margin: .5rem 0; }
details summary { cursor: pointer; color: var(--soft); font-size: .875rem; }
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
  for (const std::string& h : head) out += html_element("th", h);
  out += "</tr></thead><tbody>\n";
  for (const auto& row : rows_html) {
    out += "<tr>";
    for (const std::string& cell : row) out += "<td>" + cell + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string html_png(std::string_view bytes, std::string_view description) {
  return fmt::format("<img alt=\"{}\" src=\"data:image/png;base64,{}\">", html_text(description),
                     base64(bytes));
}

std::string html_page(std::string_view title, std::string_view body_html) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>{}</style>\n</head>\n"
      "<body>\n<main>\n{}</main>\n</body>\n</html>\n",
      html_text(title), kStyle, body_html);
}

}  // namespace speder
