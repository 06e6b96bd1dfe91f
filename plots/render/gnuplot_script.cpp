#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "speder/core/check.hpp"
#include "speder/plots/render/gnuplot_marks.hpp"
#include "speder/plots/render/render.hpp"

namespace speder {
namespace {

constexpr double kPanelWidth = 3.4;   // inches: a journal's column
constexpr double kPanelHeight = 2.3;  // inches, without the legend
constexpr double kFont = 8;           // points
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  explicit Range(const std::vector<double>& values) {
    for (const double v : values) {
      if (!std::isfinite(v)) continue;
      low = std::min(low, v);
      high = std::max(high, v);
    }
  }
};

// Character heights below the axis: tics and label, or slanted names, then the legend.
double rows_below(const Panel& panel) {
  constexpr double kTicsAndLabel = 3.0, kLegendLine = 1.25;
  const double axis = slanted(panel) ? 1 + gnuplot_bar_label_rows(panel) : kTicsAndLabel;
  return axis + (panel.legend == Legend::kBelow ? kLegendLine * legend_entries(panel) : 0);
}

double panel_height(const Figure& figure) {
  constexpr double kRow = 0.124;  // inches of a character height
  double rows = 0;
  for (const Panel& panel : figure.panels) rows = std::max(rows, rows_below(panel));
  return kPanelHeight + kRow * (rows - 2.4);
}

std::string terminal(const Figure& figure, Picture format) {
  const double columns =
      std::min<double>(figure.columns, static_cast<double>(figure.panels.size()));
  const double rows = std::ceil(static_cast<double>(figure.panels.size()) / columns);
  const double width = kPanelWidth * columns;
  const double height = panel_height(figure) * rows;
  switch (format) {
    case Picture::kSvg:  // CSS pixels: 96 to the inch
      return fmt::format(
          "set terminal svg enhanced size {:.0f},{:.0f} font 'DejaVu Sans,{:.2f}' linewidth 1.33 "
          "background '#ffffff'\n",
          width * 96, height * 96, kFont * 96 / 72);
    case Picture::kPng:  // 300 dots to the inch
      return fmt::format(
          "set terminal pngcairo enhanced size {:.0f},{:.0f} font 'DejaVu Sans,{}' fontscale "
          "{:.3f} "
          "linewidth 4 pointscale 4\n",
          width * 300, height * 300, kFont, 300.0 / 96);
    case Picture::kPdf:
      return fmt::format(
          "set terminal pdfcairo enhanced size {:.2f}in,{:.2f}in font 'DejaVu Sans,{}' "
          "fontscale 0.75 linewidth 1.2 pointscale 0.6\n",
          width, height, kFont * 4 / 3);
  }
  return "";
}

// 1, 2, 5 times powers of ten: for log axes of less than two decades. Where these are fewer than three,
// some between them too.
std::string short_log_tics(char axis, const Range& range) {
  const int first = static_cast<int>(std::floor(std::log10(range.low)));
  const int last = static_cast<int>(std::ceil(std::log10(range.high)));
  const auto tics = [&](std::initializer_list<double> steps) {
    std::vector<double> out;
    for (int e = first; e <= last; ++e)
      for (const double m : steps) out.push_back(m * std::pow(10, e));
    return out;
  };
  const auto inside = [&](double t) { return range.low <= t && t <= range.high; };
  std::vector<double> places = tics({1, 2, 5});
  const bool few = std::ranges::count_if(places, inside) < 3;
  if (few) places = tics({1, 1.5, 2, 3, 4, 5, 7});
  std::string out;
  for (const double t : places) out += fmt::format("{}{:g}", out.empty() ? "" : ", ", t);
  const bool plain = range.low >= 1e-3 && range.high < 1e4;  // few enough digits to write out
  return fmt::format("set format {0} '{2}'\nset {0}tics ({1})\n", axis, out,
                     plain ? "%g"
                     : few ? "%.1t·10^{%T}"
                           : "%.0t·10^{%T}");
}

std::string axis_commands(char name, const Axis& axis, Range range) {
  std::string out = fmt::format("set {}label {} noenhanced offset {}\n", name,
                                gnuplot_text(axis.label), name == 'x' ? "0,0.6" : "0.8,0");
  if (axis.low) range.low = *axis.low;
  if (axis.high) range.high = *axis.high;
  const bool log = axis.scale == Scale::kLog && range.low > 0 && range.high >= range.low;
  if (log) {
    constexpr double kShortAxis = 100;  // below two decades powers of ten alone are too few
    out += fmt::format("set logscale {0}\n", name);
    out += range.high / range.low < kShortAxis ? short_log_tics(name, range)
                                               : fmt::format("set format {} '10^{{%L}}'\n", name);
    // gnuplot would go on to the next power of ten.
    const double room = std::max(std::pow(range.high / range.low, 0.04), 1.1);
    if (!axis.low) range.low /= room;
    if (!axis.high) range.high *= room;
    return out + fmt::format("set {}range [{}:{}]\n", name, range.low, range.high);
  }
  if (!(range.high > range.low)) {  // nothing to draw, or one value
    const double middle = std::isfinite(range.low) ? range.low : 0;
    return out + fmt::format("set {}range [{}:{}]\n", name, middle - 1, middle + 1);
  }
  const auto end = [](const std::optional<double>& v) { return v ? fmt::format("{}", *v) : "*"; };
  return out + fmt::format("set {}range [{}:{}]\n", name, end(axis.low), end(axis.high));
}

std::string key(Legend legend) {
  switch (legend) {
    case Legend::kBelow:
      return "set key below left Left reverse maxcols 1\n";
    case Legend::kTopLeft:
      return "set key inside top left Left reverse\n";
    case Legend::kTopRight:
      return "set key inside top right\n";
    case Legend::kBottomLeft:
      return "set key inside bottom left Left reverse\n";
    case Legend::kBottomRight:
      return "set key inside bottom right\n";
  }
  return "";
}

std::string panel_commands(const Panel& panel, int number, Picture format) {
  std::string out =
      "unset logscale\nset format '%g'\nset xtics enhanced norotate scale 0.6 autofreq\nset ytics "
      "enhanced "
      "autofreq\n";
  out += "set grid xtics ytics lw 0.5 lt 1 lc rgb '#c0808080'\n";
  out += fmt::format("set title {} noenhanced offset 0,-0.7\nset tmargin {}\n",
                     gnuplot_text(panel.title), panel.title.empty() ? 0.6 : 1.4);
  out += fmt::format("set bmargin {:.2f}\nset rmargin -1\n", rows_below(panel));
  out += axis_commands('x', panel.x, Range(drawn_x(panel)));
  out += axis_commands('y', panel.y, Range(drawn_y(panel)));
  const GnuplotMarks marks = gnuplot_marks(panel, number, format);
  if (panel.heat) out += gnuplot_heat_settings(*panel.heat);
  if (!panel.bars.empty()) out += gnuplot_bar_settings(panel);
  return marks.data + out + key(panel.legend) + marks.clauses + "\n";
}

}  // namespace

