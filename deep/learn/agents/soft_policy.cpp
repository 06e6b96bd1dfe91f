#include "speder/deep/learn/agents/soft_policy.hpp"

#include <cmath>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

Mlp make_actor(const AgentConfig& config, const EnvSpec& spec, Device device,
               const SeedTree& seeds) {
  Rng rng = seeds.stream("actor");
  return {{.input = spec.observation_size,
           .hidden = config.actor_hidden,
           .output = (spec.discrete ? 1 : 2) * spec.action_size},
          device,
          rng};
}

Tensor make_log_alpha(double alpha, Device device) {
  require(alpha > 0, "initial_alpha must be positive", alpha);
  return at::full({}, std::log(alpha), at::TensorOptions(at::kFloat).device(device))
      .set_requires_grad(true);
}

}  // namespace

SoftPolicy::SoftPolicy(const AgentConfig& config, const EnvSpec& spec, Device device,
                       const SeedTree& seeds)
    : discrete_(spec.discrete),
      in_units_(config.actor_observation_norm),
      unit_every_(config.unit_every),
      units_(spec.observation_size, 0, device),
      actor_(make_actor(config, spec, device, seeds)),
      actor_adam_(actor_.parameters(), config.actor_lr),
      log_alpha_(make_log_alpha(config.initial_alpha, device)),
      alpha_adam_({log_alpha_}, config.alpha_lr),
      target_entropy_(spec.discrete ? kEntropyShare * std::log(spec.action_size)
                                    : -spec.action_size) {}

void SoftPolicy::measure(const RingBuffer& buffer) {
  if (in_units_) units_.measure(buffer, unit_every_);
}

Tensor SoftPolicy::output(const Tensor& states) const {
  return actor_(in_units_ ? units_(states) : states);
}

PolicySample SoftPolicy::sample(const Tensor& states, const Tensor& noise) const {
  if (discrete_) return all_actions(output(states));
  return tanh_gaussian(gaussian_head(output(states)), noise);
}

Tensor SoftPolicy::draw(const Tensor& states, const Tensor& noise) const {
  if (discrete_) return categorical_draw(output(states), noise);
  return sample(states, noise).action;
}

Tensor SoftPolicy::mean_action(const Tensor& states) const {
  if (discrete_) return largest_entry(output(states));
  return gaussian_head(output(states)).mean.tanh();
}

void SoftPolicy::improve(const PolicySample& sample, const Tensor& q, Diagnostics& out) {
  const Tensor loss = discrete_ ? categorical_actor_loss(q, sample, alpha())
                                : actor_loss(q, sample.log_prob, alpha());
  actor_adam_.step(loss);
  const Tensor log_prob = policy_mean(sample, sample.log_prob).detach();
  {
    const at::NoGradGuard no_grad;  // J(log α) = α c, so ∂J/∂log α = J
    alpha_adam_.apply({temperature_loss(log_alpha_, log_prob, target_entropy_)});
  }
  out.push_back({"actor_loss", loss.detach()});
  out.push_back({"entropy", -log_prob.mean()});
  out.push_back({"alpha", alpha()});
}

void SoftPolicy::name_tensors(std::vector<NamedTensor>& out) const {
  actor_.name_tensors("actor", out);
  if (in_units_) units_.name_tensors("actor_units", out);
  actor_adam_.name_tensors("actor_adam", out);
  out.push_back({"log_alpha", log_alpha_});
  alpha_adam_.name_tensors("alpha_adam", out);
}

}  // namespace speder::deep
