#include "speder/deep/learn/nn/mlp.hpp"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/deep/learn/nn/product.hpp"

namespace speder::deep {

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

Tensor activation_gradient(Tensor gradient, const Tensor& result, Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return at::threshold_backward_out(gradient, gradient, result, 0);
    case Activation::kElu:
      return at::elu_backward(gradient, 1, 1, 1, /*is_result=*/true, result);
    case Activation::kTanh:
      return at::tanh_backward(gradient, result);
    case Activation::kSwish:
      break;
  }
  throw std::logic_error("this activation's gradient needs its input");
}

namespace {

constexpr double kLayerNormEpsilon = 1e-5;  // libtorch's own: keeps 1/σ finite for a constant layer

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

/// The layers' results h_1 … h_L of one network: h_l = f(h_{l−1} W_lᵀ + b_l), no f at the last.
std::vector<Tensor> layer_results(const Tensor& x, at::TensorList parameters,
                                  Activation activation) {
  std::vector<Tensor> h;
  const std::size_t layers = parameters.size() / 2;
  for (std::size_t l = 0; l < layers; ++l) {
    const Tensor& in = l == 0 ? x : h.back();
    const Tensor& weight = parameters[2 * l];
    const Tensor& bias = parameters[2 * l + 1];
    if (l + 1 < layers && activation == Activation::kRelu && !at::GradMode::is_enabled()) {
      h.push_back(relu_layer(in, weight, bias));
    } else {
      h.push_back(x.dim() == 2 ? linear_layer(in, weight, bias) : at::linear(in, weight, bias));
      if (l + 1 < layers) activate(h.back(), activation);
    }
  }
  return h;
}

/// One network as one node of the graph: an update is hundreds of small operations, and recording
/// each of them is a tenth of its time at width 256.
struct MlpFunction : torch::autograd::Function<MlpFunction> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x,
                        at::TensorList parameters, std::int64_t activation) {
    std::vector<Tensor> h = layer_results(x, parameters, static_cast<Activation>(activation));
    std::vector<Tensor> saved = {x};
    saved.insert(saved.end(), h.begin(), h.end() - 1);
    saved.insert(saved.end(), parameters.begin(), parameters.end());
    context->save_for_backward(std::move(saved));
    context->saved_data["activation"] = activation;
    return h.back();
  }

  static std::vector<Tensor> backward(torch::autograd::AutogradContext* context,
                                      const std::vector<Tensor>& outputs) {
    const auto saved = context->get_saved_variables();  // x, h_1 … h_{L−1}, W_1, b_1 …
    const auto activation = static_cast<Activation>(context->saved_data["activation"].toInt());
    const std::size_t layers = saved.size() / 3;
    std::vector<Tensor> gradients(2 * layers + 2);  // x, W_1, b_1 …, and the activation's slot
    Tensor g = outputs[0];
    for (std::size_t l = layers; l-- > 0;) {
      if (context->needs_input_grad(1 + 2 * l)) gradients[1 + 2 * l] = weight_gradient(g, saved[l]);
      if (context->needs_input_grad(2 + 2 * l)) gradients[2 + 2 * l] = g.sum(0);
      if (l == 0 && !context->needs_input_grad(0)) break;
      g = through_layer(g, saved[layers + 2 * l]);
      if (l > 0) g = activation_gradient(std::move(g), saved[l], activation);
    }
    if (context->needs_input_grad(0)) gradients[0] = g;
    return gradients;
  }
};

/// E networks with one hidden layer of ReLU and one output, as one node: (B, in) → (E, B, 1). The hidden
/// layers lie side by side, (B, E·H), and are never rearranged. With `norm` each is layer-normalised
/// before ReLU.
struct ScalarHeads : torch::autograd::Function<ScalarHeads> {
  struct Hidden {
    Tensor h;                 // (B, E·H)  after ReLU
    Tensor z, mean, inverse;  // (B, E, H), (B, E, 1)  before it, and its moments; with norm alone
  };

  static Hidden hidden(const Tensor& x, const Tensor& weight_0, const Tensor& bias_0,
                       std::int64_t heads, bool norm) {
    if (!norm) return {.h = relu_layer(x, weight_0, bias_0), .z = {}, .mean = {}, .inverse = {}};
    const Tensor z = linear_product(x, weight_0, bias_0).view({x.size(0), heads, -1});
    auto [h, mean, inverse] = at::native_layer_norm(z, {z.size(-1)}, {}, {}, kLayerNormEpsilon);
    return {.h = at::relu_(h).view({x.size(0), -1}), .z = z, .mean = mean, .inverse = inverse};
  }

