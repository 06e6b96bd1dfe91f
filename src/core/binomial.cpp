#include "speder/core/binomial.hpp"

#include <algorithm>
#include <boost/random/binomial_distribution.hpp>
#include <numeric>

#include "speder/core/check.hpp"

namespace speder {

Index binomial(Index n, double p, Rng& rng) {
  require(n >= 0, "binomial: the number of trials must not be negative", n);
  require(0 <= p && p <= 1, "binomial: the probability must lie in [0, 1]", p);
  if (n == 0 || p == 0) return 0;
  if (p == 1) return n;
  return boost::random::binomial_distribution<Index>(n, p)(rng.engine());
}

std::vector<Index> multinomial(Index n, const std::vector<double>& probabilities, Rng& rng) {
  // One after the other, each among what the ones before have left.
  double rest = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  require(rest > 0, "multinomial: no probability is positive", rest);
  std::vector<Index> out(probabilities.size(), 0);
  std::size_t last = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i)
    if (probabilities[i] > 0) last = i;
  for (std::size_t i = 0; i < last; ++i) {
    const double p = probabilities[i];
    require(p >= 0, "multinomial: probabilities must not be negative", p);
    out[i] = rest > 0 ? binomial(n, std::min(1.0, p / rest), rng) : 0;
    n -= out[i];
    rest -= p;
  }
  out[last] = n;
  return out;
}

}  // namespace speder
