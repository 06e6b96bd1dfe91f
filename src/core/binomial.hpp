#pragma once

#include <vector>

#include "speder/core/rng.hpp"

namespace speder {

/// Successes of n independent trials with probability p each; the time does not grow with n.
[[nodiscard]] Index binomial(Index n, double p, Rng& rng);

/// n draws over the given probabilities (their sum is taken as one): how often each came up.
[[nodiscard]] std::vector<Index> multinomial(Index n, const std::vector<double>& probabilities,
                                             Rng& rng);

}  // namespace speder
