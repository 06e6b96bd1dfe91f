#include "speder/deep/learn/agents/successor_features.hpp"

namespace speder::deep {
SuccessorFeatures::SuccessorFeatures(const AgentConfig& config, const EnvSpec& spec, Device device,
                                     const SeedTree& seeds)
    : config_(config),
      device_(device),
      phi_(make_mlp({.input = spec.observation_size + spec.action_size,
                     .hidden = config.feature_hidden,
                     .output = config.feature_dim},
                    device, seeds, "phi")),
      decoder_(make_mlp({.input = config.feature_dim,
                         .hidden = {config.critic_width},
                         .output = spec.observation_size},
                        device, seeds, "decoder")),
      reward_weights_(at::ones({config.feature_dim}, at::TensorOptions(at::kFloat).device(device))
                          .div_(config.feature_dim)
                          .set_requires_grad(true)),
      feature_adam_(with(joined({&phi_, &decoder_}), reward_weights_), config.feature_lr),
      psi_(make_mlp({.input = spec.observation_size + spec.action_size,
                     .hidden = {config.critic_width, config.critic_width},
                     .output = config.feature_dim + 1,
                     .copies = 2},
                    device, seeds, "psi")),
      psi_adam_(psi_.parameters(), config.critic_lr),
      psi_target_(psi_.frozen_copy()),
      policy_(config, spec, device, seeds) {}

Diagnostics SuccessorFeatures::update(const RingBuffer& buffer, Rng& rng) {
  policy_.measure(buffer);
  const Minibatch batch = draw_minibatch(buffer, {.size = config_.batch}, device_, rng);
  Diagnostics out;
  learn_features(batch, out);
  learn_successors(batch, out);
  improve_policy(batch, out);
  polyak(psi_target_, psi_, config_.tau);
  return out;
}

void SuccessorFeatures::learn_features(const Minibatch& batch, Diagnostics& out) {
  const Tensor phi = phi_(batch.pair);
  const Tensor reward = at::mv(phi, reward_weights_);  // ⟨φ, w⟩
  const Tensor reward_loss = (reward - batch.reward).square().mean();
  const Tensor state_loss = (decoder_(phi) - batch.next_state).square().mean();
  feature_adam_.step(reward_loss + state_loss);
  out.push_back({"reward_loss", reward_loss.detach()});
  out.push_back({"state_loss", state_loss.detach()});
}

Tensor SuccessorFeatures::weights() const {
  const Tensor w = reward_weights_.detach();
  return at::cat({w, at::ones({1}, w.options())});
}

void SuccessorFeatures::learn_successors(const Minibatch& batch, Diagnostics& out) {
  Tensor y;
  {
    const at::NoGradGuard no_grad;
    const PolicySample next = policy_.sample(batch.next_state, batch.next_noise);
    const Tensor next_psi =
        psi_target_(at::cat({batch.next_state, next.action}, 1));  // (2, B, d+1)
    const Tensor next_q = at::matmul(next_psi, weights());         // (2, B)
    // the successor vector of the smaller Q, entropy of a' added to its last entry
    const Tensor first = next_q[0].le(next_q[1]).unsqueeze(-1);
    const Tensor chosen = at::where(first, next_psi[0], next_psi[1]);
    const Tensor entropy = (-policy_.alpha() * next.log_prob).unsqueeze(-1);
    const Tensor future = at::cat({chosen.slice(1, 0, -1), chosen.slice(1, -1) + entropy}, 1);
    const Tensor phi = phi_(batch.pair);
    const Tensor now = at::cat({phi, at::zeros_like(entropy)}, 1);
    // y = [φ | 0] + γ (1 − terminated) (ψ̄(s',a') + [0 | −α log π])
    y = now + config_.discount * (1 - batch.terminated).unsqueeze(-1) * future;
  }
  const Tensor psi = psi_(batch.pair);
  const Tensor loss = (psi - y).square().mean({1, 2}).sum();
  psi_adam_.step(loss);
  out.push_back({"critic_loss", loss.detach()});
  out.push_back({"q", at::matmul(psi.detach(), weights()).mean()});
}

void SuccessorFeatures::improve_policy(const Minibatch& batch, Diagnostics& out) {
  const PolicySample now = policy_.sample(batch.state, batch.noise);
  const Tensor psi = psi_(at::cat({batch.state, now.action}, 1));
  policy_.improve(now, at::matmul(psi, weights()), out);
}

std::vector<NamedTensor> SuccessorFeatures::tensors() {
  std::vector<NamedTensor> out;
  phi_.name_tensors("phi", out);
  out.push_back({"reward_weights", reward_weights_});
  decoder_.name_tensors("decoder", out);
  feature_adam_.name_tensors("feature_adam", out);
  psi_.name_tensors("psi", out);
  psi_adam_.name_tensors("psi_adam", out);
  psi_target_.name_tensors("psi_target", out);
  policy_.name_tensors(out);
  return out;
}

}  // namespace speder::deep
