#include "speder/deep/learn/agents/dreamer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace speder::deep {
namespace {

constexpr double kShrink = 1e-6;     // of every weight per step
constexpr int kSlowCritic = 100;     // updates between copies
constexpr double kLeastWidth = 0.1;  // of the actor
constexpr double kEdge = 1e-5;       // keeps the inverse distribution function finite
constexpr double kAdamEpsilon = 1e-5;
constexpr double kGradientClip = 100;
constexpr std::int64_t kObserved = 5, kForeseen = 10;  // steps of an inspection

Tensor uniforms(std::vector<std::int64_t> size, Device device, Rng& rng) {
  const Tensor host = at::empty(size, at::kFloat);
  for (std::int64_t i = 0; i < host.numel(); ++i)
    host.data_ptr<float>()[i] = static_cast<float>(rng.uniform());
  return host.to(device);
}

WorldModelShape model_shape(const AgentConfig& c, const EnvSpec& spec) {
  return {.states = spec.observation_size,
          .actions = spec.action_size,
          .groups = c.latent_groups,
          .classes = c.latent_classes,
          .recurrent = c.recurrent,
          .hidden = c.dreamer_hidden,
          .ends = spec.name.ends_with("-ET")};
}

AdamOptions adam_options(double learning_rate) {
  return {
      .learning_rate = learning_rate, .epsilon = kAdamEpsilon, .decay = 0, .clip = kGradientClip};
}

Mlp head(int input, const AgentConfig& c, int output, Device device, const SeedTree& seeds,
         std::string_view name) {
  return make_mlp({.input = input,
                   .hidden = c.dreamer_hidden,
                   .output = output,
                   .copies = 1,
                   .activation = Activation::kElu},
                  device, seeds, name);
}

Tensor normal_cdf(const Tensor& x) { return 0.5 * (1 + at::erf(x * std::numbers::sqrt2 / 2)); }
Tensor normal_density(const Tensor& x) {
  return (x.square() * -0.5).exp() / std::sqrt(2 * std::numbers::pi);
}

}  // namespace

Tensor lambda_return(const Tensor& reward, const Tensor& discount, const Tensor& value,
                     double lambda) {
  const std::int64_t length = reward.size(0);
  std::vector<Tensor> out(static_cast<std::size_t>(length));
  Tensor next = value[length];
  for (std::int64_t t = length; t-- > 0;) {
    next = reward[t] + discount[t] * ((1 - lambda) * value[t + 1] + lambda * next);
    out[static_cast<std::size_t>(t)] = next;
  }
  return at::stack(out);
}

CutNormal::CutNormal(const Tensor& output) {
  const auto halves = output.chunk(2, -1);
  mean = halves[0].tanh();
  std = 2 * (halves[1] / 2).sigmoid() + kLeastWidth;
}

Tensor CutNormal::sample(const Tensor& u) const {
  const Tensor low = normal_cdf((-1 - mean) / std), high = normal_cdf((1 - mean) / std);
  const Tensor p = (low + u * (high - low)).clamp(kEdge, 1 - kEdge);
  const Tensor x = mean + std * std::numbers::sqrt2 * at::erfinv(2 * p - 1);
  return x.clamp(-1, 1);  // rounding alone can leave the box
}

Tensor CutNormal::entropy() const {
  const Tensor alpha = (-1 - mean) / std, beta = (1 - mean) / std;
  const Tensor mass = normal_cdf(beta) - normal_cdf(alpha);  // Z
  const Tensor tails = alpha * normal_density(alpha) - beta * normal_density(beta);
  const double constant = 0.5 * std::log(2 * std::numbers::pi * std::numbers::e);
  return (constant + (std * mass).log() + tails / (2 * mass)).sum(-1);
}

Imagined imagine_steps(const Dream& dream, const WorldModel::Latent& from, const Tensor& u,
                       const Tensor& action_u) {
  WorldModel::Latent now = from;
  std::vector<Tensor> features = {now.features()}, entropy;
  for (std::int64_t t = 0; t < u.size(0); ++t) {
    const CutNormal policy(dream.actor(features.back().detach()));
    now = dream.step(now, policy.sample(action_u[t]), u[t]);
    features.push_back(now.features());
    entropy.push_back(policy.entropy());
  }
  Imagined out;
  out.features = at::stack(features);
  out.entropy = at::stack(entropy);
  const Tensor flat = out.features.flatten(0, 1);
  const auto shaped = [&](const Tensor& t) { return t.view({u.size(0) + 1, u.size(1)}); };
  out.reward = shaped(dream.reward(flat));
  out.discount = dream.goes_on ? dream.discount * shaped(dream.goes_on(flat)).sigmoid()
                               : at::full_like(out.reward, dream.discount).detach();
  return out;
}

