#include "speder/plots/render/gnuplot_marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace speder {
namespace {

constexpr const char* kNeutral = "#777777";
constexpr double kBarFill = 0.92;  // of a bar's place
constexpr double kSlant = 35;      // degrees

std::string numbers(std::initializer_list<double> values) {
  std::string out;
  for (const double v : values) out += std::isfinite(v) ? fmt::format("{:.17g} ", v) : "NaN ";
  out.back() = '\n';
  return out;
}

// Data blocks and the plot clauses that use them.
class Plot {
 public:
  Plot(int panel, Picture format) : point_scale(format == Picture::kSvg ? 1.6 : 1), panel_(panel) {}
  std::string block(const std::string& rows) {
    std::string name = fmt::format("$d{}_{}", panel_, blocks_++);
    data += fmt::format("{} << EOD\n{}EOD\n", name, rows);
    return name;
  }
  void clause(const std::string& text) {
    clauses += (clauses.empty() ? "plot " : ", \\\n  ") + text;
  }
  std::string data;
  std::string clauses;
  double point_scale;  // the SVG terminal draws smaller points

 private:
  int panel_;
  int blocks_ = 0;
};

std::string title(const std::string& label) {
  return label.empty() ? "notitle" : "title " + gnuplot_text(label) + " noenhanced";
}

constexpr const char* kFaint = "#a8a8a8";

void add_series(Plot& plot, const Series& s) {
  std::string rows;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    const bool band = !s.low.empty();
    rows += numbers({s.x[i], s.y[i], band ? s.low[i] : s.y[i], band ? s.high[i] : s.y[i]});
  }
  if (rows.empty()) return;
  const std::string data = plot.block(rows);
  const std::string colour = fmt::format("lc rgb '{}'", s.faint ? kFaint : hex(palette(s.colour)));
  const std::string point = fmt::format("pt {} ps {:.2f}", s.censored ? 8 : 7,
                                        (s.censored ? 0.8 : 0.45) * plot.point_scale);
  if (!s.low.empty() && s.mark == Mark::kPoints) {  // yerrorbars would cut a hole round each point
    plot.clause(fmt::format("{} using 1:3:(0):($4-$3) with vectors nohead lw 1 dt 1 {} notitle",
                            data, colour));
  }
  if (!s.low.empty() && s.mark != Mark::kPoints) {
    plot.clause(
        fmt::format("{} using 1:3:4 with filledcurves fs transparent solid 0.2 noborder {} "
                    "notitle",
                    data, colour));
  }
  const std::string style = s.mark == Mark::kPoints ? "points " + point
                            : s.faint               ? "lines lw 0.7"
                            : s.mark == Mark::kLine ? "lines lw 1.5"
                                                    : "linespoints lw 1.2 " + point;
  plot.clause(fmt::format("{} using 1:2 with {} {} {}", data, style, colour, title(s.label)));
}

void add_lines(Plot& plot, const Panel& panel) {
  constexpr int kSteps = 64;  // a power law is straight on log-log axes and curved on others
  for (const FitLine& f : panel.fits) {
    std::string rows;
    for (int i = 0; i <= kSteps; ++i) {
      const double x = f.from * std::pow(f.to / f.from, static_cast<double>(i) / kSteps);
      rows += numbers({x, value(f, x)});
    }
    plot.clause(fmt::format("{} using 1:2 with lines lw 1.6 lc rgb '{}' {}", plot.block(rows),
                            hex(palette(f.colour)), title(f.label)));
  }
  for (const ReferenceLine& r : panel.references) {
    std::string rows;
    for (std::size_t i = 0; i < r.x.size(); ++i) rows += numbers({r.x[i], r.y[i]});
    if (rows.empty()) continue;
    plot.clause(fmt::format("{} using 1:2 with lines lw 1.3 dt (12,8) lc rgb '{}' {}",
                            plot.block(rows), kNeutral, title(r.label)));
  }
}

void add_histograms(Plot& plot, const Panel& panel) {
  for (const Histogram& h : panel.histograms) {
    std::string rows;
    for (std::size_t k = 0; k < h.heights.size(); ++k) {
      const double middle = (h.edges[k] + h.edges[k + 1]) / 2;
      rows += numbers({middle, h.heights[k], h.edges[k + 1] - h.edges[k]});
    }
    if (rows.empty()) continue;
    plot.clause(fmt::format("{} using 1:2:3 with boxes fs solid 0.35 border lw 0.8 lc rgb '{}' {}",
                            plot.block(rows), hex(palette(h.colour)), title(h.label)));
  }
}

