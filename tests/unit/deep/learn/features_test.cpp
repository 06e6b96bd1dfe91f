// What φ and μ become under the settings that change the law they factor, or φ itself.
#include <cmath>

#include "speder/deep/learn/agents/spectral_actor_critic.hpp"
#include "speder/deep/learn/features/whitening.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/learn/small_agent.hpp"

using namespace speder;
using namespace speder::deep;

namespace features_test {
namespace {

constexpr double kFloat = 1e-5;  // float32 products of a few terms

/// Features of a line, learned fast and without units, so that they are the modes of the data.
AgentConfig line_agent() {
  AgentConfig c = small_agent("speder");
  c.feature_dim = 3;
  c.feature_hidden = {64};
  c.feature_lr = 1e-2;
  c.feature_decay = 200;
  c.feature_tau = 1;
  c.batch = 512;
  c.observation_norm = false;
  return c;
}

}  // namespace

TEST_CASE("noisy successors: of s' = s on the line mode k has singular value (1 + σ²)^(−k/2)",
          "[learn][agent][learning]") {
  // (s, s + σz) is Gaussian with correlation ρ = 1/√(1 + σ²), and E[h_k(s) h_k(s')] = ρᵏ for Hermite
  // polynomials (Mehler). Without noise s' = s, and every function of it has singular value 1.
  const double sigma = GENERATE(0.0, 1.0);
  CAPTURE(sigma);
  RingBuffer buffer(1, 1, 20'000);
  Rng rng = SeedTree(9).stream("line");
  for (int i = 0; i < 20'000; ++i) {
    const std::vector<float> s = {static_cast<float>(rng.normal())};
    buffer.add({s, std::vector<float>{0}, 0, s, false, true});
  }
  AgentConfig c = line_agent();
  c.successor_noise = sigma;
  c.in_batch = GENERATE(false, true);
  SpectralActorCritic agent(c, point_spec(), at::kCPU, SeedTree(3));
  Diagnostics out;
  for (int i = 0; i < 1500; ++i) {
    const MinibatchOptions options{.size = c.batch,
                                   .base = c.in_batch ? BaseMeasure::kNone : BaseMeasure::kReplay,
                                   .state_noise = sigma > 0};
    agent.learn_features(draw_minibatch(buffer, options, at::kCPU, rng), out);
  }
  agent.refresh_bonus(buffer, rng);  // counts the update
  agent.follow();
  const Minibatch all = whole_buffer(buffer, at::kCPU);
  const Tensor z =
      draw_minibatch(buffer, {.size = 20'000, .base = BaseMeasure::kNone, .state_noise = true},
                     at::kCPU, rng)
          .state_noise;
  const SpectralModes modes = spectral_modes(agent.slow_features(all.pair),
                                             agent.state_features(all.next_state + sigma * z));
  const double rho = 1 / std::sqrt(1 + sigma * sigma);
  for (int k = 0; k < 3; ++k) {
    CAPTURE(k, modes.learned, modes.seen);
    // the law of large numbers over 20,000 rows and what 1,500 steps leave unlearned
    CHECK(std::abs(modes.seen[k].item<double>() - std::pow(rho, k)) < 0.1);
  }
}

TEST_CASE(
    "far successors: of s' = ρs + √(1−ρ²) z mode k has singular value ρᵏ, and ρ^(3k) over the "
    "three "
    "steps of the return",
    "[learn][agent][learning]") {
  // (s_t, s_{t+n}) is Gaussian with correlation ρⁿ; Mehler's kernel again.
  constexpr double kRho = 0.8;
  constexpr int kSteps = 20'000;
  const bool far = GENERATE(false, true);
  CAPTURE(far);
  RingBuffer buffer(1, 1, kSteps);
  Rng rng = SeedTree(9).stream("line");
  std::vector<float> s = {static_cast<float>(rng.normal())};
  for (int i = 0; i < kSteps; ++i) {
    const std::vector<float> next = {
        static_cast<float>(kRho * s[0] + std::sqrt(1 - kRho * kRho) * rng.normal())};
    buffer.add({s, std::vector<float>{0}, 0, next, false, false});
    s = next;
  }
  AgentConfig c = line_agent();
  c.in_batch = true;
  c.returns = 3;
  c.far_successors = far;
  SpectralActorCritic agent(c, point_spec(), at::kCPU, SeedTree(3));
  const auto draw = [&](Index rows) {
    return draw_minibatch(buffer, {.size = rows, .base = BaseMeasure::kNone, .returns = c.returns},
                          at::kCPU, rng);
  };
  Diagnostics out;
  for (int i = 0; i < 1500; ++i) agent.learn_features(draw(c.batch), out);
  agent.refresh_bonus(buffer, rng);  // counts the update
  agent.follow();
  const Minibatch all = draw(kSteps);
  const SpectralModes modes = spectral_modes(
      agent.slow_features(all.pair), agent.state_features(far ? all.far.state : all.next_state));
  for (int k = 0; k < 3; ++k) {
    CAPTURE(k, modes.learned, modes.seen);
    // Both laws have the same singular functions, so that it is the learned values that tell them apart. The
    // tolerance is as above; an autoregression of 20,000 steps is worth 4,400 independent ones.
    const double truth = std::pow(kRho, (far ? 3 : 1) * k);
    CHECK(std::abs(modes.learned[k].item<double>() - truth) < 0.1);
    CHECK(std::abs(modes.seen[k].item<double>() - truth) < 0.1);
  }
}

TEST_CASE(
    "bounded features: φ and μ are c tanh(·/c) of what they would be, also in the slow copy and in "
    "the loss",
    "[learn][agent]") {
  AgentConfig c = small_agent("speder");
  c.in_batch = true;
  SpectralActorCritic plain(c, point_spec(), at::kCPU, SeedTree(3));
  constexpr double kBound = 0.05;  // the fresh networks' entries are larger
  c.feature_bound = kBound;
  SpectralActorCritic agent(c, point_spec(), at::kCPU, SeedTree(3));  // the same weights
  const RingBuffer buffer = filled(200);
  const Minibatch all = whole_buffer(buffer, at::kCPU);
  const auto bounded = [](const Tensor& x) { return (x / kBound).tanh() * kBound; };
  const Tensor phi = plain.slow_features(all.pair), mu = plain.state_features(all.next_state);
  CHECK(phi.abs().max().item<double>() > 2 * kBound);
  CHECK(at::allclose(agent.slow_features(all.pair), bounded(phi), kFloat, kFloat));
  CHECK(at::allclose(agent.state_features(all.next_state), bounded(mu), kFloat, kFloat));

  Rng rng = SeedTree(4).stream("batch");
  const Minibatch batch =
      draw_minibatch(buffer, {.size = 32, .base = BaseMeasure::kNone}, at::kCPU, rng);
  const Tensor p = bounded(plain.slow_features(batch.pair)),
               m = bounded(plain.state_features(batch.next_state));
  Diagnostics out;
  agent.learn_features(batch, out);
  REQUIRE(out[1].name == "feature_paired");
  CHECK(std::abs(out[1].tensor.item<double>() - (p * m).sum(-1).mean().item<double>()) < kFloat);
}

TEST_CASE(
    "whitening: the covariance of rows with eigenvalues λ has λ/(λ + ρ t), a linear map of φ "
    "changes nothing but "
    "the ridge's share, and W is symmetric",
    "[learn][agent][whitening]") {
  constexpr int kRows = 4000, kDim = 6;
  constexpr double kRidge = 0.01;
  Rng rng = SeedTree(5).stream("whitening");
  const auto normal = [&](Index n, Index m) {
    Tensor x = at::empty({n, m}, at::kDouble);
    double* p = x.data_ptr<double>();
    for (Index i = 0; i < n * m; ++i) p[i] = rng.normal();
    return x;
  };
  const Tensor u = std::get<0>(at::linalg_qr(normal(kDim, kDim)));
  const Tensor widths = at::logspace(0, -3, kDim, 10.0, at::kDouble);  // deviations 1 to 10⁻³
  const Tensor z = normal(kRows, kDim);
  const Tensor phi = (at::mm(z * widths, u.t()) + 3.0).to(at::kFloat);

  Whitening whiten(kDim, kRidge, at::kCPU);
  whiten.see(phi);
  const Tensor x = phi.to(at::kDouble) - phi.to(at::kDouble).mean(0);
  const Tensor c = at::mm(x.t(), x) / kRows;
  const auto [lambda, basis] = at::linalg_eigh(c);
  const Tensor white = whiten(phi).to(at::kDouble);
  CHECK(white.mean(0).abs().max().item<double>() < 1e-3);  // 3 in units of at least 0.03, in float
  const Tensor turned = at::mm(white, basis);
  const Tensor got = at::mm(turned.t(), turned) / kRows;
  const Tensor want = at::diag(lambda / (lambda + kRidge * lambda.mean()));
  CAPTURE(got, want);
  CHECK(at::allclose(got, want, 0, 1e-3));  // float moments of 3² beside variances of 10⁻⁶ and more
  std::vector<NamedTensor> tensors;
  whiten.name_tensors("w", tensors);
  for (const NamedTensor& t : tensors) {
    if (t.name == "w.root") CHECK(at::allclose(t.tensor, t.tensor.t(), kFloat, kFloat));
  }
}

}  // namespace features_test
