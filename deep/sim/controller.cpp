#include "speder/deep/sim/controller.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "speder/core/check.hpp"
#include "speder/core/types.hpp"
#include "speder/deep/sim/network.hpp"

namespace speder::deep {

Controller zero_controller() {
  return [](std::span<const double>, std::span<double> action) {
    std::fill(action.begin(), action.end(), 0.0);
  };
}

Controller random_controller(Rng& rng) {
  return [&rng](std::span<const double>, std::span<double> action) {
    for (double& a : action) a = rng.uniform(-1.0, 1.0);
  };
}

Controller network_controller(const std::filesystem::path& path, const EnvSpec& spec) {
  std::vector<NetworkLayer> layers = read_network(path, spec.observation_size);
  if (layers.back().bias.size() != spec.action_size) {
    throw ConfigError(path.string(), fmt::format("weight_{}", layers.size() - 1),
                      fmt::format("expected {} rows, one per action", spec.action_size));
  }
  return [layers = std::move(layers)](std::span<const double> observation,
                                      std::span<double> action) {
    Vector x = Eigen::Map<const Vector>(observation.data(), static_cast<Index>(observation.size()));
    for (std::size_t i = 0; i < layers.size(); ++i) {
      x = (layers[i].weight * x + layers[i].bias).eval();
      if (i + 1 < layers.size()) x = x.cwiseMax(0.0);
    }
    for (std::size_t i = 0; i < action.size(); ++i) action[i] = std::tanh(x[static_cast<Index>(i)]);
  };
}

}  // namespace speder::deep