Tensor imagined_weights(const Tensor& discount) {
  const at::NoGradGuard no_grad;
  const std::int64_t length = discount.size(0) - 1;
  return at::cat({at::ones_like(discount.narrow(0, 0, 1)), discount.narrow(0, 0, length - 1)})
      .cumprod(0);
}

Tensor imagined_actor_loss(const Tensor& returns, const Tensor& entropy, const Tensor& weights,
                           double entropy_weight) {
  const std::int64_t n = returns.size(0) - 1;
  const Tensor objective = returns.narrow(0, 1, n) + entropy_weight * entropy.narrow(0, 0, n);
  return -(weights.narrow(0, 0, n) * objective).mean();
}

Tensor imagined_critic_loss(const Tensor& value, const Tensor& returns, const Tensor& weights) {
  return (weights * 0.5 * (value - returns.detach()).square()).mean();
}

Dreamer::Dreamer(const AgentConfig& config, const EnvSpec& spec, Device device,
                 const SeedTree& seeds)
    : config_(config),
      device_(device),
      actions_(spec.action_size),
      inspection_(seeds.child("inspect")),
      scale_(spec.observation_size, spec.action_size, device),
      model_(model_shape(config, spec), device, seeds),
      actor_(head(model_.features(), config, 2 * spec.action_size, device, seeds, "actor")),
      critic_(head(model_.features(), config, 1, device, seeds, "critic")),
      model_adam_(model_.parameters(), adam_options(config.model_lr)),
      actor_adam_(actor_.parameters(), adam_options(config.actor_lr)),
      critic_adam_(critic_.parameters(), adam_options(config.critic_lr)),
      slow_critic_(critic_.frozen_copy()),
      updates_(at::zeros({}, at::kLong)) {}

void Dreamer::step(Adam& adam, const Tensor& loss) {
  adam.step(loss);
  const at::NoGradGuard no_grad;
  at::_foreach_mul_(adam.parameters(), 1 - kShrink);
}

Diagnostics Dreamer::update(const RingBuffer& buffer, Rng& rng) {
  scale_.measure(buffer);
  const int times = *updates_.data_ptr<std::int64_t>() == 0 ? config_.pretrain : 1;
  for (int i = 1; i < times; ++i) static_cast<void>(update_once(buffer, rng));
  return update_once(buffer, rng);
}

Diagnostics Dreamer::update_once(const RingBuffer& buffer, Rng& rng) {
  const std::int64_t update = (*updates_.data_ptr<std::int64_t>())++;
  if (update % kSlowCritic == 0) polyak(slow_critic_, critic_, 1);
  const SequenceBatch batch = last_ =
      draw_sequences(buffer, config_.sequences, config_.sequence_length, device_, rng);
  const std::int64_t length = batch.state.size(0);
  const std::int64_t rows = length * config_.sequences;
  const std::int64_t starts = std::min<std::int64_t>(config_.imagine_starts, rows);
  const std::int64_t horizon = config_.imagine_horizon;
  const std::int64_t groups = config_.latent_groups;
  // all that chance decides, one copy: posteriors, imagined latents, actions
  const std::int64_t observed = rows * groups, imagined = horizon * starts * groups;
  const Tensor u = uniforms({observed + imagined + horizon * starts * actions_}, device_, rng);

  const WorldModel::Loss loss =
      model_.loss(scale_(batch.state.flatten(0, 1)).view(batch.state.sizes()), batch,
                  u.narrow(0, 0, observed).view({length, config_.sequences, groups}));
  step(model_adam_, loss.total);

  // every k-th posterior: times and sequences in turn
  const std::int64_t every = rows / starts;
  const auto some = [&](const Tensor& t) {
    return t.narrow(0, 0, starts * every).view({starts, every, -1}).select(1, update % every);
  };
  const Imagined seen =
      imagine_steps(dream(), {.h = some(loss.posteriors.h), .z = some(loss.posteriors.z)},
                    u.narrow(0, observed, imagined).view({horizon, starts, groups}),
                    u.narrow(0, observed + imagined, horizon * starts * actions_)
                        .view({horizon, starts, actions_}));
  const Tensor slow = slow_critic_(seen.features.flatten(0, 1)).view({horizon + 1, starts});
  const Tensor returns =
      lambda_return(seen.reward.narrow(0, 0, horizon), seen.discount.narrow(0, 0, horizon), slow,
                    config_.gae_lambda);
  const Tensor weights = imagined_weights(seen.discount.detach());
  const Tensor actor_loss =
      imagined_actor_loss(returns, seen.entropy, weights, config_.actor_entropy);
  step(actor_adam_, actor_loss);
  const Tensor value =
      critic_(seen.features.detach().narrow(0, 0, horizon).flatten(0, 1)).view({horizon, starts});
  const Tensor critic_loss = imagined_critic_loss(value, returns, weights);
  step(critic_adam_, critic_loss);
  return {
      {"model_loss", loss.total.detach()},       {"state_loss", loss.state.detach()},
      {"reward_error", loss.reward.detach()},    {"kl", loss.kl.detach()},
      {"actor_loss", actor_loss.detach()},       {"critic_loss", critic_loss.detach()},
      {"entropy", seen.entropy.detach().mean()}, {"imagined_return", returns.detach()[0].mean()}};
}

