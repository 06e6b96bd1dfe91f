#include "speder/deep/learn/features/whitening.hpp"

#include <algorithm>

#include "speder/deep/learn/nn/product.hpp"

namespace speder::deep {
namespace {

constexpr std::int64_t kWindow = 200;   // batches that the averages reach back
constexpr std::int64_t kRefresh = 100;  // calls between decompositions, half of that

}  // namespace

Whitening::Whitening(std::int64_t features, double ridge, Device device) : ridge_(ridge) {
  if (!active()) return;
  const auto kind = at::TensorOptions(at::kFloat).device(device);
  calls_ = at::zeros({}, at::kLong);
  mean_ = at::zeros({features}, kind);
  covariance_ = at::zeros({features, features}, kind);
  root_ = at::eye(features, kind);
  shift_ = at::zeros({features}, kind);
}

void Whitening::see(const Tensor& phi) {
  if (!active()) return;
  const at::NoGradGuard no_grad;
  const std::int64_t call = ++*calls_.data_ptr<std::int64_t>();
  const double weight = 1.0 / static_cast<double>(std::min(call, kWindow));
  const Tensor centre = phi.mean(0);
  const Tensor gap = centre - mean_;
  const Tensor x = phi - centre;
  // moving averages about a moving mean: of two sets with weights 1 − w and w
  covariance_.add_(at::outer(gap, gap), weight);
  covariance_.lerp_(at::mm(x.t(), x) / static_cast<double>(phi.size(0)), weight);
  mean_.add_(gap, weight);
  // The first batches alone say little of C: root_ follows them at every power of two.
  const bool early = call < kRefresh && (call & (call - 1)) == 0;
  if (!early && call % kRefresh != 0) return;
  Tensor c = covariance_.to(at::kDouble);
  c.diagonal().add_(ridge_ * c.diagonal().mean());
  const auto [lambda, u] = at::linalg_eigh(c);  // C + ρ t I = U diag(λ) Uᵀ
  const Tensor root = at::mm(u * lambda.rsqrt(), u.t());
  root_.copy_(root);
  shift_.copy_(-at::mv(root, mean_.to(at::kDouble)));
}

Tensor Whitening::operator()(const Tensor& phi) const {
  return active() ? linear_layer(phi, root_, shift_) : phi;
}

void Whitening::name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const {
  if (!active()) return;
  out.push_back({prefix + ".calls", calls_});
  out.push_back({prefix + ".mean", mean_});
  out.push_back({prefix + ".covariance", covariance_});
  out.push_back({prefix + ".root", root_});
  out.push_back({prefix + ".shift", shift_});
}

}  // namespace speder::deep
