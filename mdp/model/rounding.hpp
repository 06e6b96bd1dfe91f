#pragma once

#include <algorithm>

#include "speder/core/tolerance.hpp"
#include "speder/core/types.hpp"

namespace speder {

/// The residual that can be asked for: a Bellman backup of V carries a rounding error of a few
/// dozen ulps of ‖V‖∞, and no iteration gets below it.
[[nodiscard]] inline double attainable(double wanted, const Vector& value) {
  constexpr double kUlps = 64;
  const double scale = value.size() > 0 ? value.cwiseAbs().maxCoeff() : 0.0;
  return std::max(wanted, kUlps * tol::kUnit * scale);
}

}  // namespace speder
