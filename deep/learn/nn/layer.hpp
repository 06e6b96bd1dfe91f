#pragma once

#include "speder/deep/learn/nn/torch.hpp"

namespace speder::deep {

enum class Activation { kRelu, kElu, kTanh, kSwish };

/// f(x), in place where it can be: the gradient of a product does not need its result, those of the
/// activations do.
void activate(Tensor& x, Activation activation);
/// ∂loss/∂(input of the activation), from that of its result, whose memory it may take. Not for Swish,
/// whose slope is no function of its result.
[[nodiscard]] Tensor activation_gradient(Tensor gradient, const Tensor& result,
                                         Activation activation);

// Without a graph: for no-grad passes and inside a node that has its own gradient. On a CPU oneDNN does the
// product, the bias and ReLU in one pass, which is 5% of a layer of width 256.
/// max(x Wᵀ + b, 0) (B, out)
[[nodiscard]] Tensor relu_layer(const Tensor& x, const Tensor& weight, const Tensor& bias);
/// g W (B, in): a gradient through the layer x Wᵀ
[[nodiscard]] Tensor through_layer(const Tensor& g, const Tensor& weight);

}  // namespace speder::deep