Diagnostics Dreamer::inspect() const {
  constexpr std::int64_t kLength = kObserved + kForeseen;
  if (!last_.state.defined() || last_.state.size(0) < kLength) return {};
  const at::NoGradGuard no_grad;
  const Tensor raw = last_.state.narrow(0, 0, kLength);
  const Tensor x = scale_(raw.flatten(0, 1)).view(raw.sizes());
  Rng rng =
      inspection_.stream("latents", static_cast<std::uint64_t>(*updates_.data_ptr<std::int64_t>()));
  const Tensor u = uniforms({kLength, x.size(1), config_.latent_groups}, device_, rng);
  const Tensor foreseen = model_.foresee(x, last_, u, kObserved)[kForeseen - 1];
  const Tensor unbroken = 1 - last_.first.narrow(0, 1, kLength - 1).amax(0);  // (B)
  const auto error = [&](const Tensor& guess) {
    return ((guess - x[kLength - 1]).square().sum(-1) * unbroken).sum();
  };
  const Tensor still = error(x[kObserved - 1]);
  if (!(still.item<double>() > 0)) return {};
  return {{"open_loop", error(foreseen) / still}};
}

Dream Dreamer::dream() const {
  Dream out{.step = [this](const WorldModel::Latent& now, const Tensor& action,
                           const Tensor& u) { return model_.imagine(now, action, u); },
            .actor = actor_,
            .reward = [this](const Tensor& features) { return model_.reward(features); },
            .goes_on = {},
            .discount = config_.discount};
  if (model_.shape().ends) {
    out.goes_on = [this](const Tensor& features) { return model_.goes_on(features); };
  }
  return out;
}

Dreamer::Memory Dreamer::remember_nothing(int n) const {
  const auto kind = at::TensorOptions(at::kFloat).device(device_);
  return {.latent = model_.start(n),
          .action = at::zeros({n, actions_}, kind),
          .first = at::ones({n}, kind)};
}

Tensor Dreamer::act(const Tensor& observations, Memory& memory, Rng& rng, bool explore) const {
  const at::NoGradGuard no_grad;
  const std::int64_t n = observations.size(0), s = observations.size(1);
  const std::int64_t groups = config_.latent_groups;
  const Tensor u = uniforms({n, groups + actions_}, at::kCPU, rng);
  const Tensor in = at::cat({observations, u}, 1).to(device_);  // one copy
  const Tensor code = model_.encode(scale_(in.narrow(1, 0, s)));
  memory.latent =
      model_.observe(memory.latent, memory.action, memory.first, code, in.narrow(1, s, groups));
  memory.first = at::zeros_like(memory.first);
  const CutNormal policy(actor_(memory.latent.features()));
  memory.action = explore ? policy.sample(in.narrow(1, s + groups, actions_)) : policy.mean;
  return memory.action.to(at::kCPU);
}

std::vector<NamedTensor> Dreamer::tensors() {
  std::vector<NamedTensor> out;
  scale_.name_tensors("input_scale", out);
  model_.name_tensors("model", out);
  actor_.name_tensors("actor", out);
  critic_.name_tensors("critic", out);
  slow_critic_.name_tensors("slow_critic", out);
  model_adam_.name_tensors("model_adam", out);
  actor_adam_.name_tensors("actor_adam", out);
  critic_adam_.name_tensors("critic_adam", out);
  out.push_back({"updates", updates_});
  return out;
}

}  // namespace speder::deep
