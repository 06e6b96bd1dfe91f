#include "speder/deep/learn/agents/trust_region.hpp"

#include <cmath>

#include "speder/core/tolerance.hpp"
#include "speder/deep/learn/agents/trpo.hpp"
#include "speder/deep/learn/nn/running_scale.hpp"
#include "speder/deep/train/loop.hpp"
#include "speder/stats/statistics.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/learn/point_task.hpp"

using namespace speder;
using namespace speder::deep;

namespace trust_region_test {
namespace {

Tensor normals(std::initializer_list<std::int64_t> size, Rng& rng) {
  Tensor out = at::empty(at::IntArrayRef(size.begin(), size.size()), at::kDouble);
  for (std::int64_t i = 0; i < out.numel(); ++i) out.data_ptr<double>()[i] = rng.normal();
  return out;
}

/// A policy in double precision, so that differences can be taken.
GaussianPolicy policy_of(int states, const std::vector<int>& hidden, int actions, Rng& rng) {
  GaussianPolicy policy{Mlp({.input = states,
                             .hidden = hidden,
                             .output = actions,
                             .copies = 1,
                             .activation = Activation::kTanh},
                            at::kCPU, rng),
                        at::zeros({actions}, at::kDouble).set_requires_grad(true)};
  for (const Tensor& p : policy.mean.parameters()) p.set_data(p.detach().to(at::kDouble));
  return policy;
}

void move_to(const GaussianPolicy& policy, const Tensor& flat) {
  const at::NoGradGuard no_grad;
  const auto all = policy.parameters();
  const auto parts = unflattened(flat, all);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].copy_(parts[i]);
}

}  // namespace

TEST_CASE("conjugate gradient: n iterations give the Cholesky solution, and more change nothing",
          "[learn][trust]") {
  Rng rng(4);
  const Tensor half = normals({8, 8}, rng);
  const Tensor A = at::mm(half, half.t()) + at::eye(8, at::kDouble);
  const Tensor b = normals({8}, rng);
  const auto product = [&](const Tensor& v) { return at::mv(A, v); };
  const Tensor exact = at::cholesky_solve(b.unsqueeze(1), at::linalg_cholesky(A)).squeeze(1);
  constexpr double kSolved = 1e-5;  // the residual at which it stops
  CHECK(at::allclose(conjugate_gradient(product, b, 8), exact, kSolved, kSolved));
  CHECK(at::allclose(conjugate_gradient(product, b, 50), exact, kSolved, kSolved));
  CHECK_FALSE(at::allclose(conjugate_gradient(product, b, 2), exact, kSolved, kSolved));
}

TEST_CASE("Fisher product: the dense matrix of single Jacobians, and differences of KL's gradient",
          "[learn][trust][learning]") {
  Rng rng(5);
  const GaussianPolicy policy = policy_of(3, {5, 4}, 2, rng);
  {
    const at::NoGradGuard no_grad;
    policy.log_std.copy_(at::tensor({0.3, -0.4}, at::kDouble));
  }
  const Tensor states = normals({6, 3}, rng);
  const std::vector<Tensor> all = policy.parameters();
  const Tensor v = normals({flattened(all).numel()}, rng);
  constexpr double kDamping = 0.25;
  const Tensor product = fisher_product(policy, states, v, kDamping);

  const auto size = v.numel();
  Tensor F = at::zeros({size, size}, at::kDouble);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 2; ++j) {
      const Tensor m = policy.mean(states.narrow(0, i, 1))[0][j];
      const Tensor row = flattened(
          with(torch::autograd::grad({m}, policy.mean.parameters()), at::zeros({2}, at::kDouble)));
      F = F + at::outer(row, row) * (-2 * policy.log_std.detach()[j]).exp() / 6;
    }
  }
  for (std::int64_t i = size - 2; i < size; ++i) F[i][i] += 2;  // log σ: the Fisher matrix is 2I
  CHECK(at::allclose(product, at::mv(F, v) + kDamping * v, 1e-9, 1e-9));

  const PolicyPoint old = policy_point(policy, states);
  const Tensor here = flattened(all);
  const auto kl_gradient = [&](double step) {
    move_to(policy, here + step * v);
    return flattened(torch::autograd::grad({mean_kl(old, policy, states)}, all));
  };
  constexpr double kStep = 1e-4;  // central differences: errors of 1e-8
  const Tensor difference = (kl_gradient(kStep) - kl_gradient(-kStep)) / (2 * kStep);
  CHECK(at::allclose(product - kDamping * v, difference, 1e-5, 1e-5));
}

