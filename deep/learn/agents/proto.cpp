#include "speder/deep/learn/agents/proto.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace speder::deep {
namespace {

constexpr double kTemperature = 0.1;
constexpr int kRounds = 3;
constexpr int kNeighbour = 3;
constexpr int kQueuePerPrototype = 4;
constexpr double kSlowEncoder = 0.05;    // τ of the encoder's slow copy
constexpr double kNoveltyWeight = 0.2;   // of the intrinsic reward beside the task's
constexpr int kTrunk = 50;               // what actor and critic see of the code
constexpr int kEvery = 2;                // updates between those of prototypes, actor and targets
constexpr Index kVisited = 1000;         // stored states whose entropy is estimated
constexpr double kTinyDistance = 1e-12;  // of states met twice
constexpr double kTinyMass = 1e-12;      // keeps the assignment of an unused prototype finite

Tensor unit_rows(const Tensor& x) { return x / x.norm(2, -1, /*keepdim=*/true).clamp_min(1e-8); }

Tensor first_prototypes(int count, int size, Device device, const SeedTree& seeds) {
  Rng rng = seeds.stream("prototypes");
  const Tensor c = at::empty({count, size}, at::kFloat);
  for (std::int64_t i = 0; i < c.numel(); ++i)
    c.data_ptr<float>()[i] = static_cast<float>(rng.normal());
  return unit_rows(c).to(device).set_requires_grad(true);
}

/// Up to `most` stored states, at even distances from the oldest: (n, S) on the host.
Tensor spread_states(const RingBuffer& buffer, Index most) {
  const Index n = std::min(buffer.size(), most), size = buffer.observation_size();
  const Tensor out = at::empty({n, size}, at::kFloat);
  for (Index i = 0; i < n; ++i) {
    const auto row = buffer.row(i * buffer.size() / n).first(static_cast<std::size_t>(size));
    std::copy(row.begin(), row.end(), out.data_ptr<float>() + i * size);
  }
  return out;
}

std::vector<int> widths(const AgentConfig& c) {
  return {c.feature_hidden.back(), c.feature_hidden.back()};
}

}  // namespace

Tensor balanced_assignment(const Tensor& scores, double temperature, int rounds) {
  const at::NoGradGuard no_grad;
  const auto b = static_cast<double>(scores.size(0)), k = static_cast<double>(scores.size(1));
  Tensor q = ((scores - scores.max()) / temperature).exp();
  q = q / q.sum();
  for (int i = 0; i < rounds; ++i) {
    q = q / (q.sum(0, /*keepdim=*/true).clamp_min(kTinyMass) * k);
    q = q / (q.sum(1, /*keepdim=*/true).clamp_min(kTinyMass) * b);
  }
  return q * b;
}

Tensor assignment_loss(const Tensor& q, const Tensor& scores, double temperature) {
  return -(q.detach() * (scores / temperature).log_softmax(1)).sum(1).mean();
}

Tensor kth_distance(const Tensor& x, const Tensor& points, std::int64_t filled, int k) {
  const at::NoGradGuard no_grad;
  const Tensor distance = at::cdist(x, points.narrow(0, 0, filled));  // (B, filled)
  const auto nearest = std::min<std::int64_t>(k, filled);
  return std::get<0>(distance.topk(nearest, 1, /*largest=*/false)).select(1, nearest - 1);
}

double neighbour_entropy(const Tensor& points, int k) {
  const auto n = static_cast<double>(points.size(0)), d = static_cast<double>(points.size(1));
  // each point is its own first neighbour
  const Tensor rho = kth_distance(points, points, points.size(0), k + 1).clamp_min(kTinyDistance);
  double digamma = -std::numbers::egamma;  // ψ(k) = −γ + ∑_{j<k} 1/j
  for (int j = 1; j < k; ++j) digamma += 1.0 / j;
  const double log_ball = d / 2 * std::log(std::numbers::pi) - std::lgamma(d / 2 + 1);
  return d * rho.log().mean().item<double>() + log_ball + std::log(n - 1) - digamma;
}

Tensor draw_for_prototypes(const Tensor& scores, const Tensor& u) {
  const at::NoGradGuard no_grad;
  const Tensor p = scores.softmax(0);  // over the batch
  return p.cumsum(0).le(u).to(at::kLong).sum(0).clamp_max(scores.size(0) - 1);
}

Tensor Proto::Critic::operator()(const Tensor& code, const Tensor& action) const {
  const Tensor seen = at::layer_norm(trunk(code), {kTrunk});
  return heads(at::cat({seen, action}, 1)).squeeze(-1);
}

Proto::Critic Proto::make_critic(const AgentConfig& c, const EnvSpec& spec, Device device,
                                 const SeedTree& seeds) {
  return {.trunk = make_mlp({.input = c.feature_hidden.back(), .hidden = {}, .output = kTrunk},
                            device, seeds, "critic trunk"),
          .heads = make_mlp({.input = kTrunk + spec.action_size,
                             .hidden = {c.critic_width, c.critic_width},
                             .output = 1,
                             .copies = 2},
                            device, seeds, "critic")};
}

