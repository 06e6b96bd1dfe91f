#include <cmath>
#include <numbers>

#include "speder/core/check.hpp"
#include "speder/stats/isotonic.hpp"
#include "speder/stats/rate.hpp"

namespace speder {

CurveStatistic complexity_curve(std::vector<GapTable> tables, double delta) {
  require(delta > 0 && delta < 1, "complexity_curve: δ lies in (0, 1)", delta);
  return [tables = std::move(tables), delta](std::span<const int> multiplicity) {
    std::vector<CurvePoint> out;
    for (const GapTable& t : tables) {
      std::vector<double> share(t.n.size(), 0.0);
      double count = 0;
      for (std::size_t i = 0; i < t.gap.size(); ++i) count += multiplicity[i];
      for (std::size_t i = 0; i < t.gap.size(); ++i) {
        if (multiplicity[i] == 0) continue;
        for (std::size_t k = 0; k < t.n.size(); ++k) {
          if (t.gap[i][k] <= t.epsilon) share[k] += multiplicity[i] / count;
        }
      }
      const SampleComplexity N = sample_complexity(t.n, share, delta);
      out.push_back({.x = t.x, .y = N.n, .weight = 1, .censoring = N.censoring});
    }
    return out;
  };
}

double quarter_octave_variance() {
  const double step = std::numbers::ln2 / 4;
  return step * step / 12;
}

}  // namespace speder
