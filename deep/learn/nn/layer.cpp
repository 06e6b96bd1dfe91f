#include "speder/deep/learn/nn/layer.hpp"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>

namespace speder::deep {
namespace {

constexpr std::int64_t kSmallForOneDnn = 64;  // below it packing costs more than the product

/// oneDNN's f(x Wᵀ + b); `then` is "relu" or "none".
Tensor onednn_linear(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,
                     std::string_view then) {
  using Signature =
      Tensor(const Tensor&, const Tensor&, const std::optional<Tensor>&, std::string_view,
             c10::List<std::optional<at::Scalar>>, std::optional<std::string_view>);
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("mkldnn::_linear_pointwise", "")
                             .typed<Signature>();
  return op.call(x, weight, bias, then, c10::List<std::optional<at::Scalar>>(), std::nullopt);
}

bool suits_onednn(const Tensor& x, const Tensor& weight) {
  return x.device().is_cpu() && x.dim() == 2 &&
         std::min({x.size(0), weight.size(0), weight.size(1)}) >= kSmallForOneDnn;
}

}  // namespace

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

Tensor relu_layer(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (suits_onednn(x, weight)) return onednn_linear(x, weight, bias, "relu");
  Tensor h = at::linear(x, weight, bias);
  return at::relu_(h);
}

Tensor through_layer(const Tensor& g, const Tensor& weight) {
  return suits_onednn(g, weight) ? onednn_linear(g, weight.t(), std::nullopt, "none")
                                 : at::mm(g, weight);
}

}  // namespace speder::deep
