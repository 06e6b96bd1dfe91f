#include "speder/deep/learn/agents/spectral_actor_critic.hpp"

namespace speder::deep {
namespace {

constexpr Index kBonusRowsPerFeature = 4;  // rows per column of Σ when it is estimated
constexpr std::int64_t kDriftUpdates = 1000;

MlpShape head_shape(const AgentConfig& config, int input) {
  return {
      .input = input,
      .hidden = std::vector<int>(static_cast<std::size_t>(config.head_layers), config.critic_width),
      .output = 1,
      .copies = 2,
      .norm = config.head_norm};
}

/// Rows of the batch's own pairs, and those of the pairs that follow them.
std::vector<Tensor> now_and_next(const Tensor& rows, const Minibatch& batch) {
  const auto now = batch.pair.size(0);
  return rows.split_with_sizes({now, rows.size(0) - now});
}

}  // namespace

SpectralActorCritic::SpectralActorCritic(const AgentConfig& config, const EnvSpec& spec,
                                         Device device, const SeedTree& seeds)
    : config_(config),
      objective_(objective_named(config.objective)),
      device_(device),
      scale_(spec.observation_size, spec.action_size, device),
      phi_(make_mlp({.input = spec.observation_size + spec.action_size,
                     .hidden = config.feature_hidden,
                     .output = config.feature_dim},
                    device, seeds, "phi")),
      mu_(make_mlp({.input = spec.observation_size,
                    .hidden = config.feature_hidden,
                    .output = config.feature_dim},
                   device, seeds, "mu")),
      reward_head_(make_mlp({.input = config.feature_dim, .hidden = {}, .output = 1}, device, seeds,
                            "reward head")),
      feature_adam_(
          joined(config.reward_weight > 0 ? std::vector<const Mlp*>{&phi_, &mu_, &reward_head_}
                                          : std::vector<const Mlp*>{&phi_, &mu_}),
          config.feature_lr),
      phi_ema_(phi_.frozen_copy()),
      reward_(make_mlp({.input = spec.observation_size + spec.action_size,
                        .hidden = {config.critic_width},
                        .output = 1},
                       device, seeds, "reward")),
      reward_adam_(reward_.parameters(), config.critic_lr),
      critic_(make_mlp(head_shape(config, head_size(spec)), device, seeds, "critic")),
      critic_adam_(critic_.parameters(), config.critic_lr),
      critic_target_(critic_.frozen_copy()),
      explorer_(make_mlp(head_shape(config, head_size(spec)), device, seeds, "explorer")),
      explorer_adam_(explorer_.parameters(), config.critic_lr),
      explorer_target_(explorer_.frozen_copy()),
      policy_(config, spec, device, seeds),
      bonus_({config.bonus, config.bonus_ridge, config.scaled_bonus > 0}, config.feature_dim,
             device),
      whiten_(config.feature_dim, config.feature_whiten, device),
      phi_mark_(phi_.frozen_copy()),
      drift_(at::zeros({}, at::TensorOptions(at::kFloat).device(device))),
      updates_(at::zeros({}, at::kLong)),
      states_(spec.observation_size) {}

int SpectralActorCritic::head_size(const EnvSpec& spec) const {
  const int raw = spec.observation_size + spec.action_size;
  if (!heads_on_phi()) return raw;
  return config_.feature_dim + (config_.head_raw ? raw : 0);
}

Diagnostics SpectralActorCritic::update(const RingBuffer& buffer, Rng& rng) {
  const MinibatchOptions options{.size = config_.batch,
                                 .base = objective_ == Objective::kLiteral ? BaseMeasure::kGaussian
                                         : config_.in_batch                ? BaseMeasure::kNone
                                                                           : BaseMeasure::kReplay,
                                 .returns = config_.returns,
                                 .discount = config_.discount,
                                 .state_noise = config_.successor_noise > 0};
  policy_.measure(buffer);
  if (config_.observation_norm) scale_.measure(buffer, config_.unit_every);
  stored_ = buffer.size();
  Diagnostics out;
  Minibatch batch;
  for (int i = 0; i < config_.feature_updates; ++i) {
    out.clear();
    batch = draw_minibatch(buffer, options, device_, rng);
    learn_features(batch, out);
  }
  learn_reward(batch, out);
  refresh_bonus(buffer, rng);
  learn_critic(batch, out);
  learn_exploration(batch, out);
  improve_policy(batch, out);
  follow();
  return out;
}

Tensor SpectralActorCritic::units(const Tensor& input) const {
  // DEVIATION-D4: φ and μ see states in comparable units. With raw states the leading singular
  // functions follow the widest entry, and the critic cannot see the others for long.
  return config_.observation_norm ? scale_(input) : input;
}

Tensor SpectralActorCritic::features(const Mlp& network, const Tensor& input,
                                     const Tensor& noise) const {
  const Tensor x = noise.defined() ? units(input) + noise : units(input);
  // DEVIATION-D8: P/p is as large as p is small, so that a few rare states take most of the loss and of
  // the singular functions. Entries within ±c keep φᵀμ below d c².
  const double c = config_.feature_bound;
  return c > 0 ? (network(x) / c).tanh() * c : network(x);
}

Tensor SpectralActorCritic::successor_features(const Tensor& states, const Tensor& noise) const {
  if (!noise.defined()) return features(mu_, states);
  // DEVIATION-D7: φ and μ factor the law of s' + σz. Where s' is a function of (s,a), all functions
  // of s' have singular value 1 and none of them leads; noise ranks them, the smooth ones first.
  const Tensor z = at::cat(noise.split(states_, 1));  // (rows of states, S)
  return features(mu_, states, config_.successor_noise * z);
}

Tensor SpectralActorCritic::slow_features(const Tensor& pairs) const {
  const at::NoGradGuard no_grad;
  return features(phi_ema_, pairs);
}

Tensor SpectralActorCritic::state_features(const Tensor& states) const {
  const at::NoGradGuard no_grad;
  return features(mu_, states);
}

Tensor SpectralActorCritic::value(const Tensor& pairs) const {
  const at::NoGradGuard no_grad;
  const Tensor input = head_input(pairs, features(phi_ema_, pairs));
  return q_values(critic_, input).mean(0) + known_part(pairs);
}

void SpectralActorCritic::learn_features(const Minibatch& batch, Diagnostics& out) {
  if (config_.features == "random" || config_.features == "raw") return;  // the controls
  if (config_.feature_decay > 0) {
    const auto update = static_cast<double>(*updates_.data_ptr<std::int64_t>() + 1);
    feature_adam_.set_learning_rate(config_.feature_lr *
                                    std::min(1.0, config_.feature_decay / update));
  }
  const Tensor phi = features(phi_, batch.pair);  // (B, d)
  // DEVIATION-D10: an n-step return ends in E[V(s_{t+n}) | s,a], which lies in the span of the factors of the
  // n-step kernel of the stored actions; those of P see one step.
  const Tensor& successor = config_.far_successors ? batch.far.state : batch.next_state;
  SpectralBatch b{.phi = phi, .mu_next = {}, .mu_base = {}};
  if (config_.in_batch) {
    b.mu_next = successor_features(successor, batch.state_noise);
  } else {
    const auto mu =
        successor_features(at::cat({successor, batch.base_state}), batch.state_noise).chunk(2);
    b.mu_next = mu[0];
    b.mu_base = mu[1];
  }
  if (objective_ == Objective::kLiteral) {
    b.p_next = gaussian_density(successor);
    b.p_base = gaussian_density(batch.base_state);
  }
  const SpectralTerms terms =
      spectral_loss(objective_, b, {config_.ortho_weight, config_.prob_weight});
  Tensor loss = terms.loss;
  out.push_back({"feature_loss", terms.loss.detach()});
  out.push_back({"feature_paired", terms.paired.detach()});
  if (config_.reward_weight > 0) {  // DEVIATION-D3: off by default, as printed
    // ½ E (⟨φ, θ_r⟩ − r)²: rewards are linear in φ, as the theory has them
    const Tensor error = reward_head_(phi).squeeze(-1) - batch.reward;
    const Tensor reward_loss = 0.5 * error.square().mean();
    loss = loss + config_.reward_weight * reward_loss;
    out.push_back({"reward_loss", reward_loss.detach()});
  }
  feature_adam_.step(loss);
  if (terms.ortho.defined()) out.push_back({"gram_error", terms.ortho.detach()});
  last_.phi = phi.detach();
  last_.mu = (b.mu_base.defined() ? b.mu_base : b.mu_next).detach();
  last_.mu_next = b.mu_next.detach();
}

void SpectralActorCritic::learn_reward(const Minibatch& batch, Diagnostics& out) {
  if (!config_.reward_model) return;
  // ½ E (r̂(s,a) − r)²
  const Tensor loss = 0.5 * (known_part(batch.pair) - batch.reward).square().mean();
  reward_adam_.step(loss);
  out.push_back({"reward_error", loss.detach()});
}

Tensor SpectralActorCritic::action_share(const Tensor& slow) const {
  const Tensor s = last_.pair.narrow(1, 0, states_);
  const Tensor a = last_.pair.narrow(1, states_, last_.pair.size(1) - states_);
  const Tensor other = features(phi_ema_, at::cat({s, a.roll(1, 0)}, 1));
  return (slow - other).square().sum(-1).mean() / (2 * slow.var(0).sum());
}

Diagnostics SpectralActorCritic::inspect() const {
  if (!last_.y.defined()) return {};
  const at::NoGradGuard no_grad;
  Diagnostics out;
  if (last_.phi.defined()) {
    const Tensor second = at::mm(last_.phi.t(), last_.phi);  // (d, d)  B · E φφᵀ
    const Tensor squares = last_.phi.square().sum();
    const Tensor slow = features(phi_ema_, last_.pair);
    out = {{"phi_norm", last_.phi.square().sum(-1).mean()},
           {"mu_norm", last_.mu.square().sum(-1).mean()},
           {"mass", at::mv(last_.phi, last_.mu.mean(0)).mean()},
           {"phi_rank", squares.square() / second.square().sum()},
           {"phi_lag", (last_.phi - slow).square().sum() / squares},
           {"phi_action", action_share(slow)},
           {"phi_drift", drift_}};
    const SpectralModes modes = spectral_modes(last_.phi, last_.mu_next);
    for (Index k = 1; k <= modes.learned.size(0); k *= 4) {  // 1, 4, 16, 64, 256
      out.push_back({fmt::format("sigma_{}", k), modes.learned[k - 1]});
      out.push_back({fmt::format("sigma_{}_seen", k), modes.seen[k - 1]});
    }
  }
  const Tensor from_reward = last_.known.abs().mean();
  const Tensor from_head = (last_.q - last_.known).abs().mean();
  out.push_back({"bellman", (last_.q - last_.y).square().mean() / last_.y.var()});
  out.push_back({"reward_share", from_reward / (from_reward + from_head)});
  const Tensor scaled = scale_(last_.pair).narrow(1, 0, states_);
  out.push_back({"unit_rms", scaled.square().mean().sqrt()});
  return out;
}

void SpectralActorCritic::refresh_bonus(const RingBuffer& buffer, Rng& rng) {
  const std::int64_t update = (*updates_.data_ptr<std::int64_t>())++;
  if (!bonus_.active() || update % config_.bonus_refresh != 0) return;
  const at::NoGradGuard no_grad;
  const Index rows = std::max<Index>(config_.batch, kBonusRowsPerFeature * config_.feature_dim);
  const Minibatch sample = draw_minibatch(buffer, {.size = rows}, device_, rng);
  bonus_.refresh(features(phi_ema_, sample.pair), buffer.size());
}

Tensor SpectralActorCritic::head_input(const Tensor& pair, const Tensor& phi) const {
  if (!heads_on_phi()) return units(pair);
  // DEVIATION-D2: φ's scale is arbitrary (about 1/√d per entry under the constraint), so the head
  // sees it normalised; feature_norm = false gives the paper's plain φ. Its hidden layer is normalised
  // too: a plain one on features that no TD error can move ran away (docs/evidence.md).
  // DEVIATION-D9: the paper has E φφᵀ = I/d by a penalty; feature_whiten has it by construction.
  const Tensor white = whiten_(phi);
  const Tensor seen = config_.feature_norm ? at::layer_norm(white, {config_.feature_dim}) : white;
  if (!config_.head_raw) return seen;
  // DEVIATION-D11: (s,a) beside φ̄, which resolves s and a no better than the spectral loss asks it to.
  // d entries of φ and S + A of the pair: the same squared length, so that neither drowns the other.
  const Tensor raw = units(pair);
  const double weight = std::sqrt(config_.feature_dim / static_cast<double>(raw.size(1)));
  return at::cat({seen, weight * raw}, 1);
}

Tensor SpectralActorCritic::known_part(const Tensor& pair) const {
  // Q = r + γ ⟨φ, w⟩ [eq:linear_q]. DEVIATION-D6: φ learns P alone, and where the dynamics are
  // deterministic it is a function of s'; a cost of the action, as in most tasks, is not.
  if (!config_.reward_model) return at::zeros({}, pair.options());
  return reward_(units(pair)).squeeze(-1);
}

Tensor SpectralActorCritic::q_values(const Mlp& critic, const Tensor& input) const {
  return critic(input).squeeze(-1);
}

void SpectralActorCritic::learn_critic(const Minibatch& batch, Diagnostics& out) {
  Tensor input, known, y;
  {
    const at::NoGradGuard no_grad;
    const PolicySample next = policy_.sample(batch.far.state, batch.next_noise);
    const Tensor next_pair = policy_pairs(batch.far.state, next);
    const Tensor pairs = at::cat({batch.pair, next_pair});
    const Tensor phi = features(phi_ema_, pairs);  // (2B, d): both in one pass
    whiten_.see(now_and_next(phi, batch)[0]);
    const auto inputs = now_and_next(head_input(pairs, phi), batch);
    input = inputs[0];
    known = known_part(batch.pair);
    const Tensor reward = config_.bonus > 0 ? batch.far.reward + bonus_(now_and_next(phi, batch)[0])
                                            : batch.far.reward;
    // y = r + b + γ (1 − terminated)(min_e Q̄_e(s',a') − α log π(a'|s'))
    const Tensor next_q =
        twin_values(q_values(critic_target_, inputs[1]), config_.twin) + known_part(next_pair);
    const Tensor value = policy_mean(next, soft_value(next_q, next.log_prob, policy_.alpha()));
    y = far_target(batch, reward, value, config_.discount);
  }
  const Tensor q = q_values(critic_, input) + known;  // (2, B)
  const Tensor loss = critic_loss(q, y);
  critic_adam_.step(loss);
  last_.pair = batch.pair;
  last_.q = q.detach();
  last_.y = y;
  last_.known = known;
  out.push_back({"critic_loss", loss.detach()});
  out.push_back({"q", q.detach().mean()});
}

void SpectralActorCritic::learn_exploration(const Minibatch& batch, Diagnostics& out) {
  if (config_.scaled_bonus <= 0) return;
  Tensor input, y;
  {
    const at::NoGradGuard no_grad;
    const PolicySample next = policy_.sample(batch.next_state, batch.next_noise);
    const Tensor pairs = at::cat({batch.pair, policy_pairs(batch.next_state, next)});
    const Tensor phi = features(phi_ema_, pairs);
    const auto inputs = now_and_next(head_input(pairs, phi), batch);
    input = inputs[0];
    // b = β √(N₀/N) (u/ū − 1)
    const double scale =
        config_.scaled_bonus *
        std::sqrt(config_.scaled_bonus_steps / static_cast<double>(std::max<Index>(stored_, 1)));
    const Tensor b = scale * bonus_.relative(now_and_next(phi, batch)[0]);
    const Tensor value = policy_mean(next, q_values(explorer_target_, inputs[1]).mean(0));
    y = td_target(b, batch.terminated, value, config_.discount);
    out.push_back({"scaled_bonus", b.abs().mean()});
  }
  const Tensor loss = critic_loss(q_values(explorer_, input), y);
  explorer_adam_.step(loss);
  out.push_back({"explorer_loss", loss.detach()});
}

void SpectralActorCritic::improve_policy(const Minibatch& batch, Diagnostics& out) {
  const PolicySample now = policy_.sample(batch.state, batch.noise);
  const Tensor pair = policy_pairs(batch.state, now);
  const Tensor input = head_input(pair, features(phi_ema_, pair));
  Tensor q = twin_values(q_values(critic_, input), config_.twin) + known_part(pair);
  if (config_.scaled_bonus > 0) q = q + q_values(explorer_, input).mean(0);
  policy_.improve(now, q, out);
}

void SpectralActorCritic::follow() {
  polyak(phi_ema_, phi_, config_.feature_tau);
  polyak(critic_target_, critic_, config_.tau);
  if (config_.scaled_bonus > 0) polyak(explorer_target_, explorer_, config_.tau);
  if (*updates_.data_ptr<std::int64_t>() % kDriftUpdates == 0) measure_drift();
}

void SpectralActorCritic::measure_drift() {
  const at::NoGradGuard no_grad;
  const Tensor now = features(phi_ema_, last_.pair);
  const Tensor before = features(phi_mark_, last_.pair);
  drift_.copy_((now - before).square().sum() / now.square().sum());
  polyak(phi_mark_, phi_ema_, 1);
}

std::vector<NamedTensor> SpectralActorCritic::tensors() {
  std::vector<NamedTensor> out;
  scale_.name_tensors("input_scale", out);
  phi_.name_tensors("phi", out);
  mu_.name_tensors("mu", out);
  reward_head_.name_tensors("reward_head", out);
  feature_adam_.name_tensors("feature_adam", out);
  phi_ema_.name_tensors("phi_ema", out);
  reward_.name_tensors("reward", out);
  reward_adam_.name_tensors("reward_adam", out);
  critic_.name_tensors("critic", out);
  critic_adam_.name_tensors("critic_adam", out);
  critic_target_.name_tensors("critic_target", out);
  if (config_.scaled_bonus > 0) {
    explorer_.name_tensors("explorer", out);
    explorer_adam_.name_tensors("explorer_adam", out);
    explorer_target_.name_tensors("explorer_target", out);
  }
  policy_.name_tensors(out);
  bonus_.name_tensors("bonus_factor", out);
  whiten_.name_tensors("whitening", out);
  phi_mark_.name_tensors("phi_mark", out);
  out.push_back({"phi_drift", drift_});
  out.push_back({"updates", updates_});
  return out;
}

}  // namespace speder::deep
