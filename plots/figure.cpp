#include "speder/plots/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "speder/core/check.hpp"

namespace speder {
namespace {

struct Palette {
  std::string_view name;
  std::array<Rgb, kColours> colours;
};
constexpr std::array<Palette, 3> kPalettes = {{{"okabe-ito",
                                                {{{0, 114, 178},
                                                  {213, 94, 0},
                                                  {0, 158, 115},
                                                  {204, 121, 167},
                                                  {86, 180, 233},
                                                  {230, 159, 0}}}},
                                               {"bright",
                                                {{{68, 119, 170},
                                                  {238, 102, 119},
                                                  {34, 136, 51},
                                                  {204, 187, 68},
                                                  {102, 204, 238},
                                                  {170, 51, 119}}}},
                                               {"grey",
                                                {{{0, 0, 0},
                                                  {110, 110, 110},
                                                  {60, 60, 60},
                                                  {150, 150, 150},
                                                  {85, 85, 85},
                                                  {130, 130, 130}}}}}};

void require_positive(const std::vector<double>& values, const Axis& axis) {
  if (axis.scale != Scale::kLog) return;
  for (const double v : values) {
    require(!(v <= 0), fmt::format("a log axis ('{}') has positive values only", axis.label), v);
  }
}

void require_drawable(const Panel& panel) {
  for (const Series& s : panel.series) {
    require(s.x.size() == s.y.size(), "a series has one y per x", s.label);
    require(s.low.size() == s.high.size() && (s.low.empty() || s.low.size() == s.y.size()),
            "a band is as long as its series", s.label);
    require_positive(s.x, panel.x);
    require_positive(s.y, panel.y);
    require_positive(s.low, panel.y);
  }
  for (const ReferenceLine& r : panel.references) {
    require(r.x.size() == r.y.size(), "a reference line has one y per x", r.label);
    require(r.low.size() == r.high.size() && (r.low.empty() || r.low.size() == r.y.size()),
            "a band is as long as its line", r.label);
    require_positive(r.x, panel.x);
    require_positive(r.y, panel.y);
    require_positive(r.low, panel.y);
  }
  for (const Histogram& h : panel.histograms) {
    require(h.edges.size() == h.heights.size() + 1, "a histogram has one more edge", h.label);
  }
  for (const DrawnBar& b : drawn_bars(panel)) {
    require(panel.y.scale == Scale::kLinear, "bars start at 0: no log axis", b.name);
    require(b.bar->interval.low <= b.bar->value && b.bar->value <= b.bar->interval.high,
            "a bar lies in its interval", b.name);
  }
  for (const FitLine& f : panel.fits) {
    require(0 < f.from && f.from <= f.to, "a fit's range", f.from);
    require(f.band_x.size() == f.band_low.size() && f.band_x.size() == f.band_high.size(),
            "a fit's band has two edges at each x", f.label);
    require_positive(f.band_low, panel.y);
  }
  if (!panel.heat) return;
  const HeatMap& heat = *panel.heat;
  require(heat.values.rows() == static_cast<Index>(heat.rows.size()) &&
              heat.values.cols() == static_cast<Index>(heat.columns.size()),
          "a heat map has one label per row and column", heat.label);
}

// Appends the rows of one panel.
class CsvRows {
 public:
  CsvRows(std::string& out, const Figure& figure, const Panel& panel)
      : out_(out), prefix_(csv_field(figure.id) + "," + csv_field(panel.title)) {}
  void add(std::string_view kind, const std::string& label, double x, double y,
           const std::string& rest = ",") {
    out_ += fmt::format("{},{},{},{},{},{}\n", prefix_, kind, csv_field(label), x, y, rest);
  }

 private:
  std::string& out_;
  std::string prefix_;
};

void add_panel(CsvRows rows, const Panel& panel) {
  for (const Series& s : panel.series) {
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      rows.add(s.censored ? "bound" : "point", s.label, s.x[i], s.y[i],
               s.low.empty() ? "," : fmt::format("{},{}", s.low[i], s.high[i]));
    }
  }
  for (const FitLine& f : panel.fits) {
    for (std::size_t i = 0; i < f.band_x.size(); ++i) {
      rows.add("fit", f.label, f.band_x[i], value(f, f.band_x[i]),
               fmt::format("{},{}", f.band_low[i], f.band_high[i]));
    }
    if (!f.band_x.empty()) continue;
    for (const double x : {f.from, f.to}) rows.add("fit", f.label, x, value(f, x));
  }
  for (const ReferenceLine& r : panel.references) {
    for (std::size_t i = 0; i < r.x.size(); ++i) {
      rows.add("theory", r.label, r.x[i], r.y[i],
               r.low.empty() ? "," : fmt::format("{},{}", r.low[i], r.high[i]));
    }
  }
  for (const Histogram& h : panel.histograms) {
    for (std::size_t k = 0; k < h.heights.size(); ++k) {
      rows.add("bin", h.label, h.edges[k], h.heights[k],
               fmt::format("{},{}", h.edges[k], h.edges[k + 1]));
    }
  }
  for (const DrawnBar& b : drawn_bars(panel)) {
    const auto& [low, high] = b.bar->interval;
    rows.add("bar", b.name, b.x, b.bar->value, fmt::format("{},{}", low, high));
    for (const double y : b.bar->points) rows.add("sample", b.name, b.x, y);
  }
  if (!panel.heat) return;
  for (Index i = 0; i < panel.heat->values.rows(); ++i) {
    for (Index j = 0; j < panel.heat->values.cols(); ++j) {
      const auto at = [](const std::vector<std::string>& labels, Index k) {
        return labels[static_cast<std::size_t>(k)];
      };
      rows.add("cell", at(panel.heat->rows, i) + " / " + at(panel.heat->columns, j),
               static_cast<double>(j), panel.heat->values(i, j));
    }
  }
}

}  // namespace

double value(const FitLine& fit, double x) {
  return std::exp(fit.intercept) * std::pow(x, fit.slope);
}

const std::vector<std::string>& palette_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Palette& p : kPalettes) out.emplace_back(p.name);
    return out;
  }();
  return names;
}

Rgb palette(int colour, std::string_view name) {
  require(colour >= 0, "a colour is a position in the palette", colour);
  const auto found = std::ranges::find(kPalettes, name, &Palette::name);
  require(found != kPalettes.end(), "no such palette", std::string(name));
  return found->colours[static_cast<std::size_t>(colour) % found->colours.size()];
}

std::string hex(Rgb c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

void require_drawable(const Figure& figure) {
  require(!figure.panels.empty() && figure.columns >= 1, "a figure has panels", figure.id);
  for (const Panel& panel : figure.panels) require_drawable(panel);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string to_csv(const Figure& figure) {
  std::string out = "figure,panel,kind,label,x,y,low,high\n";
  for (const Panel& panel : figure.panels) add_panel(CsvRows(out, figure, panel), panel);
  return out;
}

}  // namespace speder
