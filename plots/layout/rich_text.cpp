#include "speder/plots/layout/rich_text.hpp"

#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

namespace speder {
namespace {

// Advance widths of DejaVu Sans in thousandths of its size, from the blank to the tilde.
constexpr std::array<int, 95> kWidths = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};
constexpr int kOther = 640;                                     // letters of other scripts
constexpr int kRaisedDigit = 401, kWide = 838, kWidest = 1000;  // ², −, …

// Length of the code point at `at`, 0 where the bytes are no UTF-8.
std::size_t code_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const std::size_t n = first < 0x80   ? 1
                        : first < 0xC2 ? 0
                        : first < 0xE0 ? 2
                        : first < 0xF0 ? 3
                        : first < 0xF5 ? 4
                                       : 0;
  if (n == 0 || at + n > text.size()) return 0;
  for (std::size_t i = at + 1; i < at + n; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  return n;
}

std::uint32_t code_of(std::string_view character) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(character[i]));
  };
  switch (code_length(character, 0)) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU);
    case 3:
      return (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
    case 4:
      return (byte(0) & 0x07U) << 18U | (byte(1) & 0x3FU) << 12U | (byte(2) & 0x3FU) << 6U |
             (byte(3) & 0x3FU);
    default:
      return '?';
  }
}

bool combining(std::uint32_t code) { return code >= 0x300 && code < 0x370; }

int width_of(std::uint32_t code) {
  if (code < 0x20 || combining(code)) return 0;
  if (code < 0x7F) return kWidths[code - 0x20];
  if (code == 0xB2 || code == 0xB3 || code == 0xB9 || (code >= 0x2070 && code < 0x20A0))
    return kRaisedDigit;
  if (code == 0xB7 || code == 0xA0) return kWidths[0];
  if (code == 0x2013 || code == 0x2016) return kWidths['*' - ' '];
  if (code == 0xB1 || code == 0xD7 || (code >= 0x2200 && code < 0x2300) || code == 0x3C9)
    return kWide;
  return code >= 0x2000 ? kWidest : kOther;
}

bool letter(const std::string& c) {
  const auto first = static_cast<unsigned char>(c.front());
  return std::isalpha(first) != 0 || (first >= 0xCD && first <= 0xCF);  // Latin or Greek
}
bool word(const std::string& c) {
  return letter(c) || std::isdigit(static_cast<unsigned char>(c.front())) != 0;
}
bool digit(const std::string& c) {
  return std::isdigit(static_cast<unsigned char>(c.front())) != 0;
}

using Characters = std::vector<std::string>;

// How many characters from `at` are raised by a ^ before them: a number, or one.
std::size_t raised(const Characters& c, std::size_t at) {
  std::size_t end = at;
  if (end < c.size() && (c[end] == "-" || c[end] == "−")) ++end;
  const std::size_t first = end;
  while (end < c.size() && (digit(c[end]) || (c[end] == "." && end + 1 < c.size() &&
                                              digit(c[end + 1]) && end > first)))
    ++end;
  if (end > first) return end - at;
  return at < c.size() && letter(c[at]) ? 1 : 0;
}

bool lowered(const Characters& c, std::size_t underscore) {
  const std::size_t base = underscore - 1, sub = underscore + 1;
  return underscore > 0 && sub < c.size() && letter(c[base]) && (base == 0 || !word(c[base - 1])) &&
         word(c[sub]) && (sub + 1 == c.size() || (!word(c[sub + 1]) && c[sub + 1] != "_"));
}

}  // namespace

std::vector<std::string> characters(std::string_view text) {
  Characters out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t n = code_length(text, at);
    const std::string one = n == 0 ? "?" : std::string(text.substr(at, n));
    at += n == 0 ? 1 : n;
    if (combining(code_of(one)) && !out.empty()) {
      out.back() += one;
    } else {
      out.push_back(one.size() == 1 && (one[0] < ' ' && one[0] >= 0) ? " "
                    : one == "\x7f"                                  ? " "
                                                                     : one);
    }
  }
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  for (const std::string& c : characters(text)) out += c;
  return out;
}

std::vector<TextRun> rich_text(std::string_view text) {
  const Characters c = characters(text);
  std::vector<TextRun> out;
  const auto put = [&out](const std::string& piece, int level) {
    if (out.empty() || out.back().level != level) out.push_back({"", level});
    out.back().text += piece;
  };
  for (std::size_t i = 0; i < c.size(); ++i) {
    const bool up = c[i] == "^" && !out.empty(), down = c[i] == "_" && !out.empty();
    if (!up && !down) {
      put(c[i], 0);
      continue;
    }
    std::size_t from = i + 1, to = from;
    if (from < c.size() && c[from] == "{") {
      for (to = ++from; to < c.size() && c[to] != "}";) ++to;
      if (to == c.size() || to == from) to = from = i + 1;  // no closing brace, or nothing in them
    } else {
      to = from + (up ? raised(c, from) : lowered(c, i) ? 1 : 0);
    }
    if (to == from) {
      put(c[i], 0);
      continue;
    }
    for (std::size_t k = from; k < to; ++k) put(c[k], up ? 1 : -1);
    i = to - (c[i + 1] == "{" ? 0 : 1);
  }
  return out;
}

double text_width(std::string_view text) {
  double out = 0;
  for (const TextRun& run : rich_text(text)) {
    double thousandths = 0;
    for (const std::string& c : characters(run.text)) thousandths += width_of(code_of(c));
    out += thousandths / 1000 * (run.level == 0 ? 1 : kSmall);
  }
  return out;
}

std::vector<std::string> wrapped_text(const std::string& text, double width) {
  std::vector<std::string> lines = {""};
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view next = rest.substr(0, rest.find(' '));
    const std::string longer =
        lines.back().empty() ? std::string(next) : lines.back() + " " + std::string(next);
    if (lines.back().empty() || text_width(longer) <= width) {
      lines.back() = longer;
    } else {
      lines.emplace_back(next);
    }
    rest.remove_prefix(std::min(rest.size(), next.size() + 1));
  }
  return lines;
}

}  // namespace speder
