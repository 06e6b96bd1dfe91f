#include "speder/deep/learn/agents/losses.hpp"

#include <cmath>
#include <numbers>

namespace speder::deep {
namespace {

constexpr double kLogStdLow = -5;
constexpr double kLogStdHigh = 2;
constexpr double kTail = 1e-12;  // beyond seven deviations of a normal number
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

Tensor policy_pairs(const Tensor& states, const PolicySample& sample) {
  if (!sample.weight.defined()) return at::cat({states, sample.action}, 1);
  return at::cat({states.repeat_interleave(sample.action.size(1), 0), sample.action}, 1);
}

Tensor policy_mean(const PolicySample& sample, const Tensor& values) {
  if (!sample.weight.defined()) return values;
  return (sample.weight * values).view({-1, sample.action.size(1)}).sum(1);
}

PolicySample all_actions(const Tensor& logits) {
  const auto k = logits.size(1);
  const Tensor log_prob = at::log_softmax(logits, 1).reshape({-1});
  const Tensor actions =
      at::eye(k, logits.options().requires_grad(false)).repeat({logits.size(0), 1});
  return {actions, log_prob, log_prob.exp()};
}

Tensor categorical_draw(const Tensor& logits, const Tensor& noise) {
  // Φ in float is 0 or 1 beyond some six deviations, where its logarithms are not finite.
  const Tensor u = at::special_ndtr(noise.to(at::kDouble)).clamp(kTail, 1 - kTail);
  return largest_entry(logits - (-u.log()).log().to(logits.scalar_type()));
}

Tensor largest_entry(const Tensor& rows) {
  const Tensor place = rows.argmax(1, /*keepdim=*/true);
  return at::zeros_like(rows).scatter_(1, place, 1.0);
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

Tensor twin_values(const Tensor& q, const std::string& twin) {
  return twin == "mean" ? q.mean(0, /*keepdim=*/true) : q;
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

Tensor categorical_actor_loss(const Tensor& q, const PolicySample& sample, const Tensor& alpha) {
  return policy_mean(sample, alpha.detach() * sample.log_prob - q.detach().amin(0)).mean();
}

Tensor temperature_loss(const Tensor& log_alpha, const Tensor& log_prob, double target_entropy) {
  return log_alpha.exp() * (-log_prob.detach() - target_entropy).mean();
}

}  // namespace speder::deep