std::string gnuplot_codes(const std::string& text, std::string_view enhanced) {
  constexpr std::string_view kPlain = " .,:;()[]/+-=*|?!";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7f) {
      out += ' ';
    } else if (byte >= 0x80 || std::isalnum(byte) != 0 ||
               kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      if (enhanced.find(c) != std::string_view::npos) out += "\\134";
      out += fmt::format("\\{:03o}", byte);
    }
  }
  return out;
}

std::string gnuplot_text(const std::string& text) { return '"' + gnuplot_codes(text, "") + '"'; }

std::string gnuplot_script(const Figure& figure, Picture format) {
  require_drawable(figure);
  const int panels = static_cast<int>(figure.panels.size());
  const int columns = std::min(figure.columns, panels);
  std::string out = "set encoding utf8\n" + terminal(figure, format);
  out += "set border 3 lw 0.8\nset tics nomirror scale 0.6\n";
  out += "set key samplen 2.4 spacing 1.1 width -1 noenhanced\nset errorbars small\n";
  if (panels > 1) {
    out += fmt::format("set multiplot layout {},{}\n", (panels + columns - 1) / columns, columns);
  }
  for (int i = 0; i < panels; ++i) {
    out += panel_commands(figure.panels[static_cast<std::size_t>(i)], i, format);
  }
  return out + (panels > 1 ? "unset multiplot\n" : "") + "unset output\n";
}

}  // namespace speder
