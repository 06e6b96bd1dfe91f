#include "speder/deep/sim/controller.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "speder/core/check.hpp"
#include "speder/core/types.hpp"
#include "speder/io/hdf5.hpp"

namespace speder::deep {
namespace {

constexpr std::uint64_t kMaxWeights = std::uint64_t{1} << 28U;
constexpr int kMaxLayers = 64;

struct Layer {
  Matrix weight;  // (out × in)
  Vector bias;    // (out)
};

Layer read_layer(const H5File& file, int index, Index inputs) {
  const std::string weight = fmt::format("weight_{}", index);
  const std::string bias = fmt::format("bias_{}", index);
  const H5Array w = file.read(weight, kMaxWeights);
  if (w.shape.size() != 2 || w.shape[1] != static_cast<std::uint64_t>(inputs)) {
    throw ConfigError(file.path().string(), weight, fmt::format("expected {} columns", inputs));
  }
  const H5Array b = file.read(bias, kMaxWeights);
  if (b.values.size() != w.shape[0]) {
    throw ConfigError(file.path().string(), bias, fmt::format("expected {} entries", w.shape[0]));
  }
  const auto rows = static_cast<Index>(w.shape[0]);
  Layer layer{Eigen::Map<const Matrix>(w.values.data(), rows, inputs),
              Eigen::Map<const Vector>(b.values.data(), rows)};
  if (!layer.weight.allFinite() || !layer.bias.allFinite()) {
    throw ConfigError(file.path().string(), weight, "weights and biases must be finite");
  }
  return layer;
}

}  // namespace

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
  const H5File file = H5File::open(path);
  std::vector<Layer> layers;
  Index width = spec.observation_size;
  for (int i = 0; i == 0 || file.has(fmt::format("weight_{}", i)); ++i) {
    if (i == kMaxLayers) {
      throw ConfigError(path.string(), fmt::format("weight_{}", i),
                        fmt::format("more than {} layers", kMaxLayers));
    }
    layers.push_back(read_layer(file, i, width));
    width = layers.back().bias.size();
  }
  if (width != spec.action_size) {
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
