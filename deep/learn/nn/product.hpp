#pragma once

#include "speder/deep/learn/nn/torch.hpp"

namespace speder::deep {

// Products of matrices in single precision. libtorch's own go through MKL, which reaches half of an AMD core's
// rate (116 of 240 GFLOPS on Zen 5); on a CPU these go through oneDNN once a product is large enough to pay for
// its packing, and through libtorch on every other device.

// Without a graph: for no-grad passes and inside a node that has its own gradient.
/// x Wᵀ + b (B, out); b may be undefined
[[nodiscard]] Tensor linear_product(const Tensor& x, const Tensor& weight, const Tensor& bias);
/// max(x Wᵀ + b, 0), bias and ReLU in the same pass
[[nodiscard]] Tensor relu_layer(const Tensor& x, const Tensor& weight, const Tensor& bias);
/// g W (B, in): a gradient through the layer x Wᵀ
[[nodiscard]] Tensor through_layer(const Tensor& g, const Tensor& weight);
/// gᵀ x (out, in): the gradient of W in x Wᵀ
[[nodiscard]] Tensor weight_gradient(const Tensor& g, const Tensor& x);

// With a graph, each one node.
/// x Wᵀ + b of a layer: (B, in), (out, in), (out) → (B, out)
[[nodiscard]] Tensor linear_layer(const Tensor& x, const Tensor& weight, const Tensor& bias);
/// E layers side by side: (E, B, in), (E, in, out), (E, 1, out) → (E, B, out)
[[nodiscard]] Tensor linear_layers(const Tensor& x, const Tensor& weights, const Tensor& biases);
/// x yᵀ (n, m): every row of x with every row of y
[[nodiscard]] Tensor pair_products(const Tensor& x, const Tensor& y);

}  // namespace speder::deep
