#pragma once

#include <filesystem>
#include <vector>

#include "speder/core/types.hpp"

namespace speder::deep {

/// A layer of a feed-forward network: y = W x + b.
struct NetworkLayer {
  Matrix weight;  // (out × in)
  Vector bias;    // (out)
};

/// A policy file: datasets weight_0 (H × D), bias_0 (H), weight_1 … with ReLU between layers and tanh at
/// the end. inputs 0: as many as the file says. Throws ConfigError that names the dataset on a misfit.
[[nodiscard]] std::vector<NetworkLayer> read_network(const std::filesystem::path& file,
                                                     Index inputs = 0);

/// The same network as an ONNX file: input `observation` (N × D) and output `action` (N × A) are float32, the layers
/// compute in double as ours do. The file appears whole or not at all.
void write_onnx(const std::filesystem::path& file, const std::vector<NetworkLayer>& layers);

}  // namespace speder::deep