Proto::Proto(const AgentConfig& c, const EnvSpec& spec, Device device, const SeedTree& seeds)
    : config_(c),
      device_(device),
      target_entropy_(-spec.action_size),
      scale_(spec.observation_size, spec.action_size, device),
      encoder_(make_mlp(
          {.input = spec.observation_size, .hidden = widths(c), .output = c.feature_hidden.back()},
          device, seeds, "encoder")),
      projector_(make_mlp({.input = c.feature_hidden.back(), .hidden = {}, .output = c.projection},
                          device, seeds, "projector")),
      predictor_(make_mlp(
          {.input = c.projection, .hidden = {c.feature_hidden.back()}, .output = c.projection},
          device, seeds, "predictor")),
      prototypes_(first_prototypes(c.prototypes, c.projection, device, seeds)),
      proto_adam_(with(joined({&encoder_, &projector_, &predictor_}), prototypes_), c.feature_lr),
      slow_encoder_(encoder_.frozen_copy()),
      slow_projector_(projector_.frozen_copy()),
      queue_(at::zeros({kQueuePerPrototype * c.prototypes, c.projection},
                       at::TensorOptions(at::kFloat).device(device))),
      actor_trunk_(make_mlp({.input = c.feature_hidden.back(), .hidden = {}, .output = kTrunk},
                            device, seeds, "actor trunk")),
      actor_(make_mlp({.input = kTrunk, .hidden = c.actor_hidden, .output = 2 * spec.action_size},
                      device, seeds, "actor")),
      actor_adam_(joined({&actor_trunk_, &actor_}), c.actor_lr),
      log_alpha_(
          at::full({}, std::log(c.initial_alpha), at::TensorOptions(at::kFloat).device(device))
              .set_requires_grad(true)),
      alpha_adam_({log_alpha_}, c.alpha_lr),
      critic_(make_critic(c, spec, device, seeds)),
      fresh_critic_(make_critic(c, spec, device, seeds.child("task"))),
      critic_adam_(critic_.parameters(), c.critic_lr),
      critic_target_{critic_.trunk.frozen_copy(), critic_.heads.frozen_copy()},
      updates_(at::zeros({}, at::kLong)),
      phase_(at::zeros({}, at::kLong)),
      pushed_(at::zeros({}, at::kLong)) {}

Tensor Proto::code(const Tensor& states) const {
  const at::NoGradGuard no_grad;
  return encoder_(scale_(states));
}

PolicySample Proto::draw(const Tensor& code, const Tensor& noise) const {
  const Tensor seen = at::layer_norm(actor_trunk_(code), {kTrunk});
  return tanh_gaussian(gaussian_head(actor_(seen)), noise);
}

Tensor Proto::sample(const Tensor& states, const Tensor& noise) const {
  return draw(code(states), noise).action;
}

Tensor Proto::mean_action(const Tensor& states) const {
  const Tensor seen = at::layer_norm(actor_trunk_(code(states)), {kTrunk});
  return gaussian_head(actor_(seen)).mean.tanh();
}

/// The task begins: encoder, prototypes and actor stay; critic, temperature and optimisers begin anew.
void Proto::begin_task() {
  *phase_.data_ptr<std::int64_t>() = 1;
  for (const auto& [to, from] : {std::pair(&critic_.trunk, &fresh_critic_.trunk),
                                 std::pair(&critic_.heads, &fresh_critic_.heads),
                                 std::pair(&critic_target_.trunk, &fresh_critic_.trunk),
                                 std::pair(&critic_target_.heads, &fresh_critic_.heads)}) {
    polyak(*to, *from, 1);
  }
  const at::NoGradGuard no_grad;
  log_alpha_.fill_(std::log(config_.initial_alpha));
  critic_adam_.restart();
  actor_adam_.restart();
  alpha_adam_.restart();
}

Diagnostics Proto::update(const RingBuffer& buffer, Rng& rng) {
  scale_.measure(buffer);
  if (exploring() && buffer.added() > config_.explore_steps) begin_task();
  const bool second = (*updates_.data_ptr<std::int64_t>())++ % kEvery == 0;
  const Minibatch batch = draw_minibatch(buffer, {.size = config_.batch}, device_, rng);
  const Tensor u = at::empty({config_.prototypes}, at::kFloat);
  for (std::int64_t i = 0; i < u.numel(); ++i)
    u.data_ptr<float>()[i] = static_cast<float>(rng.uniform());
  visited_ = spread_states(buffer, kVisited);
  Diagnostics out;
  if (exploring() && second) {
    learn_prototypes(batch, out);
  } else {
    out.push_back({"prototype_loss", at::zeros({}, batch.reward.options())});
  }
  const Tensor far = novelty(batch.next_state, u.to(device_));
  out.push_back({"novelty", far.mean()});
  learn_critic(batch, exploring() ? far : batch.reward + kNoveltyWeight * far, out);
  improve_policy(batch, second, out);
  if (second) {
    polyak(critic_target_.trunk, critic_.trunk, config_.tau);
    polyak(critic_target_.heads, critic_.heads, config_.tau);
    if (exploring()) {
      polyak(slow_encoder_, encoder_, kSlowEncoder);
      polyak(slow_projector_, projector_, kSlowEncoder);
    }
  }
  return out;
}

