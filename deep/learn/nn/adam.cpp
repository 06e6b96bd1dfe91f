#include "speder/deep/learn/nn/adam.hpp"

#include <ATen/ops/_fused_adam.h>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEpsilon = 1e-8;  // PyTorch's default: keeps m/√v finite for a zero gradient

}  // namespace

Adam::Adam(std::vector<Tensor> parameters, double learning_rate)
    : parameters_(std::move(parameters)), learning_rate_(learning_rate) {
  require(!parameters_.empty(), "an optimiser needs parameters");
  require(learning_rate > 0, "a learning rate must be positive", learning_rate);
  for (const Tensor& p : parameters_) {
    first_.push_back(at::zeros_like(p));
    second_.push_back(at::zeros_like(p));
  }
  const Tensor count = at::zeros({}, parameters_[0].options().requires_grad(false));
  counts_.assign(parameters_.size(), count);
}

void Adam::step(const Tensor& loss) { apply(torch::autograd::grad({loss}, parameters_)); }

void Adam::apply(const std::vector<Tensor>& gradients) {
  const at::NoGradGuard no_grad;
  counts_[0].add_(1);
  at::_fused_adam_(parameters_, gradients, first_, second_, {}, counts_, learning_rate_, kBeta1,
                   kBeta2, /*weight_decay=*/0, kEpsilon, /*amsgrad=*/false, /*maximize=*/false);
}

void Adam::name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    out.push_back({prefix + ".first_" + std::to_string(i), first_[i]});
    out.push_back({prefix + ".second_" + std::to_string(i), second_[i]});
  }
  out.push_back({prefix + ".count", counts_[0]});
}

}  // namespace speder::deep