TEST_CASE("surrogate: ρ is the new probability over the old", "[learn][trust][learning]") {
  const Tensor now = at::tensor({2.0, 0.5}, at::kDouble).log();
  const Tensor old = at::tensor({1.0, 1.0}, at::kDouble).log();
  // (2·3 + ½·(−1))/2
  CHECK_THAT(surrogate(now, old, at::tensor({3.0, -1.0}, at::kDouble)).item<double>(),
             WithinAbs(2.75, 1e-12));
}

TEST_CASE("trust region on a bandit: a step of length σ√2δ up the gradient, KL = δ",
          "[learn][trust][learning]") {
  Rng rng(6);
  const GaussianPolicy policy = policy_of(1, {}, 3, rng);
  constexpr double kSigma = 0.5, kRadius = 0.02;
  {
    const at::NoGradGuard no_grad;
    policy.log_std.fill_(std::log(kSigma));
  }
  const Tensor state = at::zeros({1, 1}, at::kDouble);  // the mean is the bias θ
  const Tensor c = at::tensor({2.0, -1.0, 0.5}, at::kDouble);
  const Tensor before = policy.mean(state).detach().clone();
  const TrustRegionStep step = trust_region_step(
      policy, state, [&] { return (policy.mean(state) * c).sum() + 0 * policy.log_std.sum(); },
      {.radius = kRadius, .iterations = 10, .damping = 0});
  const Tensor moved = (policy.mean(state) - before).detach()[0];
  REQUIRE(step.taken);
  CHECK(step.backtracks == 0);
  CHECK_THAT(moved.norm().item<double>(), WithinRel(kSigma * std::sqrt(2 * kRadius), 1e-6));
  CHECK(at::allclose(moved / moved.norm(), c / c.norm(), 1e-6, 1e-6));
  CHECK_THAT(step.kl, WithinRel(kRadius, 1e-6));
}

TEST_CASE("trust region: an objective that only falls leaves every parameter as it was",
          "[learn][trust]") {
  Rng rng(7);
  const GaussianPolicy policy = policy_of(2, {4}, 1, rng);
  const Tensor states = normals({5, 2}, rng);
  const Tensor before = flattened(policy.parameters());
  int calls = 0;
  const TrustRegionStep step = trust_region_step(
      policy, states,
      [&] { return policy.mean(states).mean() + policy.log_std.sum() - (calls++ > 0 ? 100 : 0); },
      {});
  CHECK_FALSE(step.taken);
  CHECK(step.kl == 0);
  CHECK(calls == 11);  // once for the gradient, then ten tries
  CHECK(at::equal(flattened(policy.parameters()), before));
}

TEST_CASE("trust region: no gradient, no step", "[learn][trust]") {
  Rng rng(8);
  const GaussianPolicy policy = policy_of(2, {4}, 1, rng);
  const Tensor states = normals({5, 2}, rng);
  const auto flat = [&] { return (policy.mean(states).sum() + policy.log_std.sum()) * 0.0; };
  CHECK_FALSE(trust_region_step(policy, states, flat, {}).taken);
}

TEST_CASE("running scale: moments of all batches together, a floor, and nothing before the first",
          "[learn][trust]") {
  Rng rng(9);
  RunningScale scale(2, at::kCPU);
  RunningMean first;
  const Tensor probe = at::tensor({1.0F, 2.0F}).unsqueeze(0);
  CHECK(at::equal(scale(probe), probe));
  for (const int n : {3, 1, 40}) {
    const Tensor batch = normals({n, 2}, rng) * 3 + 1;
    batch.select(1, 1).fill_(7);  // does not move: the variance is taken as 0.01
    for (int i = 0; i < n; ++i) first.add(batch[i][0].item<float>());
    scale.see(batch.to(at::kFloat));
  }
  const double variance = first.variance() * 43 / 44;  // over n, not n − 1
  const Tensor seen = scale(probe)[0];
  CHECK_THAT(seen[0].item<double>(), WithinAbs((1 - first.mean()) / std::sqrt(variance), 1e-5));
  CHECK_THAT(seen[1].item<double>(), WithinAbs(-50, 1e-4));
}

