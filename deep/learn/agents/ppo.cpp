#include "speder/deep/learn/agents/ppo.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

namespace speder::deep {
namespace {

constexpr double kInitialLogStd = -0.5;
constexpr double kValueWeight = 0.5;      // of the squared value error beside the surrogate
constexpr double kAdvantageFloor = 1e-8;  // standardising a constant advantage gives zero

std::vector<std::int64_t> permutation(Index n, Rng& rng) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (Index i = n - 1; i > 0; --i) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(rng.index(i + 1))]);
  }
  return order;
}

}  // namespace

Tensor generalised_advantage(const AdvantageInput& in) {
  const at::NoGradGuard no_grad;
  const Tensor delta = in.reward + in.discount * (1 - in.terminated) * in.next_value - in.value;
  // A recursion over n steps: done on the host, once per rollout.
  const Tensor d = delta.to(at::kCPU, at::kDouble).contiguous();
  const Tensor ended = in.ended.to(at::kCPU, at::kDouble).contiguous();
  const Tensor advantage = at::empty_like(d);
  double next = 0;
  for (std::int64_t t = d.numel() - 1; t >= 0; --t) {
    next = d.data_ptr<double>()[t] +
           in.discount * in.lambda * (1 - ended.data_ptr<double>()[t]) * next;
    advantage.data_ptr<double>()[t] = next;
  }
  return advantage.to(delta.device(), delta.scalar_type());
}

Tensor clipped_surrogate(const Tensor& log_ratio, const Tensor& advantage, double clip) {
  const Tensor ratio = log_ratio.exp();
  return -at::minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean();
}

Ppo::Ppo(const AgentConfig& config, const EnvSpec& spec, Device device, const SeedTree& seeds)
    : config_(config),
      device_(device),
      actor_(make_mlp({.input = spec.observation_size,
                       .hidden = config.actor_hidden,
                       .output = spec.action_size,
                       .copies = 1,
                       .activation = Activation::kTanh},
                      device, seeds, "actor")),
      value_(make_mlp({.input = spec.observation_size,
                       .hidden = {config.critic_width, config.critic_width},
                       .output = 1,
                       .copies = 1,
                       .activation = Activation::kTanh},
                      device, seeds, "value")),
      log_std_(
          at::full({spec.action_size}, kInitialLogStd, at::TensorOptions(at::kFloat).device(device))
              .set_requires_grad(true)),
      adam_(with(joined({&actor_, &value_}), log_std_), config.actor_lr) {}

Tensor Ppo::sample(const Tensor& states, const Tensor& noise) const {
  return mean_action(states) + log_std_.exp() * noise;
}

Tensor Ppo::log_prob(const Tensor& states, const Tensor& actions) const {
  const Tensor z = (actions - mean_action(states)) * (-log_std_).exp();
  return (z.square() * -0.5 - log_std_ - 0.5 * std::log(2 * std::numbers::pi)).sum(-1);
}

Diagnostics Ppo::update(const RingBuffer& rollout, Rng& rng) {
  const Minibatch all = whole_buffer(rollout, device_);
  Tensor old_log_prob, advantage, target;
  {
    const at::NoGradGuard no_grad;
    const Tensor value = values(all.state);
    advantage =
        generalised_advantage({all.reward, all.terminated, all.ended, value, values(all.next_state),
                               config_.discount, config_.gae_lambda});
    target = advantage + value;
    old_log_prob = log_prob(all.state, all.action);
  }
  Tensor policy_loss, value_loss;
  for (int epoch = 0; epoch < config_.epochs; ++epoch) {
    const Tensor order = at::tensor(permutation(rollout.size(), rng), at::kLong).to(device_);
    for (const Tensor& rows : order.split(config_.ppo_batch)) {
      const auto pick = [&](const Tensor& t) { return t.index_select(0, rows); };
      const Tensor state = pick(all.state);
      const Tensor a = pick(advantage);
      const Tensor scaled = (a - a.mean()) / (a.std(/*unbiased=*/false) + kAdvantageFloor);
      const Tensor ratio = log_prob(state, pick(all.action)) - pick(old_log_prob);
      policy_loss = clipped_surrogate(ratio, scaled, config_.clip);
      value_loss = (values(state) - pick(target)).square().mean();
      // entropy of the Gaussian is ∑ log σ up to a constant
      adam_.step(policy_loss + kValueWeight * value_loss - config_.entropy_weight * log_std_.sum());
    }
  }
  return {{"critic_loss", value_loss.detach()},
          {"actor_loss", policy_loss.detach()},
          {"log_std", log_std_.detach().mean()}};
}

std::vector<NamedTensor> Ppo::tensors() {
  std::vector<NamedTensor> out;
  actor_.name_tensors("actor", out);
  value_.name_tensors("value", out);
  out.push_back({"log_std", log_std_});
  adam_.name_tensors("adam", out);
  return out;
}

}  // namespace speder::deep
