#pragma once

#include <array>
#include <span>
#include <string_view>

#include "speder/stats/random_effects.hpp"
#include "speder/stats/statistics.hpp"

namespace speder {

/// How N may depend on one axis x, the others as powers: x^p, x^p log x, c + x^p.
enum class ScalingModel { kPower, kPowerLog, kFloorPower };
inline constexpr int kScalingModels = 3;
[[nodiscard]] std::string_view to_string(ScalingModel model);

struct ModelFit {
  ScalingModel model = ScalingModel::kPower;
  bool fitted = false;    // false: too few points, or log x is not positive
  double exponent = 0;    // p
  Interval interval{};    // of p, 95%; c + x^p has none
  double held_out = 0;    // root mean squared error of log N at a point left out of the fit
  double gain = 0;        // how much less than that of x^p the squared error is, on average
  double gain_error = 0;  // standard error of it
};

/// The models on one axis, each predicting every known point from the others. Weights are those of
/// the straight fit for all of them.
struct ModelComparison {
  std::array<ModelFit, kScalingModels> models;
  /// x^p unless another model predicts better, beyond chance at 1%: for c + x^p by the F test of its one
  /// more coefficient, for x^p log x by Student's test of the gain.
  ScalingModel preferred = ScalingModel::kPower;
  [[nodiscard]] const ModelFit& of(ScalingModel m) const {
    return models[static_cast<std::size_t>(m)];
  }
};

/// data.X has a column of ones first; column 1 + axis is log x. `straight` is its fit.
[[nodiscard]] ModelComparison compare_models(const EffectsData& data, const EffectsFit& straight,
                                             Index axis);

}  // namespace speder