TEST_CASE("TRPO learns from a rollout in the units that took it, and moves them afterwards",
          "[learn][trust]") {
  AgentConfig config;
  config.algorithm = "trpo";
  config.actor_hidden = {8};
  config.critic_width = 8;
  config.value_steps = 1;  // the loss shown is that of the values as they were
  Trpo agent(config, point_physics()->spec, at::kCPU, SeedTree(1));
  std::vector<Tensor> value;
  for (const NamedTensor& t : agent.tensors()) {
    if (t.name.starts_with("value.")) value.push_back(t.tensor.detach().clone());
  }
  REQUIRE(value.size() == 6);
  RingBuffer rollout(1, 1, 40);
  Rng rng(2);
  Tensor states = at::empty({40, 1}, at::kFloat);
  for (std::int64_t i = 0; i < 40; ++i) {  // every step is the last: the target is the reward, 1
    const std::vector<float> s = {static_cast<float>(3 + rng.normal())};
    const std::vector<float> a = {static_cast<float>(rng.normal())};
    states[i][0] = s[0];
    rollout.add({s, a, 1, s, true, true});
  }
  const auto loss_of = [&](const Tensor& seen) {
    Tensor h = seen;
    for (std::size_t l = 0; l < 3; ++l) {
      h = at::linear(h, value[2 * l], value[2 * l + 1]);
      if (l < 2) h = h.tanh();
    }
    return (h.squeeze(1) - 1).square().mean().item<double>();
  };
  const Tensor probe = at::full({1, 1}, 3.0F);
  const double before = agent.mean_action(probe).item<double>();
  double shown = 0;
  for (const NamedTensor& d : agent.update(rollout, rng)) {
    if (d.name == "critic_loss") shown = d.tensor.item<double>();
  }
  const Tensor standardised = (states - states.mean()) / states.std(0, /*unbiased=*/false);
  REQUIRE(std::abs(loss_of(states) - loss_of(standardised)) > 1e-2);
  CHECK_THAT(shown, WithinAbs(loss_of(states), 1e-5));
  CHECK(agent.mean_action(probe).item<double>() != before);
}

TEST_CASE("TRPO on Pendulum: KL is within its bound at every update", "[learn][trust]") {
  TrainConfig config;
  config.env = "Pendulum";
  config.agent.algorithm = "trpo";
  config.agent.rollout = 400;
  config.agent.actor_hidden = {32};
  config.agent.critic_width = 32;
  config.steps = 4000;
  config.eval_every = 400;
  config.eval_episodes = 1;
  const TrainResult r = train(config, load_physics("Pendulum", {}), {});
  int updates = 0, steps = 0;
  for (const Measure& m : r.measures) {
    if (m.metric != "kl") continue;
    ++updates;
    steps += m.value > 0 ? 1 : 0;
    CHECK(m.value <= 1.5 * config.agent.trust_radius);
  }
  CHECK(updates == 10);
  CHECK(steps >= 8);  // as a rule a step is found
}

TEST_CASE("TRPO solves the point task in thirty rounds", "[learn][trust][learning]") {
  const auto seed = static_cast<std::uint64_t>(GENERATE(range(0, 5)));
  CAPTURE(seed);
  TrainConfig config;
  config.env = "Point";
  config.seed = seed;
  config.agent.algorithm = "trpo";
  config.agent.rollout = 480;
  config.agent.actor_hidden = {32, 32};
  config.agent.critic_width = 32;
  config.agent.critic_lr = 3e-3;
  config.agent.discount = 0.9;
  config.steps = 30 * config.agent.rollout;
  config.eval_every = config.steps;
  config.eval_episodes = 100;
  const TrainResult r = train(config, point_physics(), {});
  // From |x| uniform on (0, 1): −0.52 at full speed, −4 standing still; nine tenths of the way.
  REQUIRE(r.final_return);
  CHECK(r.final_return->mean > -0.52 - 0.1 * (4 - 0.52));
}

}  // namespace trust_region_test