  static Tensor value(const Tensor& h, const Tensor& weight_1, const Tensor& bias_1) {
    const Tensor w = weight_1.squeeze(-1);                                      // (E, H)
    const Tensor heads = (h.view({h.size(0), w.size(0), -1}) * w).sum(-1).t();  // (E, B)
    return heads.unsqueeze(-1) + bias_1;
  }

  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x,
                        const Tensor& weight_0, const Tensor& bias_0, const Tensor& weight_1,
                        const Tensor& bias_1, bool norm) {
    const Hidden l = hidden(x, weight_0, bias_0, weight_1.size(0), norm);
    context->save_for_backward({x, l.h, weight_0, weight_1, l.z, l.mean, l.inverse});
    return value(l.h, weight_1, bias_1);
  }

  static std::vector<Tensor> backward(torch::autograd::AutogradContext* context,
                                      const std::vector<Tensor>& outputs) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &h = saved[1], &weight_0 = saved[2], &z = saved[4];
    const Tensor w = saved[3].squeeze(-1);                     // (E, H)
    const Tensor g = outputs[0].squeeze(-1).t().contiguous();  // (B, E)
    const Tensor wide = g.unsqueeze(-1) * w;                   // (B, E, H)
    Tensor gh = activation_gradient(wide.view_as(h), h, Activation::kRelu);
    if (z.defined()) {
      gh = std::get<0>(at::native_layer_norm_backward(gh.view_as(z), z, {z.size(-1)}, saved[5],
                                                      saved[6], {}, {}, {true, false, false}))
               .view_as(h);
    }
    std::vector<Tensor> gradients(6);
    if (context->needs_input_grad(0)) gradients[0] = through_layer(gh, weight_0);
    if (context->needs_input_grad(1)) gradients[1] = weight_gradient(gh, x);
    if (context->needs_input_grad(2)) gradients[2] = gh.sum(0);
    if (context->needs_input_grad(3)) {
      gradients[3] = (h.view(wide.sizes()) * g.unsqueeze(-1)).sum(0).unsqueeze(-1);  // (E, H, 1)
    }
    if (context->needs_input_grad(4)) gradients[4] = g.sum(0).view({-1, 1, 1});
    return gradients;
  }
};

}  // namespace

Mlp::Mlp(const MlpShape& shape, Device device, Rng& rng) : shape_(shape) {
  require(!shape.norm || shape.copies > 1, "only networks side by side are normalised");
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
  const bool one_node = x.dim() == 2 && shape_.activation != Activation::kSwish;
  if (e == 1 && !(one_node && at::GradMode::is_enabled())) {
    return layer_results(x, parameters_, shape_.activation).back();
  }
  if (e == 1) {
    return MlpFunction::apply(x, at::TensorList(parameters_),
                              static_cast<std::int64_t>(shape_.activation));
  }
  const std::size_t layers = parameters_.size() / 2;
  const std::vector<Tensor>& p = parameters_;
  if (layers == 2 && shape_.output == 1 && one_node && shape_.activation == Activation::kRelu) {
    if (at::GradMode::is_enabled()) {
      return ScalarHeads::apply(x, p[0], p[1], p[2], p[3], shape_.norm);
    }
    const auto l = ScalarHeads::hidden(x, p[0], p[1], e, shape_.norm);
    return ScalarHeads::value(l.h, p[2], p[3]);
  }
  Tensor h;  // (B, E, H), or (E, B, H) when each has rows of its own
  if (x.dim() == 3) {
    h = linear_layers(x, p[0].view({e, -1, x.size(2)}).transpose(1, 2), p[1].view({e, 1, -1}));
  } else {
    h = linear_layer(x, p[0], p[1]).view({x.size(0), e, -1});
  }
  const auto hidden = [&] {
    if (shape_.norm) h = at::layer_norm(h, {h.size(-1)});
    activate(h, shape_.activation);
  };
  if (layers > 1) hidden();
  if (x.dim() == 2) h = h.transpose(0, 1);  // (E, B, H)
  for (std::size_t layer = 1; layer < layers; ++layer) {
    h = linear_layers(h, p[2 * layer], p[2 * layer + 1]);
    if (layer + 1 < layers) hidden();
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
