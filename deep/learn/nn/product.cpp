#include "speder/deep/learn/nn/product.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace speder::deep {
namespace {

constexpr std::int64_t kSmallForOneDnn = 16;  // below it packing costs more than the product
constexpr std::int64_t kLeastForOneDnn = 1024 * 1024;  // multiplications, for the same reason

/// Rows or columns without gaps: for any other layout oneDNN has its reference loops alone.
Tensor without_gaps(const Tensor& x) { return x.t().is_contiguous() ? x : x.contiguous(); }

/// oneDNN's f(x Wᵀ + b); `then` is "relu" or "none".
Tensor onednn_linear(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,
                     std::string_view then) {
  using Signature =
      Tensor(const Tensor&, const Tensor&, const std::optional<Tensor>&, std::string_view,
             c10::List<std::optional<at::Scalar>>, std::optional<std::string_view>);
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("mkldnn::_linear_pointwise", "")
                             .typed<Signature>();
  return op.call(without_gaps(x), without_gaps(weight), bias, then,
                 c10::List<std::optional<at::Scalar>>(), std::nullopt);
}

std::optional<Tensor> if_defined(const Tensor& t) {
  return t.defined() ? std::optional<Tensor>(t) : std::nullopt;
}

/// Of a product (n × k)(k × m).
bool suits_onednn(const Tensor& x, std::int64_t n, std::int64_t k, std::int64_t m) {
  return x.device().is_cpu() && x.scalar_type() == at::kFloat &&
         std::min({n, k, m}) >= kSmallForOneDnn && n * k * m >= kLeastForOneDnn;
}

bool suits_onednn(const Tensor& x, const Tensor& weight) {
  return x.dim() == 2 && suits_onednn(x, x.size(0), x.size(1), weight.size(0));
}

}  // namespace

Tensor linear_product(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return suits_onednn(x, weight) ? onednn_linear(x, weight, if_defined(bias), "none")
                                 : at::linear(x, weight, if_defined(bias));
}

Tensor relu_layer(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (suits_onednn(x, weight)) return onednn_linear(x, weight, bias, "relu");
  Tensor h = at::linear(x, weight, bias);
  return at::relu_(h);
}

Tensor through_layer(const Tensor& g, const Tensor& weight) {
  return suits_onednn(g, weight.t()) ? onednn_linear(g, weight.t(), std::nullopt, "none")
                                     : at::mm(g, weight);
}

Tensor weight_gradient(const Tensor& g, const Tensor& x) {
  return suits_onednn(g, g.size(1), g.size(0), x.size(1))
             ? onednn_linear(g.t(), x.t(), std::nullopt, "none")
             : at::mm(g.t(), x);
}

namespace {

struct LinearLayer : torch::autograd::Function<LinearLayer> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x,
                        const Tensor& weight, const Tensor& bias) {
    context->save_for_backward({x, weight});
    return linear_product(x, weight, bias);
  }
  static std::vector<Tensor> backward(torch::autograd::AutogradContext* context,
                                      const std::vector<Tensor>& outputs) {
    const auto saved = context->get_saved_variables();
    const Tensor& g = outputs[0];
    std::vector<Tensor> gradients(3);
    if (context->needs_input_grad(0)) gradients[0] = through_layer(g, saved[1]);
    if (context->needs_input_grad(1)) gradients[1] = weight_gradient(g, saved[0]);
    if (context->needs_input_grad(2)) gradients[2] = g.sum(0);
    return gradients;
  }
};

struct LinearLayers : torch::autograd::Function<LinearLayers> {
  static bool one_by_one(const Tensor& x, const Tensor& weights) {
    return suits_onednn(x, x.size(1), x.size(2), weights.size(2));
  }

  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x,
                        const Tensor& weights, const Tensor& biases) {
    context->save_for_backward({x, weights});
    if (!one_by_one(x, weights)) return at::baddbmm(biases, x, weights);
    std::vector<Tensor> out;
    for (std::int64_t e = 0; e < x.size(0); ++e)
      out.push_back(linear_product(x[e], weights[e].t(), biases[e][0]));
    return at::stack(out);
  }

  static std::vector<Tensor> backward(torch::autograd::AutogradContext* context,
                                      const std::vector<Tensor>& outputs) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &weights = saved[1], &g = outputs[0];
    const bool to_x = context->needs_input_grad(0), to_weights = context->needs_input_grad(1);
    std::vector<Tensor> gradients(3);
    if (context->needs_input_grad(2)) gradients[2] = g.sum(1, /*keepdim=*/true);
    if (!one_by_one(x, weights)) {
      if (to_x) gradients[0] = at::bmm(g, weights.transpose(1, 2));
      if (to_weights) gradients[1] = at::bmm(x.transpose(1, 2), g);
      return gradients;
    }
    std::vector<Tensor> of_x, of_weights;
    for (std::int64_t e = 0; e < x.size(0); ++e) {
      if (to_x) of_x.push_back(linear_product(g[e], weights[e], {}));
      if (to_weights) of_weights.push_back(weight_gradient(x[e], g[e]));
    }
    if (to_x) gradients[0] = at::stack(of_x);
    if (to_weights) gradients[1] = at::stack(of_weights);
    return gradients;
  }
};

struct PairProducts : torch::autograd::Function<PairProducts> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x,
                        const Tensor& y) {
    context->save_for_backward({x, y});
    return linear_product(x, y, {});
  }
  static std::vector<Tensor> backward(torch::autograd::AutogradContext* context,
                                      const std::vector<Tensor>& outputs) {
    const auto saved = context->get_saved_variables();
    std::vector<Tensor> gradients(2);
    if (context->needs_input_grad(0)) gradients[0] = through_layer(outputs[0], saved[1]);
    if (context->needs_input_grad(1)) gradients[1] = weight_gradient(outputs[0], saved[0]);
    return gradients;
  }
};

}  // namespace

Tensor linear_layer(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return LinearLayer::apply(x, weight, bias);
}

Tensor linear_layers(const Tensor& x, const Tensor& weights, const Tensor& biases) {
  return LinearLayers::apply(x, weights, biases);
}

Tensor pair_products(const Tensor& x, const Tensor& y) { return PairProducts::apply(x, y); }

}  // namespace speder::deep
