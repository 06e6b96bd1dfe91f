#include "speder/deep/learn/agents/spede.hpp"

#include <cmath>
#include <numbers>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

constexpr int kTwins = 2;
constexpr double kFeatureScale = 10;  // of the normalised φ, as the authors' later code has it
constexpr Index kRowsPerFeature = 4;  // rows per column of Σ when it is estimated

std::vector<Tensor> linear_heads(int features, Device device, const SeedTree& seeds) {
  Rng rng = seeds.stream("critic");
  Tensor w = at::empty({kTwins, features, 1}, at::kFloat);
  const double bound = 1 / (kFeatureScale * std::sqrt(features));
  for (std::int64_t i = 0; i < w.numel(); ++i)
    w.data_ptr<float>()[i] = static_cast<float>(rng.uniform(-bound, bound));
  return {w.to(device).set_requires_grad(true),
          at::zeros({kTwins, 1, 1}, at::TensorOptions(at::kFloat).device(device))
              .set_requires_grad(true)};
}

std::vector<Tensor> copies(const std::vector<Tensor>& of) {
  std::vector<Tensor> out;
  for (const Tensor& t : of) out.push_back(t.detach().clone());
  return out;
}

MlpShape psi_shape(const AgentConfig& config, const EnvSpec& spec) {
  std::vector<int> hidden = config.feature_hidden;
  const int k = hidden.back();
  hidden.pop_back();
  return {.input = spec.observation_size + spec.action_size, .hidden = hidden, .output = k};
}

}  // namespace

FourierFeatures draw_fourier(int sets, int states, int features, double sigma, Device device,
                             Rng& rng) {
  require(sigma > 0, "the noise of the model must be positive", sigma);
  const Tensor frequency = at::empty({sets, states, features}, at::kFloat);
  const Tensor phase = at::empty({sets, 1, features}, at::kFloat);
  for (std::int64_t i = 0; i < frequency.numel(); ++i)
    frequency.data_ptr<float>()[i] = static_cast<float>(rng.normal() / sigma);
  for (std::int64_t i = 0; i < phase.numel(); ++i)
    phase.data_ptr<float>()[i] = static_cast<float>(rng.uniform(0, 2 * std::numbers::pi));
  return {frequency.to(device), phase.to(device)};
}

Tensor FourierFeatures::operator()(const Tensor& x) const {
  const Tensor rows = x.unsqueeze(0).expand({frequency.size(0), x.size(0), x.size(1)});
  const Tensor angle = at::baddbmm(phase, rows, frequency);
  return std::sqrt(2.0 / static_cast<double>(phase.size(2))) * angle.cos();
}

Tensor precision_factor(const Tensor& psi, std::int64_t stored, double ridge) {
  const Tensor x = psi.to(at::kDouble);
  Tensor sigma = at::mm(x.t(), x) * (static_cast<double>(stored) / static_cast<double>(x.size(0)));
  sigma.diagonal().add_(ridge);
  return std::get<0>(at::linalg_cholesky_ex(sigma));  // unchecked: λ > 0 keeps it definite
}

Tensor posterior_deviation(const Tensor& noise, const Tensor& sigma_factor, double sigma) {
  const Tensor z = noise.to(sigma_factor.scalar_type());
  // Z L⁻¹ = X with X L = Z
  return sigma * at::linalg_solve_triangular(sigma_factor, z, /*upper=*/false, /*left=*/false);
}

Spede::Spede(const AgentConfig& config, const EnvSpec& spec, Device device, const SeedTree& seeds)
    : config_(config),
      device_(device),
      states_(spec.observation_size),
      scale_(spec.observation_size, spec.action_size, device),
      fourier_([&] {
        Rng rng = seeds.stream("fourier");
        return draw_fourier(kTwins, spec.observation_size, config.feature_dim, config.model_noise,
                            device, rng);
      }()),
      psi_(make_mlp(psi_shape(config, spec), device, seeds, "psi")),
      last_(make_mlp(
          {.input = config.feature_hidden.back(), .hidden = {}, .output = spec.observation_size},
          device, seeds, "last")),
      model_adam_(joined({&psi_, &last_}), config.feature_lr),
      psi_ema_(psi_.frozen_copy()),
      last_ema_(last_.frozen_copy()),
      deviation_(at::zeros({spec.observation_size, config.feature_hidden.back()},
                           at::TensorOptions(at::kFloat).device(device))),
      bonus_({.scale = config.explore == "ucb" ? config.bonus : 0, .ridge = config.bonus_ridge},
             config.feature_dim, device),
      reward_(make_mlp({.input = spec.observation_size + spec.action_size,
                        .hidden = {config.critic_width},
                        .output = 1},
                       device, seeds, "reward")),
      reward_adam_(reward_.parameters(), config.critic_lr),
      critic_(linear_heads(config.feature_dim, device, seeds)),
      critic_adam_(critic_, config.critic_lr),
      critic_target_(copies(critic_)),
      policy_(config, spec, device, seeds),
      updates_(at::zeros({}, at::kLong)) {}

Diagnostics Spede::update(const RingBuffer& buffer, Rng& rng) {
  scale_.measure(buffer);
  policy_.measure(buffer);
  const Minibatch batch = draw_minibatch(buffer, {.size = config_.batch}, device_, rng);
  Diagnostics out;
  learn_model(batch, out);
  learn_reward(batch, out);
  draw_model(buffer, rng);
  learn_critic(batch, out);
  improve_policy(batch, out);
  follow();
  return out;
}

Tensor Spede::psi(const Mlp& network, const Tensor& scaled) const {
  return at::relu(network(scaled));
}

