#include "speder/deep/learn/nn/adam.hpp"

#include <ATen/ops/_fused_adam.h>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;

/// g ← g min(1, clip/‖g‖), without waiting for the device
void clip_norm(const std::vector<Tensor>& gradients, double clip) {
  std::vector<Tensor> norms;
  for (const Tensor& g : gradients) norms.push_back(g.norm());
  const Tensor norm = at::stack(norms).norm();
  at::_foreach_mul_(gradients, clip / norm.clamp_min(clip));
}

}  // namespace

Adam::Adam(std::vector<Tensor> parameters, const AdamOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  require(!parameters_.empty(), "an optimiser needs parameters");
  require(options.learning_rate > 0, "a learning rate must be positive", options.learning_rate);
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
  if (options_.clip > 0) clip_norm(gradients, options_.clip);
  counts_[0].add_(1);
  at::_fused_adam_(parameters_, gradients, first_, second_, {}, counts_, options_.learning_rate,
                   kBeta1, kBeta2, options_.decay, options_.epsilon, /*amsgrad=*/false,
                   /*maximize=*/false);
}

void Adam::restart() {
  for (const Tensor& t : first_) t.zero_();
  for (const Tensor& t : second_) t.zero_();
  counts_[0].zero_();
}

void Adam::name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    out.push_back({prefix + ".first_" + std::to_string(i), first_[i]});
    out.push_back({prefix + ".second_" + std::to_string(i), second_[i]});
  }
  out.push_back({prefix + ".count", counts_[0]});
}

}  // namespace speder::deep
