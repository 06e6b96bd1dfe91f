#include "speder/plots/bands.hpp"

#include <algorithm>
#include <cmath>

namespace speder {
namespace {

constexpr double kLowEdge = 0.1, kHighEdge = 0.9;

double quantile_of(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto i = static_cast<std::size_t>(at);
  const double part = at - static_cast<double>(i);
  return i + 1 < sorted.size() ? sorted[i] + part * (sorted[i + 1] - sorted[i]) : sorted[i];
}

std::vector<double> known_at(const CurveTable& curves, std::size_t k) {
  std::vector<double> values;
  for (const auto& run : curves.y)
    if (k < run.size() && std::isfinite(run[k])) values.push_back(run[k]);
  std::ranges::sort(values);
  return values;
}

}  // namespace

Band band_at(const CurveTable& curves, std::size_t k) {
  const std::vector<double> values = known_at(curves, k);
  if (values.empty()) return {std::nan(""), std::nan(""), std::nan("")};
  return {quantile_of(values, kLowEdge), quantile_of(values, 0.5), quantile_of(values, kHighEdge)};
}

std::optional<Series> median_band(std::string label, const CurveTable& curves, int colour) {
  Series out{.label = std::move(label), .mark = Mark::kLine, .colour = colour};
  for (std::size_t k = 0; k < curves.x.size(); ++k) {
    if (2 * known_at(curves, k).size() < curves.y.size()) continue;
    const Band band = band_at(curves, k);
    if (!(band.middle > 0)) continue;
    out.x.push_back(curves.x[k]);
    out.y.push_back(band.middle);
    out.low.push_back(band.low > 0 ? band.low : band.middle);
    out.high.push_back(band.high);
  }
  if (out.x.size() < 2) return std::nullopt;
  return out;
}

}  // namespace speder