Diagnostics Proto::inspect() const {
  if (!visited_.defined() || visited_.size(0) <= kNeighbour) return {};
  const double entropy = neighbour_entropy(scale_(visited_.to(device_)), kNeighbour);
  return {{"state_entropy", at::full({}, entropy, at::kDouble)}};
}

void Proto::learn_prototypes(const Minibatch& batch, Diagnostics& out) {
  Tensor q;
  {
    const at::NoGradGuard no_grad;
    const Tensor t = unit_rows(slow_projector_(slow_encoder_(scale_(batch.next_state))));
    q = balanced_assignment(t.mm(prototypes_.t()), kTemperature, kRounds);
  }
  const Tensor s = unit_rows(predictor_(projector_(encoder_(scale_(batch.state)))));
  const Tensor loss = assignment_loss(q, s.mm(prototypes_.t()), kTemperature);
  proto_adam_.step(loss);
  const at::NoGradGuard no_grad;
  prototypes_.copy_(unit_rows(prototypes_));
  out.push_back({"prototype_loss", loss.detach()});
}

Tensor Proto::novelty(const Tensor& states, const Tensor& u) {
  const at::NoGradGuard no_grad;
  const Tensor y = unit_rows(projector_(code(states)));  // (B, d)
  const Tensor chosen = y.index_select(0, draw_for_prototypes(y.mm(prototypes_.t()), u));
  const std::int64_t at = *pushed_.data_ptr<std::int64_t>() % queue_.size(0);
  queue_.narrow(0, at, chosen.size(0)).copy_(chosen);  // K divides the queue
  *pushed_.data_ptr<std::int64_t>() += chosen.size(0);
  const std::int64_t filled = std::min(*pushed_.data_ptr<std::int64_t>(), queue_.size(0));
  return kth_distance(y, queue_, filled, kNeighbour);
}

void Proto::learn_critic(const Minibatch& batch, const Tensor& reward, Diagnostics& out) {
  const Tensor here = code(batch.state);
  Tensor y;
  {
    const at::NoGradGuard no_grad;
    const Tensor there = code(batch.next_state);
    const PolicySample next = draw(there, batch.next_noise);
    y = td_target(
        reward, batch.terminated,
        soft_value(critic_target_(there, next.action), next.log_prob, log_alpha_.detach().exp()),
        config_.discount);
  }
  const Tensor q = critic_(here, batch.action);
  const Tensor loss = critic_loss(q, y);
  critic_adam_.step(loss);
  out.push_back({"critic_loss", loss.detach()});
  out.push_back({"q", q.detach().mean()});
}

void Proto::improve_policy(const Minibatch& batch, bool now, Diagnostics& out) {
  const Tensor zero = at::zeros({}, batch.reward.options());
  Tensor loss = zero, entropy = zero;
  if (now) {
    const Tensor here = code(batch.state);
    const PolicySample sample = draw(here, batch.noise);
    loss = actor_loss(critic_(here, sample.action), sample.log_prob, log_alpha_.detach().exp());
    actor_adam_.step(loss);
    const Tensor log_prob = sample.log_prob.detach();
    entropy = -log_prob.mean();
    const at::NoGradGuard no_grad;  // J(log α) = α c, so ∂J/∂log α = J
    alpha_adam_.apply({temperature_loss(log_alpha_, log_prob, target_entropy_)});
  }
  out.push_back({"actor_loss", loss.detach()});
  out.push_back({"entropy", entropy});
  out.push_back({"alpha", log_alpha_.detach().exp()});
}

std::vector<NamedTensor> Proto::tensors() {
  std::vector<NamedTensor> out;
  scale_.name_tensors("actor.scale", out);
  encoder_.name_tensors("actor.encoder", out);
  actor_trunk_.name_tensors("actor.trunk", out);
  actor_.name_tensors("actor.head", out);
  projector_.name_tensors("projector", out);
  predictor_.name_tensors("predictor", out);
  out.push_back({"prototypes", prototypes_});
  proto_adam_.name_tensors("prototype_adam", out);
  slow_encoder_.name_tensors("slow_encoder", out);
  slow_projector_.name_tensors("slow_projector", out);
  out.push_back({"queue", queue_});
  actor_adam_.name_tensors("actor_adam", out);
  out.push_back({"log_alpha", log_alpha_});
  alpha_adam_.name_tensors("alpha_adam", out);
  critic_.trunk.name_tensors("critic.trunk", out);
  critic_.heads.name_tensors("critic.heads", out);
  critic_adam_.name_tensors("critic_adam", out);
  critic_target_.trunk.name_tensors("critic_target.trunk", out);
  critic_target_.heads.name_tensors("critic_target.heads", out);
  out.push_back({"updates", updates_});
  out.push_back({"phase", phase_});
  out.push_back({"pushed", pushed_});
  return out;
}

}  // namespace speder::deep
