#include "speder/deep/learn/agents/losses.hpp"

#include <cmath>
#include <numbers>

namespace speder::deep {
namespace {

constexpr double kLogStdLow = -5;
constexpr double kLogStdHigh = 2;
const double kHalfLogTwoPi = 0.5 * std::log(2 * std::numbers::pi);

}  // namespace

GaussianHead gaussian_head(const Tensor& output) {
  const auto halves = output.chunk(2, -1);
  // low + (high − low)(tanh x + 1)/2
  const double half = (kLogStdHigh - kLogStdLow) / 2;
  return {halves[0], halves[1].tanh() * half + (kLogStdLow + half)};
}

PolicySample tanh_gaussian(const GaussianHead& head, const Tensor& noise) {
  const Tensor x = at::addcmul(head.mean, head.log_std.exp(), noise);
  // log N(x; mean, σ) = −½ noise² − log σ − ½ log 2π
  const Tensor normal = noise.square() * -0.5 - head.log_std - kHalfLogTwoPi;
  const Tensor log_slope = (std::numbers::ln2 - x - at::softplus(x * -2)) * 2;
  return {x.tanh(), (normal - log_slope).sum(-1)};
}

Tensor td_target(const Tensor& reward, const Tensor& terminated, const Tensor& next_value,
                 double discount) {
  const at::NoGradGuard no_grad;
  return reward + discount * (1 - terminated) * next_value;
}

Tensor far_target(const Minibatch& batch, const Tensor& reward, const Tensor& value,
                  double discount) {
  const Minibatch::Far& far = batch.far;
  if (!far.discount.defined()) return td_target(reward, far.terminated, value, discount);
  const at::NoGradGuard no_grad;
  return reward + far.discount * (1 - far.terminated) * value;
}

Tensor soft_value(const Tensor& next_q, const Tensor& log_prob, const Tensor& alpha) {
  return next_q.amin(0) - alpha * log_prob;
}

Tensor critic_loss(const Tensor& q, const Tensor& target) {
  return (q - target.detach()).square().mean(-1).sum();
}

Tensor actor_loss(const Tensor& q, const Tensor& log_prob, const Tensor& alpha) {
  return (alpha.detach() * log_prob - q.amin(0)).mean();
}

Tensor temperature_loss(const Tensor& log_alpha, const Tensor& log_prob, double target_entropy) {
  return log_alpha.exp() * (-log_prob.detach() - target_entropy).mean();
}

}  // namespace speder::deep