void Spede::learn_model(const Minibatch& batch, Diagnostics& out) {
  // mean ‖s + Wψ(s,a) − s'‖² / 2σ²
  const Tensor f = scale_(batch.state) + last_(psi(psi_, scale_(batch.pair)));
  const Tensor error = (f - scale_(batch.next_state)).square().sum(-1).mean();
  const Tensor loss = error / (2 * config_.model_noise * config_.model_noise);
  model_adam_.step(loss);
  out.push_back({"model_loss", loss.detach()});
}

Tensor Spede::reward(const Tensor& pair) const { return reward_(scale_(pair)).squeeze(-1); }

void Spede::learn_reward(const Minibatch& batch, Diagnostics& out) {
  const Tensor loss = 0.5 * (reward(batch.pair) - batch.reward).square().mean();
  reward_adam_.step(loss);
  out.push_back({"reward_error", loss.detach()});
}

void Spede::draw_model(const RingBuffer& buffer, Rng& rng) {
  const std::int64_t update = (*updates_.data_ptr<std::int64_t>())++;
  if (config_.explore == "none" || update % config_.bonus_refresh != 0) return;
  const at::NoGradGuard no_grad;
  const Index columns = bonus_.active() ? config_.feature_dim : deviation_.size(1);
  const Index rows = std::max<Index>(config_.batch, kRowsPerFeature * columns);
  const Minibatch sample = draw_minibatch(buffer, {.size = rows}, device_, rng);
  if (bonus_.active()) {
    bonus_.refresh(fourier(sample.pair)[0], buffer.size());
    return;
  }
  const Tensor L =
      precision_factor(psi(psi_ema_, scale_(sample.pair)), buffer.size(), config_.bonus_ridge);
  const Tensor z = at::empty(deviation_.sizes(), at::kFloat);
  for (std::int64_t i = 0; i < z.numel(); ++i)
    z.data_ptr<float>()[i] = static_cast<float>(rng.normal());
  deviation_.copy_(posterior_deviation(z.to(device_), L, config_.model_noise));
}

Tensor Spede::fourier(const Tensor& pair) const {
  const Tensor hidden = psi(psi_ema_, scale_(pair));
  // f̃ = s + W̃ψ, W̃ the slow W and its drawn deviation
  const Tensor f =
      scale_(pair.narrow(1, 0, states_)) + last_ema_(hidden) + hidden.mm(deviation_.t());
  return fourier_(f);
}

Tensor Spede::features(const Tensor& phi) const {
  return kFeatureScale * at::layer_norm(phi, {config_.feature_dim});
}

Tensor Spede::q_values(const std::vector<Tensor>& head, const Tensor& phi) const {
  return at::baddbmm(head[1], phi, head[0]).squeeze(-1);
}

void Spede::learn_critic(const Minibatch& batch, Diagnostics& out) {
  Tensor phi, known, y;
  {
    const at::NoGradGuard no_grad;
    const PolicySample next = policy_.sample(batch.next_state, batch.next_noise);
    const Tensor next_pair = at::cat({batch.next_state, next.action}, 1);
    const auto both = fourier(at::cat({batch.pair, next_pair})).chunk(2, 1);
    phi = features(both[0]);
    known = reward(batch.pair);
    const Tensor next_q = q_values(critic_target_, features(both[1])) + reward(next_pair);
    // r + b: the bonus is earned, the reward model does not learn it
    const Tensor earned = bonus_.active() ? batch.reward + bonus_(both[0][0]) : batch.reward;
    y = td_target(earned, batch.terminated, soft_value(next_q, next.log_prob, policy_.alpha()),
                  config_.discount);
  }
  const Tensor q = q_values(critic_, phi) + known;  // (2, B)
  const Tensor loss = critic_loss(q, y);
  critic_adam_.step(loss);
  out.push_back({"critic_loss", loss.detach()});
  out.push_back({"q", q.detach().mean()});
}

void Spede::improve_policy(const Minibatch& batch, Diagnostics& out) {
  const PolicySample now = policy_.sample(batch.state, batch.noise);
  const Tensor pair = at::cat({batch.state, now.action}, 1);
  policy_.improve(now, q_values(critic_, features(fourier(pair))) + reward(pair), out);
}

void Spede::follow() {
  const at::NoGradGuard no_grad;
  polyak(psi_ema_, psi_, config_.feature_tau);
  polyak(last_ema_, last_, config_.feature_tau);
  at::_foreach_lerp_(critic_target_, critic_, config_.tau);
}

std::vector<NamedTensor> Spede::tensors() {
  std::vector<NamedTensor> out;
  scale_.name_tensors("input_scale", out);
  out.push_back({"fourier.frequency", fourier_.frequency});
  out.push_back({"fourier.phase", fourier_.phase});
  psi_.name_tensors("psi", out);
  last_.name_tensors("last", out);
  model_adam_.name_tensors("model_adam", out);
  psi_ema_.name_tensors("psi_ema", out);
  last_ema_.name_tensors("last_ema", out);
  out.push_back({"deviation", deviation_});
  bonus_.name_tensors("bonus", out);
  reward_.name_tensors("reward", out);
  reward_adam_.name_tensors("reward_adam", out);
  for (std::size_t i = 0; i < critic_.size(); ++i) {
    out.push_back({"critic." + std::to_string(i), critic_[i]});
    out.push_back({"critic_target." + std::to_string(i), critic_target_[i]});
  }
  critic_adam_.name_tensors("critic_adam", out);
  policy_.name_tensors(out);
  out.push_back({"updates", updates_});
  return out;
}

}  // namespace speder::deep
