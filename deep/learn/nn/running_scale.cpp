#include "speder/deep/learn/nn/running_scale.hpp"

namespace speder::deep {
namespace {

constexpr double kSmallestVariance = 0.01;  // MBBL's: an entry that hardly moves is not blown up

}  // namespace

RunningScale::RunningScale(std::int64_t size, Device device)
    : count_(at::zeros({}, at::TensorOptions(at::kDouble).device(device))),
      mean_(at::zeros({size}, count_.options())),
      spread_(at::zeros({size}, count_.options())) {}

void RunningScale::see(const Tensor& states) {
  const at::NoGradGuard no_grad;
  const Tensor x = states.to(at::kDouble);
  const auto n = static_cast<double>(x.size(0));
  const Tensor mean = x.mean(0);
  const Tensor gap = mean - mean_;
  const Tensor total = count_ + n;
  // two sets of moments merged (Chan et al. 1979)
  spread_.add_((x - mean).square().sum(0) + gap.square() * (count_ * n / total));
  mean_.add_(gap * (n / total));
  count_.copy_(total);
}

Tensor RunningScale::operator()(const Tensor& states) const {
  const Tensor seen = count_.gt(0).to(at::kDouble);
  const Tensor variance = seen * spread_ / count_.clamp_min(1) + (1 - seen);
  const Tensor scale = variance.clamp_min(kSmallestVariance).rsqrt();
  return (states - mean_.to(states.scalar_type())) * scale.to(states.scalar_type());
}

void RunningScale::name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const {
  out.push_back({prefix + ".count", count_});
  out.push_back({prefix + ".mean", mean_});
  out.push_back({prefix + ".spread", spread_});
}

}  // namespace speder::deep
