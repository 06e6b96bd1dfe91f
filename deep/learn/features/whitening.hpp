#pragma once

#include "speder/deep/learn/nn/torch.hpp"

namespace speder::deep {

/// φ ↦ (C + ρ t I)^{−1/2}(φ − m) with m and C the mean and covariance of φ over recent rows, t = tr C/d: the
/// constraint E[φφᵀ] ∝ I of the paper, which fixes the scale of each direction of φ. The exact objective leaves
/// them open, φ → Aφ, μ → A⁻ᵀμ. Directions of variance far below ρ t stay small. The symmetric root turns φ the
/// least, so that it moves no faster than φ does.
class Whitening {
 public:
  Whitening(std::int64_t features, double ridge, Device device);  // ridge ρ; 0: φ as it is

  [[nodiscard]] bool active() const { return ridge_ > 0; }
  void see(const Tensor& phi);  // (B, d)
  [[nodiscard]] Tensor operator()(
      const Tensor& phi) const;  // (B, d); as it is until the first see()
  void name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const;

 private:
  double ridge_;
  Tensor calls_;              // of see(); on the host, as a tensor so that checkpoints hold it
  Tensor mean_, covariance_;  // (d), (d, d)  m and C, moving averages
  Tensor root_, shift_;  // (d, d), (d)  W = (C + ρ t I)^{−1/2} and −W m as of the last refresh
};

}  // namespace speder::deep
