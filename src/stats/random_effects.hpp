#pragma once

#include <vector>

#include "speder/core/types.hpp"

namespace speder {

/// y_i = X_i b + u_i + e_i with e_i ~ N(0, s2_i) known and u_i ~ N(0, τ²) not. Of a censored row only
/// y_i > y(i) is known: it enters through the probability of that (Tobit), since leaving it out would
/// leave out the largest values.
struct EffectsData {
  Matrix X;   // (n × p)
  Vector y;   // (n)
  Vector s2;  // (n)
  std::vector<bool> censored;
};

struct EffectsFit {
  Vector b;            // (p)
  Matrix covariance;   // (p × p)  inverse of the observed information at τ²
  double tau2 = 0;     // τ²
  double freedom = 0;  // known rows − p
};

/// τ² is where the residuals are as large as they should be, ∑ r²/(τ² + s²) = known rows − p (Paule
/// and Mandel 1982); a censored row adds z·h(z), h the hazard, which is its term in the derivative of
/// the likelihood. 0 when the residuals are smaller than that.
[[nodiscard]] EffectsFit fit_effects(const EffectsData& data);

}  // namespace speder
