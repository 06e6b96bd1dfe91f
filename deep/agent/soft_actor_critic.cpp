#include "deep/agent/soft_actor_critic.hpp"

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
           .copies = 2},
          device,
          rng};
}

}  // namespace

SoftActorCritic::SoftActorCritic(const Setting& setting, const EnvSpec& spec, Device device,
                                 const SeedTree& seeds)
    : config_(setting.config),
      device_(device),
      critic_(make_critic(setting, spec, device, seeds)),
      critic_adam_(critic_.parameters(), config_.critic_lr),
      critic_target_(critic_.frozen_copy()),
      policy_(config_, spec, device, seeds) {}

Diagnostics SoftActorCritic::update(const RingBuffer& buffer, Rng& rng) {
  const Minibatch batch = draw_minibatch(buffer, {.size = config_.batch}, device_, rng);
  Diagnostics out;
  learn_critic(batch, out);
  improve_policy(batch, out);
  polyak(critic_target_, critic_, config_.tau);
  return out;
}

void SoftActorCritic::learn_critic(const Minibatch& batch, Diagnostics& out) {
  Tensor y;
  {
    const at::NoGradGuard no_grad;
    const PolicySample next = policy_.sample(batch.next_state, batch.next_noise);
    const Tensor next_q = critic_target_(at::cat({batch.next_state, next.action}, 1)).squeeze(-1);
    y = td_target(batch.reward, batch.terminated,
                  soft_value(next_q, next.log_prob, policy_.alpha()), config_.discount);
  }
  const Tensor q = critic_(batch.pair).squeeze(-1);  // (2, B)
  const Tensor loss = critic_loss(q, y);
  critic_adam_.step(loss);
  out.push_back({"critic_loss", loss.detach()});
  out.push_back({"q", q.detach().mean()});
}

void SoftActorCritic::improve_policy(const Minibatch& batch, Diagnostics& out) {
  const PolicySample now = policy_.sample(batch.state, batch.noise);
  const Tensor q = critic_(at::cat({batch.state, now.action}, 1)).squeeze(-1);
  policy_.improve(now, q, out);
}

std::vector<NamedTensor> SoftActorCritic::tensors() {
  std::vector<NamedTensor> out;
  critic_.name_tensors("critic", out);
  critic_adam_.name_tensors("critic_adam", out);
  critic_target_.name_tensors("critic_target", out);
  policy_.name_tensors(out);
  return out;
}

}  // namespace speder::deep
