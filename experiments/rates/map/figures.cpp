#include "speder/experiments/rates/map/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "speder/experiments/rates/laws.hpp"

namespace speder {

double rank_axis(const NeedleCell& c) { return c.rank; }
double actions_axis(const NeedleCell& c) { return c.actions; }

std::vector<double> axis_values(const NeedleCells& cells, NeedleAxis axis) {
  std::set<double> out;
  for (const NeedleCell& c : cells) out.insert(axis(c));
  return {out.begin(), out.end()};
}

NeedleCells cells_where(const NeedleCells& cells, NeedleAxis axis, double value) {
  NeedleCells out;
  for (const NeedleCell& c : cells) {
    if (axis(c) == value) out.push_back(c);
  }
  return out;
}

namespace {

Panel map_heat_panel(const NeedleCells& cells) {
  const std::vector<double> d = axis_values(cells, rank_axis), A = axis_values(cells, actions_axis);
  HeatMap heat{.label = "log_{10} N(ε, δ)", .contours = true};
  for (const double x : d) heat.columns.push_back(fmt::format("{:g}", x));
  for (const double y : A) heat.rows.push_back(fmt::format("{:g}", y));
  heat.values = Matrix::Constant(static_cast<Index>(A.size()), static_cast<Index>(d.size()),
                                 std::numeric_limits<double>::quiet_NaN());
  for (const NeedleCell& c : cells) {
    const auto row = std::ranges::find(A, c.actions) - A.begin();
    const auto column = std::ranges::find(d, c.rank) - d.begin();
    if (c.reached()) heat.values(row, column) = std::log10(c.N.n);
  }
  Panel panel{.title = "measured", .x = {.label = "d (features)"}, .y = {.label = "|A| (actions)"}};
  panel.heat = std::move(heat);
  return panel;
}

// Where the measured N crosses a level, by interpolation in log d at each |A|, and the fit's line. The interval
// is that of log N there, in |A|: divided by the fitted exponent.
Panel contour_panel(const NeedleCells& cells, const ScalingFit& fit) {
  Panel panel{.title = "equal N",
              .x = {.label = "d (features)", .scale = Scale::kLog},
              .y = {.label = "|A| (actions)", .scale = Scale::kLog}};
  double low = INFINITY, high = 0;
  for (const NeedleCell& c : cells) {
    if (!c.reached()) continue;
    low = std::min(low, c.N.n);
    high = std::max(high, c.N.n);
  }
  constexpr int kLevels = 4;
  for (int k = 1; k <= kLevels && high > low; ++k) {
    const double level = low * std::pow(high / low, k / (kLevels + 1.0));
    Series s{.label = fmt::format("N = {:.1f}·10^{:.0f}",
                                  level / std::pow(10, std::floor(std::log10(level))),
                                  std::floor(std::log10(level))),
             .mark = Mark::kPoints,
             .colour = k - 1};
    ReferenceLine line{.label = panel.references.empty() ? "joint fit" : ""};
    constexpr double kTwoSided = 1.96;
    for (const double A : axis_values(cells, actions_axis)) {
      const NeedleCells row = cells_where(cells, actions_axis, A);
      for (std::size_t i = 1; i < row.size(); ++i) {
        const double a = row[i - 1].N.n, b = row[i].N.n;
        if (!std::isfinite(b) || !(a <= level && level < b)) continue;
        const double t = std::log(level / a) / std::log(b / a);
        s.x.push_back(row[i - 1].rank * std::pow(row[i].rank / row[i - 1].rank, t));
        s.y.push_back(A);
        if (!fit.fitted) continue;
        const double error = std::sqrt((1 - t) * (1 - t) * row[i - 1].N.log_variance +
                                       t * t * row[i].N.log_variance);
        const double factor = std::exp(kTwoSided * error / fit.exponent[1]);
        s.low.push_back(A / factor);
        s.high.push_back(A * factor);
        line.x.push_back(std::exp(
            (std::log(level) - fit.intercept - fit.exponent[1] * std::log(A)) / fit.exponent[0]));
        line.y.push_back(A);
      }
    }
    if (s.x.size() < 2) continue;
    panel.series.push_back(std::move(s));
    if (line.x.size() >= 2) panel.references.push_back(std::move(line));
  }
  return panel;
}

// One arm of the cross through the reference.
Panel cross_panel(const NeedleCurves& curves, const ScalingFit& fit, bool along_rank, double at) {
  const NeedleAxis moves = along_rank ? rank_axis : actions_axis;
  const NeedleAxis held = along_rank ? actions_axis : rank_axis;
  Panel panel{.x = {.label = along_rank ? "d (features)" : "|A| (actions)", .scale = Scale::kLog},
              .y = {.label = "N(ε, δ) (episodes)", .scale = Scale::kLog}};
  const NeedleCells& printed = cells_of(curves, "printed");
  const NeedleCells line = cells_where(printed, held, at);
  if (line.empty()) return panel;
  panel.title = fmt::format("{} = {:g}", along_rank ? "|A|" : "d", at);
  int colour = 0;
  for (const char* curve : {"printed", "flat", "uniform", "none"}) {
    for (Series& s :
         needle_series(curve, cells_where(cells_of(curves, curve), held, at), moves, colour))
      panel.series.push_back(std::move(s));
    ++colour;
  }
  if (fit.fitted) {
    const Index k = along_rank ? 0 : 1;
    panel.fits.push_back(
        with_band({.label = fmt::format("joint fit, slope {}", shown(fit.exponent[k])),
                   .slope = fit.exponent[k],
                   .intercept = fit.intercept + fit.exponent[1 - k] * std::log(at),
                   .from = moves(line.front()),
                   .to = moves(line.back()),
                   .colour = 0},
                  fit, k, Vector::Constant(2, std::log(at))));
  }
  ReferenceLine bound{.label = "lower bound"};
  for (const NeedleCell& c : line) {
    if (!c.mean.contains("certificate")) continue;
    bound.x.push_back(moves(c));
    bound.y.push_back(c.mean.at("certificate"));
  }
  if (bound.x.size() >= 2) panel.references.push_back(std::move(bound));
  return panel;
}

Panel map_ellipse_panel(const std::vector<NamedFit>& fits) {
  Panel panel{.title = "joint exponents, 95% ellipses",
              .x = {.label = "exponent of d"},
              .y = {.label = "exponent of |A|"}};
  const auto mark = [&](std::string name, double p, double q, int colour) {
    panel.series.push_back(
        {.label = std::move(name), .x = {p}, .y = {q}, .mark = Mark::kPoints, .colour = colour});
  };
  int colour = 0;
  for (const NamedFit& f : fits) {
    if (!f.fit.fitted) continue;
    // What says nothing would fill the picture; the table has it.
    const auto half = [&](Index k) { return (f.fit.interval(k).high - f.fit.interval(k).low) / 2; };
    if (half(0) > kWidestExponent || half(1) > kWidestExponent) continue;
    mark(f.name, f.fit.exponent[0], f.fit.exponent[1], colour);
    Series rim{.mark = Mark::kLine, .colour = colour};
    for (const auto& [p, q] : f.fit.ellipse()) {
      rim.x.push_back(p);
      rim.y.push_back(q);
    }
    panel.series.push_back(std::move(rim));
    ++colour;
  }
  mark("theorem, as printed (4, 2)", kTheoryRank, kTheoryActions, colour);
  return panel;
}

Panel map_collapse_panel(const NeedleCells& cells, const ScalingFit& fit,
                         const HeldOutPoint& held_out) {
  Panel panel{
      .title = "collapse",
      .x = {.label = fmt::format("d^{:.2f} |A|^{:.2f} (no unit)", fit.exponent[0], fit.exponent[1]),
            .scale = Scale::kLog},
      .y = {.label = "N(ε, δ) (episodes)", .scale = Scale::kLog}};
  double low = INFINITY, high = 0;
  const auto x_of = [&](const NeedleCell& c) {
    return std::pow(c.rank, fit.exponent[0]) * std::pow(c.actions, fit.exponent[1]);
  };
  int colour = 0;
  for (const double A : axis_values(cells, actions_axis)) {
    Series s{.label = fmt::format("|A| = {:g}", A), .mark = Mark::kPoints, .colour = colour++};
    for (const NeedleCell& c : cells_where(cells, actions_axis, A)) {
      if (!c.reached()) continue;
      s.x.push_back(x_of(c));
      s.y.push_back(c.N.n);
      const double factor = std::exp(1.96 * std::sqrt(c.N.log_variance));
      s.low.push_back(c.N.n / factor);
      s.high.push_back(c.N.n * factor);
      low = std::min(low, s.x.back());
      high = std::max(high, s.x.back());
    }
    if (!s.x.empty()) panel.series.push_back(std::move(s));
  }
  constexpr double kBeside = 1.06;  // of the measured point
  if (held_out.predicted)
    panel.series.push_back(held_out_series(held_out, kBeside * x_of(cells[held_out.index])));
  if (high > low)
    panel.fits.push_back({.label = "fit, slope 1",
                          .slope = 1,
                          .intercept = fit.intercept,
                          .from = low,
                          .to = high,
                          .colour = 0});
  return panel;
}

}  // namespace

std::vector<Figure> map_figures(const MapPictures& map) {
  const NeedleCells& printed = cells_of(map.curves, "printed");
  const ScalingFit& fit = map.fits.front().fit;
  const std::size_t runs = printed.empty() ? 0 : printed.front().ends.size();
  std::vector<Figure> out = {
      {.id = "map",
       .caption = fmt::format("N(ε, δ) of Algorithm 1 over d and |A|, {} runs a cell.", runs),
       .panels = {map_heat_panel(printed), contour_panel(printed, fit)},
       .columns = 2},
      {.id = "map-cross",
       .caption = "A cross through the map with the controls and the lower bound.",
       .panels = {cross_panel(map.curves, fit, true, map.reference_actions),
                  cross_panel(map.curves, fit, false, map.reference_rank)},
       .columns = 2}};
  if (fit.fitted)
    out.push_back(
        {.id = "map-fit",
         .caption = "Joint exponents with 95% ellipses, and all cells against the fitted "
                    "product of powers, the far corner predicted from the others.",
         .panels = {map_ellipse_panel(map.fits), map_collapse_panel(printed, fit, map.held_out)},
         .columns = 2});
  return out;
}

}  // namespace speder
