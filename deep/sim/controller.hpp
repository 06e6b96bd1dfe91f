#pragma once

#include <filesystem>
#include <functional>
#include <span>

#include "speder/core/rng.hpp"
#include "speder/deep/sim/env/spec.hpp"

namespace speder::deep {

/// Writes an action in [−1, 1]ᴬ for an observation.
using Controller =
    std::function<void(std::span<const double> observation, std::span<double> action)>;

[[nodiscard]] Controller zero_controller();
/// Uniform on [−1, 1]ᴬ; the generator must outlive the policy.
[[nodiscard]] Controller random_controller(Rng& rng);
/// A feed-forward network from an HDF5 file: datasets weight_0 (H × D), bias_0 (H), weight_1 … with
/// ReLU between layers and tanh at the end. Throws ConfigError that names the dataset on a misfit.
[[nodiscard]] Controller network_controller(const std::filesystem::path& file, const EnvSpec& spec);

}  // namespace speder::deep