// The bars of one name and colour, their intervals and points. Black is linetype −1, which the
// page can turn into its text colour.
void add_bars(Plot& plot, const std::vector<DrawnBar>& bars) {
  std::string boxes, points;
  for (const DrawnBar& b : bars) {
    boxes +=
        numbers({b.x, b.bar->value, b.width * kBarFill, b.bar->interval.low, b.bar->interval.high});
    for (std::size_t i = 0; i < b.points_x.size(); ++i) {
      points += numbers({b.points_x[i], b.bar->points[i]});
    }
  }
  const std::string data = plot.block(boxes);
  plot.clause(fmt::format("{} using 1:2:3 with boxes fs solid 0.6 border lw 0.8 lc rgb '{}' {}",
                          data, hex(palette(bars.front().bar->colour)),
                          title(bars.front().bar->label)));
  plot.clause(
      fmt::format("{} using 1:4:(0):($5-$4) with vectors nohead lt -1 lw 1.1 notitle", data));
  if (points.empty()) return;
  plot.clause(fmt::format("{} using 1:2 with points pt 6 ps {:.2f} lt -1 lw 0.7 notitle",
                          plot.block(points), 0.42 * plot.point_scale));
}

void add_bars(Plot& plot, const Panel& panel) {
  std::vector<std::pair<std::pair<std::string, int>, std::vector<DrawnBar>>> kinds;
  for (const DrawnBar& b : drawn_bars(panel)) {
    const std::pair kind(b.bar->label, b.bar->colour);
    auto found = std::ranges::find(kinds, kind, [](const auto& k) { return k.first; });
    if (found == kinds.end()) found = kinds.insert(kinds.end(), {kind, {}});
    found->second.push_back(b);
  }
  for (const auto& [kind, bars] : kinds) add_bars(plot, bars);
}

std::string category_tics(char axis, const std::vector<std::string>& labels) {
  std::string out = fmt::format("set {}tics noenhanced (", axis);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].empty()) continue;  // no tic
    std::string format;               // a tic's label is a printf format
    for (const char c : labels[i]) format += c == '%' ? "%%" : std::string(1, c);
    out += fmt::format("{}{} {}", out.back() == '(' ? "" : ", ", gnuplot_text(format), i);
  }
  return out + ")\n";
}

void add_heat(Plot& plot, const HeatMap& heat) {
  std::string rows;
  for (Index i = 0; i < heat.values.rows(); ++i) {
    for (Index j = 0; j < heat.values.cols(); ++j) {
      if (!std::isfinite(heat.values(i, j))) continue;  // left blank
      rows += numbers({static_cast<double>(j), static_cast<double>(i), heat.values(i, j)});
    }
  }
  if (rows.empty()) return;
  plot.clause(fmt::format(
      "{} using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid noborder "
      "lc palette notitle",
      plot.block(rows)));
}

}  // namespace

std::string gnuplot_heat_settings(const HeatMap& heat) {
  double low = INFINITY, high = -INFINITY;
  for (const double v : heat.values.reshaped()) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  if (!(high > low)) high = low = 0;
  // Viridis: monotone in lightness, so that it also reads in grey.
  return "set palette defined (0 '#440154', 0.25 '#3b528b', 0.5 '#21918c', 0.75 '#5ec962', "
         "1 '#fde725')\n" +
         fmt::format("set cbrange [{}:{}]\nset cblabel {} noenhanced offset 1\n", low,
                     high > low ? high : 1, gnuplot_text(heat.label)) +
         category_tics('x', heat.columns) + category_tics('y', heat.rows) +
         // tics of a letter or two leave the label of the axis too near
         fmt::format(
             "set ylabel offset -0.4,0\nset xrange [-0.5:{}]\nset yrange [-0.5:{}]\nunset grid\n",
             static_cast<double>(heat.columns.size()) - 0.5,
             static_cast<double>(heat.rows.size()) - 0.5);
}

std::string gnuplot_bar_settings(const Panel& panel) {
  std::vector<std::string> names;
  for (const BarGroup& group : panel.bars) names.push_back(group.label);
  return category_tics('x', names) +
         (slanted(panel) ? fmt::format("set xtics rotate by {} right\n", kSlant) : "") +
         // gnuplot would make room on the right for names that hang to the left
         fmt::format("set xrange [-0.6:{}]\nset xtics scale 0\nset grid noxtics\nset rmargin 2\n",
                     static_cast<double>(panel.bars.size()) - 0.4);
}

double gnuplot_bar_label_rows(const Panel& panel) {
  if (!slanted(panel)) return 0;
  constexpr double kWidthOfHeight = 0.5;  // of a character, on average
  return kWidthOfHeight * std::sin(kSlant * std::numbers::pi / 180) *
         static_cast<double>(longest_name(panel));
}

GnuplotMarks gnuplot_marks(const Panel& panel, int number, Picture format) {
  Plot plot(number, format);
  if (panel.heat) add_heat(plot, *panel.heat);
  add_histograms(plot, panel);
  add_bars(plot, panel);
  for (const Series& s : panel.series) add_series(plot, s);
  add_lines(plot, panel);
  if (plot.clauses.empty()) plot.clause("NaN notitle");
  return {plot.data, plot.clauses};
}

}  // namespace speder
