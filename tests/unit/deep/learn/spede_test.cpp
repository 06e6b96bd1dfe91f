#include "speder/deep/learn/agents/spede.hpp"

#include <cmath>
#include <map>
#include <set>

#include "speder/deep/train/loop.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/learn/point_task.hpp"

using namespace speder;
using namespace speder::deep;

namespace spede_test {
namespace {

Tensor normals(std::initializer_list<std::int64_t> size, Rng& rng) {
  const Tensor out = at::empty(at::IntArrayRef(size.begin(), size.size()), at::kDouble);
  for (std::int64_t i = 0; i < out.numel(); ++i) out.data_ptr<double>()[i] = rng.normal();
  return out;
}

}  // namespace

TEST_CASE("Fourier features: φ(x)·φ(y) is the Gaussian kernel", "[learn][spede][learning]") {
  constexpr int kFeatures = 10'000;
  constexpr double kSigma = 0.7;
  Rng rng(3);
  const FourierFeatures phi = draw_fourier(2, 3, kFeatures, kSigma, at::kCPU, rng);
  const Tensor x = (normals({20, 3}, rng) * 0.5).to(at::kFloat);
  const auto k = [](const Tensor& distance) {
    return (distance.square() / (-2 * kSigma * kSigma)).exp();
  };
  const Tensor near = at::cdist(x, x), kernel = k(near);
  // One feature's product is cos ωᵀ(x − y) + cos(ωᵀ(x + y) + 2b), of variance ½(1 + k(2(x − y))) − k(x − y)² + ½.
  const Tensor deviation =
      ((0.5 * k(2 * near) + 1 - kernel.square()) / static_cast<double>(kFeatures)).sqrt();
  const Tensor features = phi(x);
  for (int e = 0; e < 2; ++e) {
    const Tensor error = at::mm(features[e], features[e].t()) - kernel;
    // 420 pairs: one of them is beyond 4.5 deviations in 0.3% of all draws
    CHECK((error.abs() / deviation).max().item<double>() < 4.5);
    CHECK(error[0].narrow(0, 0, 4).abs().max().item<double>() < 0.03);  // four given pairs
  }
  CHECK_FALSE(at::equal(features[0], features[1]));
}

TEST_CASE("Thompson draws: their covariance is σ²Σ⁻¹, their mean nothing",
          "[learn][spede][learning]") {
  Rng rng(4);
  const Tensor psi = normals({50, 3}, rng) * at::tensor({1.0, 2.0, 0.5}, at::kDouble);
  constexpr double kRidge = 0.5, kSigma = 1.5;
  constexpr std::int64_t kStored = 100;
  const Tensor L = precision_factor(psi, kStored, kRidge);
  const Tensor Sigma = kRidge * at::eye(3, at::kDouble) + kStored * at::mm(psi.t(), psi) / 50;
  CHECK(at::allclose(at::mm(L, L.t()), Sigma));
  constexpr std::int64_t kDraws = 20'000;
  const Tensor rows = posterior_deviation(normals({kDraws, 3}, rng), L, kSigma);  // rows are draws
  const Tensor expected = kSigma * kSigma * at::linalg_inv(Sigma);
  const Tensor covariance = at::mm(rows.t(), rows) / static_cast<double>(kDraws);
  const double scale = expected.abs().max().item<double>();
  // deviations of at most √(2/n) and √(1/n) of the largest variance; four of each
  const auto n = static_cast<double>(kDraws);
  CHECK((covariance - expected).abs().max().item<double>() < 4 * std::sqrt(2 / n) * scale);
  CHECK(rows.mean(0).abs().max().item<double>() < 4 * std::sqrt(scale / n));
}

TEST_CASE("Fourier features span the value of a linear-Gaussian system", "[learn][spede]") {
  // s' = f + N(0, σ²), V(s') = s'²: E[V | f] = f² + σ² is linear in φ(f), to 2% of its range.
  Rng rng(5);
  constexpr double kSigma = 0.5;
  const FourierFeatures phi = draw_fourier(1, 1, 256, kSigma, at::kCPU, rng);
  const auto features = [&](const Tensor& f) { return phi(f.to(at::kFloat))[0].to(at::kDouble); };
  const Tensor f = at::linspace(-1, 1, 400, at::kDouble).unsqueeze(1);
  const Tensor value = f.square() + kSigma * kSigma;
  const Tensor X = features(f);
  const Tensor w =
      at::linalg_solve(at::mm(X.t(), X) + 1e-6 * at::eye(256, at::kDouble), at::mm(X.t(), value));
  const Tensor probe = at::linspace(-0.95, 0.95, 77, at::kDouble).unsqueeze(1);
  const Tensor error = at::mm(features(probe), w) - (probe.square() + kSigma * kSigma);
  CHECK(error.abs().max().item<double>() < 0.02);
}

TEST_CASE("SPEDE: each step moves its own parameters and no TD error reaches the model",
          "[learn][spede]") {
  AgentConfig c;
  c.algorithm = "spede";
  c.feature_dim = 16;
  c.feature_hidden = {16, 8};
  c.critic_width = 16;
  c.actor_hidden = {16};
  c.batch = 32;
  Spede agent(c, point_physics()->spec, at::kCPU, SeedTree(1));
  RingBuffer buffer(1, 1, 64);
  Rng rng(2);
  for (int i = 0; i < 64; ++i) {
    const std::vector<float> s = {static_cast<float>(rng.uniform(-1, 1))};
    const std::vector<float> a = {static_cast<float>(rng.uniform(-1, 1))};
    const std::vector<float> next = {s[0] + 0.25F * a[0]};
    buffer.add({s, a, -s[0] * s[0], next, false, false});
  }
  const Minibatch batch = draw_minibatch(buffer, {.size = 32}, at::kCPU, rng);
  const std::vector<std::string> groups = {"psi.",      "last.",   "psi_ema.", "last_ema.",
                                           "deviation", "reward.", "critic.",  "critic_target.",
                                           "actor.",    "fourier."};
  const auto snapshot = [&](const std::string& prefix) {
    std::vector<Tensor> out;
    for (const NamedTensor& t : agent.tensors())
      if (t.name.starts_with(prefix))
        out.push_back(t.tensor.detach().clone().view({-1}).to(at::kFloat));
    return at::cat(out);
  };
  const auto changed = [&](const auto& step) {
    std::vector<Tensor> before;
    for (const auto& g : groups) before.push_back(snapshot(g));
    step();
    std::set<std::string> out;
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (!at::equal(before[i], snapshot(groups[i]))) out.insert(groups[i]);
    return out;
  };
  using Set = std::set<std::string>;
  Diagnostics d;
  CHECK(changed([&] { agent.learn_model(batch, d); }) == Set{"psi.", "last."});
  CHECK(changed([&] { agent.learn_reward(batch, d); }) == Set{"reward."});
  CHECK(changed([&] { agent.draw_model(buffer, rng); }) == Set{"deviation"});
  CHECK(changed([&] { agent.learn_critic(batch, d); }) == Set{"critic."});
  CHECK(changed([&] { agent.improve_policy(batch, d); }) == Set{"actor."});
  CHECK(changed([&] { agent.follow(); }) == Set{"psi_ema.", "last_ema.", "critic_target."});
}

TEST_CASE("SPEDE: f is the state and its change, in the model's loss and in φ", "[learn][spede]") {
  AgentConfig c;
  c.algorithm = "spede";
  c.explore = "none";
  c.feature_dim = 16;
  c.feature_hidden = {16, 8};
  c.critic_width = 16;
  c.actor_hidden = {16};
  c.model_noise = 0.5;
  Spede agent(c, point_physics()->spec, at::kCPU, SeedTree(1));
  std::map<std::string, Tensor> named;
  for (const NamedTensor& t : agent.tensors()) {
    named[t.name] = t.tensor;
    const at::NoGradGuard no_grad;  // no change and no reward: f = s, Q = ⟨φ(s), w⟩
    if (t.name.starts_with("last") || t.name.starts_with("reward.")) t.tensor.detach().zero_();
  }
  Rng rng(2);
  RingBuffer buffer(1, 1, 64);
  for (int i = 0; i < 64; ++i) {
    const std::vector<float> s = {static_cast<float>(rng.uniform(-1, 1))};
    const std::vector<float> a = {static_cast<float>(rng.uniform(-1, 1))};
    const std::vector<float> next = {s[0] + 0.25F * a[0]};
    buffer.add({s, a, 0, next, false, false});
  }
  const Minibatch batch = draw_minibatch(buffer, {.size = 64}, at::kCPU, rng);
  const Tensor w = named["critic.0"].detach().clone(), b = named["critic.1"].detach().clone();
  Diagnostics shown;
  agent.learn_critic(batch, shown);
  const double q = shown.back().tensor.item<double>();
  {
    const at::NoGradGuard no_grad;
    const Tensor angle = at::matmul(batch.state, named["fourier.frequency"].to(at::kFloat)) +
                         named["fourier.phase"];  // (2, B, m)
    const Tensor phi = 10 * at::layer_norm(angle.cos(), {16}, {}, {}, 1e-5 / (2.0 / 16));
    REQUIRE(phi.sizes() == at::IntArrayRef({2, 64, 16}));
    const Tensor expected = at::matmul(phi, w) + b;
    CHECK_THAT(q, WithinAbs(expected.mean().item<double>(), 1e-5));
    const Tensor still = named["fourier.phase"].cos();  // of f = 0
    const Tensor wrong = at::matmul(10 * at::layer_norm(still, {16}), w) + b;
    REQUIRE(std::abs((expected.mean() - wrong.mean()).item<double>()) > 1e-3);
  }
  agent.learn_model(batch, shown);
  const double expected =
      (batch.state - batch.next_state).square().mean().item<double>() / (2 * 0.25);
  CHECK_THAT(shown.back().tensor.item<double>(), WithinAbs(expected, 1e-6));
}

TEST_CASE("SPEDE with explore = ucb: the critic earns the bonus, no model is drawn",
          "[learn][spede][learning]") {
  AgentConfig c;
  c.algorithm = "spede";
  c.explore = GENERATE(as<std::string>{}, "ucb", "none");
  c.bonus = 5;
  c.feature_dim = 16;
  c.feature_hidden = {16, 8};
  c.critic_width = 16;
  c.actor_hidden = {16};
  c.critic_lr = 1e-2;
  CAPTURE(c.explore);
  Spede agent(c, point_physics()->spec, at::kCPU, SeedTree(1));
  RingBuffer buffer(1, 1, 64);
  Rng rng(2);
  for (int i = 0; i < 64; ++i) {  // every step is the last and earns nothing: Q is the bonus alone
    const std::vector<float> s = {static_cast<float>(rng.uniform(-1, 1))};
    const std::vector<float> a = {static_cast<float>(rng.uniform(-1, 1))};
    buffer.add({s, a, 0, s, true, true});
  }
  agent.draw_model(buffer, rng);
  double q = 0;
  for (int i = 0; i < 300; ++i) {
    Diagnostics d;
    const Minibatch batch = draw_minibatch(buffer, {.size = 64}, at::kCPU, rng);
    agent.learn_reward(batch, d);
    agent.learn_critic(batch, d);
    q = d.back().tensor.item<double>();
  }
  for (const NamedTensor& t : agent.tensors())
    if (t.name == "deviation") CHECK(t.tensor.abs().max().item<double>() == 0);
  // 5 ‖φ‖ on Σ⁻¹ with 64 rows stored: φᵀΣ⁻¹φ is at least ‖φ‖²/(λ + N) = 1/65 where ‖φ‖ is 1
  if (c.explore == "ucb") {
    CHECK(q > 0.5 * 5 / std::sqrt(65));
  } else {
    CHECK(std::abs(q) < 0.05);
  }
}

TEST_CASE("SPEDE solves the point task", "[learn][spede][learning]") {
  TrainConfig config;
  config.env = "Point";
  config.steps = 2500;
  config.random_steps = 300;
  config.replay = 10'000;
  config.eval_every = 2500;
  config.eval_episodes = 50;
  config.agent = AgentConfig{.algorithm = "spede",
                             .feature_dim = 64,
                             .feature_hidden = {32, 32},
                             .critic_width = 64,
                             .actor_hidden = {64}};
  config.agent.batch = 128;
  config.agent.discount = 0.9;
  config.agent.tau = config.agent.feature_tau = 0.02;
  config.agent.feature_lr = config.agent.actor_lr = config.agent.critic_lr = 1e-3;
  config.agent.alpha_lr = 3e-3;
  const TrainResult r = train(config, point_physics(), {});
  REQUIRE(r.final_return);
  CHECK(r.final_return->mean > -0.84);  // better than half speed; standing still is −4
}

}  // namespace spede_test
