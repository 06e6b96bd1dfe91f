#include "speder/deep/learn/agents/soft_actor_critic.hpp"

namespace speder::deep {
namespace {

Mlp make_critic(const SoftActorCritic::Setting& setting, const EnvSpec& spec, Device device,
                const SeedTree& seeds) {
  Rng rng = seeds.stream("critic");
  const std::vector<int> hidden(static_cast<std::size_t>(setting.critic_layers - 1),
                                setting.config.critic_width);
  return {{.input = spec.observation_size + spec.action_size,
           .hidden = hidden,
           .output = 1,
           .copies = 2,
           .norm = setting.config.critic_norm},
          device,
          rng};
}

}  // namespace

SoftActorCritic::SoftActorCritic(const Setting& setting, const EnvSpec& spec, Device device,
                                 const SeedTree& seeds)
    : config_(setting.config),
      device_(device),
      scale_(spec.observation_size, spec.action_size, device),
      critic_(make_critic(setting, spec, device, seeds)),
      critic_adam_(critic_.parameters(), config_.critic_lr),
      critic_target_(critic_.frozen_copy()),
      policy_(config_, spec, device, seeds) {}

Diagnostics SoftActorCritic::update(const RingBuffer& buffer, Rng& rng) {
  policy_.measure(buffer);
  if (config_.critic_observation_norm) scale_.measure(buffer, config_.unit_every);
  const Minibatch batch = draw_minibatch(
      buffer, {.size = config_.batch, .returns = config_.returns, .discount = config_.discount},
      device_, rng);
  Diagnostics out;
  learn_critic(batch, out);
  improve_policy(batch, out);
  polyak(critic_target_, critic_, config_.tau);
  return out;
}

Tensor SoftActorCritic::q_values(const Mlp& critic, const Tensor& pair) const {
  return critic(config_.critic_observation_norm ? scale_(pair) : pair).squeeze(-1);
}

Tensor SoftActorCritic::value(const Tensor& pairs) const {
  const at::NoGradGuard no_grad;
  return q_values(critic_, pairs).mean(0);
}

void SoftActorCritic::learn_critic(const Minibatch& batch, Diagnostics& out) {
  Tensor y;
  {
    const at::NoGradGuard no_grad;
    const PolicySample next = policy_.sample(batch.far.state, batch.next_noise);
    const Tensor next_q =
        twin_values(q_values(critic_target_, policy_pairs(batch.far.state, next)), config_.twin);
    const Tensor value = policy_mean(next, soft_value(next_q, next.log_prob, policy_.alpha()));
    y = far_target(batch, batch.far.reward, value, config_.discount);
  }
  const Tensor q = q_values(critic_, batch.pair);  // (2, B)
  const Tensor loss = critic_loss(q, y);
  critic_adam_.step(loss);
  out.push_back({"critic_loss", loss.detach()});
  out.push_back({"q", q.detach().mean()});
}

void SoftActorCritic::improve_policy(const Minibatch& batch, Diagnostics& out) {
  const PolicySample now = policy_.sample(batch.state, batch.noise);
  const Tensor q = q_values(critic_, policy_pairs(batch.state, now));
  policy_.improve(now, twin_values(q, config_.twin), out);
}

std::vector<NamedTensor> SoftActorCritic::tensors() {
  std::vector<NamedTensor> out;
  scale_.name_tensors("input_scale", out);
  critic_.name_tensors("critic", out);
  critic_adam_.name_tensors("critic_adam", out);
  critic_target_.name_tensors("critic_target", out);
  policy_.name_tensors(out);
  return out;
}

}  // namespace speder::deep
