#include "speder/deep/train/divergence.hpp"

#include <limits>

namespace speder::deep {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

}  // namespace

void DivergenceWatch::see(const Diagnostics& losses, std::int64_t update) {
  const at::NoGradGuard no_grad;
  std::vector<Tensor> values;
  for (const NamedTensor& l : losses) values.push_back(l.tensor);
  const Tensor sound = at::stack(values).abs().lt(limit_);  // false for NaN
  if (!first_bad_.defined()) {
    for (const NamedTensor& l : losses) names_.push_back(l.name);
    first_bad_ = at::full({sound.size(0)}, kNever, sound.options().dtype(at::kLong));
  }
  // min(first bad, this update where it is bad)
  first_bad_.clamp_max_(sound.to(at::kLong).mul_(kNever - update).add_(update));
}

std::optional<DivergenceWatch::Finding> DivergenceWatch::finding() const {
  if (!first_bad_.defined()) return {};
  const Tensor host = first_bad_.to(at::kCPU);
  std::optional<Finding> out;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::int64_t update = host.data_ptr<std::int64_t>()[i];
    if (update != kNever && (!out || update < out->update)) out = Finding{names_[i], update};
  }
  return out;
}

}  // namespace speder::deep
