#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace speder {

/// A piece of a label: on the line (0), raised (+1) or lowered (−1).
struct TextRun {
  std::string text;
  int level = 0;
};

/// "V^π̂", "d^3.19", "10^{−4}" and "c_α" as they are meant. ^ raises what stands in braces, else a number
/// or one letter with its accents. _ lowers what stands in braces, or one letter after one letter, so
/// that names such as cheetah_run stay as they are.
[[nodiscard]] std::vector<TextRun> rich_text(std::string_view text);

/// Of a raised or lowered piece, relative to the line.
inline constexpr double kSmall = 0.72;
inline constexpr double kRaise = 0.36, kLower = 0.18;

/// Width in units of the font's size, by the advance widths of DejaVu Sans.
[[nodiscard]] double text_width(std::string_view text);

/// Lines no wider than `width` (in font sizes), broken at blanks where there are any.
[[nodiscard]] std::vector<std::string> wrapped_text(const std::string& text, double width);

/// The code points of UTF-8, each with the combining marks that follow; other bytes become "?".
[[nodiscard]] std::vector<std::string> characters(std::string_view text);
/// Control characters as blanks, broken UTF-8 as "?".
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace speder
