#include "speder/plots/figure.hpp"

namespace speder {
namespace {

constexpr double kGroupWidth = 0.76;  // of the distance between two groups
constexpr double kSpread = 0.7;       // of a bar's width: where its points lie

void append(std::vector<double>& to, const std::vector<double>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

std::vector<DrawnBar> drawn_bars(const Panel& panel) {
  std::vector<DrawnBar> out;
  for (std::size_t g = 0; g < panel.bars.size(); ++g) {
    const BarGroup& group = panel.bars[g];
    const auto count = static_cast<double>(group.bars.size());
    for (std::size_t k = 0; k < group.bars.size(); ++k) {
      const Bar& bar = group.bars[k];
      DrawnBar drawn{
          .bar = &bar,
          .name = group.label + (group.label.empty() || bar.label.empty() ? "" : ", ") + bar.label,
          .width = kGroupWidth / count};
      drawn.x = static_cast<double>(g) + drawn.width * (static_cast<double>(k) - (count - 1) / 2);
      const auto n = static_cast<double>(bar.points.size());
      for (std::size_t i = 0; i < bar.points.size(); ++i) {
        const double share = (static_cast<double>(i) + 0.5) / n - 0.5;  // in (−½, ½)
        drawn.points_x.push_back(drawn.x + kSpread * drawn.width * share);
      }
      out.push_back(std::move(drawn));
    }
  }
  return out;
}

std::vector<double> drawn_x(const Panel& panel) {
  std::vector<double> out;
  for (const Series& s : panel.series) append(out, s.x);
  for (const FitLine& f : panel.fits) append(out, {f.from, f.to});
  for (const ReferenceLine& r : panel.references) append(out, r.x);
  for (const Histogram& h : panel.histograms) append(out, h.edges);
  for (const DrawnBar& b : drawn_bars(panel)) append(out, {b.x - b.width / 2, b.x + b.width / 2});
  return out;
}

std::vector<double> drawn_y(const Panel& panel) {
  std::vector<double> out;
  for (const Series& s : panel.series) {
    for (const auto* values : {&s.y, &s.low, &s.high}) append(out, *values);
  }
  for (const FitLine& f : panel.fits) {
    append(out, {value(f, f.from), value(f, f.to)});
    for (const auto* values : {&f.band_low, &f.band_high}) append(out, *values);
  }
  for (const ReferenceLine& r : panel.references) {
    for (const auto* values : {&r.y, &r.low, &r.high}) append(out, *values);
  }
  for (const Histogram& h : panel.histograms) append(out, h.heights);
  for (const DrawnBar& b : drawn_bars(panel)) {
    append(out, {b.bar->interval.low, b.bar->interval.high});
    append(out, b.bar->points);
  }
  const bool from_zero = !panel.histograms.empty() || !panel.bars.empty();
  if (from_zero && panel.y.scale == Scale::kLinear) out.push_back(0);
  return out;
}

}  // namespace speder
