#pragma once

#include "speder/core/rng.hpp"
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

struct MlpShape {
  int input = 0;
  std::vector<int> hidden;
  int output = 0;
  int copies = 1;  // E networks of this shape side by side, e.g. 2 for twin critics
  Activation activation = Activation::kRelu;
  bool norm = false;  // of several copies: hidden layers are layer-normalised before f
};

/// E fully connected networks on one input, evaluated together: the first layer is one product with
/// the stacked weights, the others are batched products. Weights and biases start uniform on
/// ±1/√fan_in.
class Mlp {
 public:
  Mlp(const MlpShape& shape, Device device, Rng& rng);

  /// x: (B, input) → (B, output) for one network, (E, B, output) for E > 1; these also take (E, B, input),
  /// rows of their own for each.
  [[nodiscard]] Tensor operator()(const Tensor& x) const;

  [[nodiscard]] const MlpShape& shape() const { return shape_; }
  [[nodiscard]] const std::vector<Tensor>& parameters() const { return parameters_; }
  /// The same numbers in fresh memory, without gradients: a target network.
  [[nodiscard]] Mlp frozen_copy() const;
  /// Parameters as <prefix>.weight_0, <prefix>.bias_0, …
  void name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const;

 private:
  MlpShape shape_;
  // weight_0 (E·H × input), bias_0 (E·H); then for one network weight_l (out × in), bias_l (out),
  // for E > 1 weight_l (E × in × out), bias_l (E × 1 × out).
  std::vector<Tensor> parameters_;
};

/// A network that starts from the stream of this name.
[[nodiscard]] Mlp make_mlp(const MlpShape& shape, Device device, const SeedTree& seeds,
                           std::string_view name);
/// Parameters of several networks, in order.
[[nodiscard]] std::vector<Tensor> joined(const std::vector<const Mlp*>& networks);

/// θ̄ ← θ̄ + τ (θ − θ̄) for every parameter.
void polyak(const Mlp& target, const Mlp& online, double tau);

}  // namespace speder::deep
