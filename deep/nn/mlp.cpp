#include "deep/nn/mlp.hpp"

#include <cmath>

#include "core/check.hpp"

namespace speder::deep {
namespace {

/// Uniform on ±1/√fan_in, drawn on the host so that every device starts from the same numbers.
Tensor uniform(at::IntArrayRef size, int fan_in, Device device, Rng& rng) {
  Tensor values = at::empty(size, at::kFloat);
  const double bound = 1 / std::sqrt(fan_in);
  float* out = values.data_ptr<float>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    out[i] = static_cast<float>(rng.uniform(-bound, bound));
  }
  return values.to(device).set_requires_grad(true);
}

/// In place where it can be: the gradient of a product does not need its result, those of the activations do.
void activate(Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      at::relu_(x);
      return;
    case Activation::kElu:
      at::elu_(x);
      return;
    case Activation::kTanh:
      at::tanh_(x);
      return;
    case Activation::kSwish:
      x = at::silu(x);  // its gradient needs the input
      return;
  }
}

}  // namespace

Mlp::Mlp(const MlpShape& shape, Device device, Rng& rng) : shape_(shape) {
  require(shape.input > 0 && shape.output > 0 && shape.copies > 0,
          "network sizes must be positive");
  std::vector<int> sizes = shape.hidden;
  sizes.push_back(shape.output);
  const int e = shape.copies;
  int in = shape.input;
  for (std::size_t layer = 0; layer < sizes.size(); ++layer) {
    const int out = sizes[layer];
    require(out > 0, "a layer must have a positive width", out);
    if (layer == 0 || e == 1) {
      const int rows = layer == 0 ? e * out : out;
      parameters_.push_back(uniform({rows, in}, in, device, rng));
      parameters_.push_back(uniform({rows}, in, device, rng));
    } else {
      parameters_.push_back(uniform({e, in, out}, in, device, rng));
      parameters_.push_back(uniform({e, 1, out}, in, device, rng));
    }
    in = out;
  }
}

Tensor Mlp::operator()(const Tensor& x) const {
  const int e = shape_.copies;
  const std::size_t layers = parameters_.size() / 2;
  Tensor h = at::linear(x, parameters_[0], parameters_[1]);  // (B, E·H)
  if (layers > 1) activate(h, shape_.activation);
  if (e > 1) h = h.view({x.size(0), e, -1}).transpose(0, 1);  // (E, B, H)
  for (std::size_t layer = 1; layer < layers; ++layer) {
    const Tensor& weight = parameters_[2 * layer];
    const Tensor& bias = parameters_[2 * layer + 1];
    h = e == 1 ? at::linear(h, weight, bias) : at::baddbmm(bias, h, weight);
    if (layer + 1 < layers) activate(h, shape_.activation);
  }
  return h;
}

Mlp Mlp::frozen_copy() const {
  Mlp copy = *this;
  for (Tensor& p : copy.parameters_) p = p.detach().clone();
  return copy;
}

void Mlp::name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const char* kind = i % 2 == 0 ? "weight_" : "bias_";
    out.push_back({prefix + "." + kind + std::to_string(i / 2), parameters_[i]});
  }
}

Mlp make_mlp(const MlpShape& shape, Device device, const SeedTree& seeds, std::string_view name) {
  Rng rng = seeds.stream(name);
  return {shape, device, rng};
}

std::vector<Tensor> joined(const std::vector<const Mlp*>& networks) {
  std::vector<Tensor> all;
  for (const Mlp* n : networks)
    all.insert(all.end(), n->parameters().begin(), n->parameters().end());
  return all;
}

void polyak(const Mlp& target, const Mlp& online, double tau) {
  const at::NoGradGuard no_grad;
  at::_foreach_lerp_(target.parameters(), online.parameters(), tau);
}

}  // namespace speder::deep
