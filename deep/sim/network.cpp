#include "speder/deep/sim/network.hpp"

#include <fmt/format.h>

#include "speder/core/check.hpp"
#include "speder/io/hdf5.hpp"

namespace speder::deep {
namespace {

constexpr std::uint64_t kMaxWeights = std::uint64_t{1} << 28U;
constexpr int kMaxLayers = 64;

NetworkLayer read_layer(const H5File& file, int index, Index inputs) {
  const std::string weight = fmt::format("weight_{}", index);
  const std::string bias = fmt::format("bias_{}", index);
  const H5Array w = file.read(weight, kMaxWeights);
  const bool table = w.shape.size() == 2 && w.shape[0] > 0 && w.shape[1] > 0;
  if (!table || (inputs > 0 && w.shape[1] != static_cast<std::uint64_t>(inputs))) {
    throw ConfigError(file.path().string(), weight,
                      inputs > 0 ? fmt::format("expected {} columns", inputs)
                                 : std::string("expected rows and columns"));
  }
  const H5Array b = file.read(bias, kMaxWeights);
  if (b.values.size() != w.shape[0]) {
    throw ConfigError(file.path().string(), bias, fmt::format("expected {} entries", w.shape[0]));
  }
  const auto rows = static_cast<Index>(w.shape[0]);
  NetworkLayer layer{
      Eigen::Map<const Matrix>(w.values.data(), rows, static_cast<Index>(w.shape[1])),
      Eigen::Map<const Vector>(b.values.data(), rows)};
  if (!layer.weight.allFinite() || !layer.bias.allFinite()) {
    throw ConfigError(file.path().string(), weight, "weights and biases must be finite");
  }
  return layer;
}

}  // namespace

std::vector<NetworkLayer> read_network(const std::filesystem::path& path, Index inputs) {
  const H5File file = H5File::open(path);
  std::vector<NetworkLayer> layers;
  Index width = inputs;
  for (int i = 0; i == 0 || file.has(fmt::format("weight_{}", i)); ++i) {
    if (i == kMaxLayers) {
      throw ConfigError(path.string(), fmt::format("weight_{}", i),
                        fmt::format("more than {} layers", kMaxLayers));
    }
    layers.push_back(read_layer(file, i, width));
    width = layers.back().bias.size();
  }
  return layers;
}

}  // namespace speder::deep
