#include "speder/deep/learn/agents/trpo.hpp"

#include "speder/deep/learn/agents/ppo.hpp"

namespace speder::deep {
namespace {

constexpr double kFirstLogStd = 0;
constexpr double kLastLayer = 0.01;       // of its usual size: the first policy is close to N(0, I)
constexpr double kSmallAdvantage = 1e-8;  // standardising a constant advantage gives zero

GaussianPolicy make_gaussian(const AgentConfig& config, const EnvSpec& spec, Device device,
                             const SeedTree& seeds) {
  GaussianPolicy policy{
      make_mlp({.input = spec.observation_size,
                .hidden = config.actor_hidden,
                .output = spec.action_size,
                .copies = 1,
                .activation = Activation::kTanh},
               device, seeds, "actor"),
      at::full({spec.action_size}, kFirstLogStd, at::TensorOptions(at::kFloat).device(device))
          .set_requires_grad(true)};
  const at::NoGradGuard no_grad;
  const std::vector<Tensor>& p = policy.mean.parameters();
  p[p.size() - 2].mul_(kLastLayer);
  p.back().zero_();
  return policy;
}

}  // namespace

Trpo::Trpo(const AgentConfig& config, const EnvSpec& spec, Device device, const SeedTree& seeds)
    : config_(config),
      device_(device),
      scale_(spec.observation_size, device),
      policy_(make_gaussian(config, spec, device, seeds)),
      value_(make_mlp({.input = spec.observation_size,
                       .hidden = {config.critic_width, config.critic_width},
                       .output = 1,
                       .copies = 1,
                       .activation = Activation::kTanh},
                      device, seeds, "value")),
      value_adam_(value_.parameters(), config.critic_lr) {}

Tensor Trpo::mean_action(const Tensor& states) const {
  return policy_.mean(scale_(states)).clamp(-1, 1);
}

Tensor Trpo::sample(const Tensor& states, const Tensor& noise) const {
  return policy_.mean(scale_(states)) + policy_.log_std.exp() * noise;
}

void Trpo::reset_width() {
  const at::NoGradGuard no_grad;
  policy_.log_std.fill_(kFirstLogStd);
}

Diagnostics Trpo::update(const RingBuffer& rollout, Rng&) {
  return learn(whole_buffer(rollout, device_));
}

Diagnostics Trpo::learn(const Minibatch& steps) {
  const Tensor states = scale_(steps.state);
  Tensor old_log_prob, advantage, target;
  {
    const at::NoGradGuard no_grad;
    const Tensor value = values(states);
    advantage = generalised_advantage({steps.reward, steps.terminated, steps.ended, value,
                                       values(scale_(steps.next_state)), config_.discount,
                                       config_.gae_lambda});
    target = advantage + value;
    advantage =
        (advantage - advantage.mean()) / (advantage.std(/*unbiased=*/false) + kSmallAdvantage);
    old_log_prob = policy_.log_prob(states, steps.action);
  }
  const TrustRegionStep step = trust_region_step(
      policy_, states,
      [&] { return surrogate(policy_.log_prob(states, steps.action), old_log_prob, advantage); },
      {config_.trust_radius, config_.cg_iterations, config_.cg_damping});
  Tensor value_loss = at::zeros({}, states.options());
  for (int i = 0; i < config_.value_steps; ++i) {
    value_loss = (values(states) - target).square().mean();
    value_adam_.step(value_loss);
  }
  scale_.see(steps.state);
  const auto shown = [&](double x) { return at::full({}, x, states.options()); };
  return {{"critic_loss", value_loss.detach()},
          {"surrogate", shown(step.improvement)},
          {"kl", shown(step.kl)},
          {"backtracks", shown(step.backtracks)},
          {"log_std", policy_.log_std.detach().mean()}};
}

std::vector<NamedTensor> Trpo::tensors() {
  std::vector<NamedTensor> out;
  scale_.name_tensors("running_scale", out);
  policy_.mean.name_tensors("actor", out);
  out.push_back({"log_std", policy_.log_std});
  value_.name_tensors("value", out);
  value_adam_.name_tensors("value_adam", out);
  return out;
}

}  // namespace speder::deep
