#include "speder/deep/learn/agents/dynamics_ensemble.hpp"

#include <cmath>

#include "speder/deep/learn/agents/pets.hpp"
#include "tests/catch.hpp"

using namespace speder;
using namespace speder::deep;

namespace dynamics_ensemble_test {
namespace {

EnvSpec spec_of(int states, int actions) {
  return {.name = "Linear",
          .suite = "test",
          .observation_size = states,
          .action_size = actions,
          .action_low = std::vector<double>(static_cast<std::size_t>(actions), -1),
          .action_high = std::vector<double>(static_cast<std::size_t>(actions), 1)};
}

/// x' = x + ½a, goal' = goal, y' = 0.9y + 0.1x: states (x, goal, y) with x, y in ±width.
RingBuffer linear_steps(int count, double width, Rng& rng) {
  RingBuffer buffer(3, 1, count);
  for (int i = 0; i < count; ++i) {
    const auto draw = [&] { return static_cast<float>(rng.uniform(-width, width)); };
    const std::vector<float> s = {draw(), 0.375F, draw()};
    const std::vector<float> a = {static_cast<float>(rng.uniform(-1, 1))};
    const std::vector<float> next = {s[0] + 0.5F * a[0], s[1], 0.9F * s[2] + 0.1F * s[0]};
    buffer.add({s, a, 0, next, false, false});
  }
  return buffer;
}

Tensor states_of(const RingBuffer& buffer) {
  const Tensor out = at::empty({buffer.size(), buffer.row_size()}, at::kFloat);
  const auto rows = buffer.rows();
  std::copy(rows.begin(), rows.end(), out.data_ptr<float>());
  return out;
}

}  // namespace

TEST_CASE("log variance: inside its bounds wherever the network is", "[learn][model]") {
  const Tensor l = bounded_log_variance(at::tensor({-1e4F, -20.0F, 0.0F, 20.0F, 1e4F}));
  CHECK(l.min().item<double>() >= -10);
  CHECK(l.max().item<double>() <= 0.5 + 3e-5);
  CHECK(l[0].item<double>() < -9.9);
  CHECK(l[4].item<double>() > 0.4);
  CHECK(at::equal(std::get<0>(l.sort()), l));
}

TEST_CASE("gaussian loss: its minimum on N(3, ¼) is the mean, the variance and 1 + log ¼",
          "[learn][model][learning]") {
  // Two points at 3 ± ½ have exactly these moments.
  const Tensor y = at::tensor({2.5, 3.5}, at::kDouble).view({1, 2, 1});
  const Tensor at_best = at::full({1, 2, 1}, 3.0, at::kDouble).set_requires_grad(true);
  const Tensor log_variance =
      at::full({1, 2, 1}, std::log(0.25), at::kDouble).set_requires_grad(true);
  const Tensor loss = gaussian_loss(at_best, log_variance, y);
  CHECK_THAT(loss.item<double>(), WithinAbs(1 + std::log(0.25), 1e-12));
  const auto g = torch::autograd::grad({loss}, {at_best, log_variance});
  CHECK_THAT(g[0].sum().item<double>(), WithinAbs(0, 1e-12));
  CHECK(g[1].abs().max().item<double>() < 1e-12);
  // two members: the sum over them, each a mean over its rows
  CHECK_THAT(
      gaussian_loss(at_best.expand({2, 2, 1}), log_variance.expand({2, 2, 1}), y.expand({2, 2, 1}))
          .item<double>(),
      WithinAbs(2 * (1 + std::log(0.25)), 1e-12));
}

TEST_CASE("gaussian loss: networks on one input learn mean and variance of what they are shown",
          "[learn][model][learning]") {
  Rng rng(12);
  const Mlp networks({.input = 1, .hidden = {8}, .output = 2, .copies = 2}, at::kCPU, rng);
  Adam adam(networks.parameters(), 1e-2);
  const Tensor x = at::ones({2, 1});
  const Tensor y = at::tensor({2.5F, 3.5F}).view({1, 2, 1}).expand({2, 2, 1});
  Tensor mean, log_variance, loss;
  for (int i = 0; i < 1500; ++i) {
    const auto halves = networks(x).chunk(2, -1);
    mean = halves[0];
    log_variance = bounded_log_variance(halves[1]);
    loss = gaussian_loss(mean, log_variance, y);
    adam.step(loss);
  }
  constexpr double kLearnt = 1e-3;
  CHECK((mean - 3).abs().max().item<double>() < kLearnt);
  CHECK((log_variance - std::log(0.25)).abs().max().item<double>() < kLearnt);
  CHECK_THAT(loss.item<double>(), WithinAbs(2 * (1 + std::log(0.25)), kLearnt));
}

TEST_CASE("ensemble: a linear system from 200 rows, constants stay, members part off the data",
          "[learn][model][learning]") {
  const bool gaussian = GENERATE(true, false);
  CAPTURE(gaussian);
  Rng rng(11);
  const RingBuffer buffer = linear_steps(200, 1, rng);
  DynamicsEnsemble ensemble({.members = 5,
                             .hidden = {32, 32},
                             .gaussian = gaussian,
                             .learning_rate = 3e-3,
                             .batch = 32,
                             .most_steps = 2000},
                            spec_of(3, 1), at::kCPU, SeedTree(4));
  static_cast<void>(ensemble.fit(buffer, rng));
  const RingBuffer fresh = linear_steps(500, 0.9, rng);
  const at::NoGradGuard no_grad;
  const Tensor rows = states_of(fresh);
  const Tensor s = rows.narrow(1, 0, 3), a = rows.narrow(1, 3, 1), next = rows.narrow(1, 7, 3);
  const Tensor error = (ensemble.mean_step(s, a) - next).square().mean(0);
  const Tensor variance = (next - s).var(0);
  for (const std::int64_t k : {0, 2})
    CHECK(error[k].item<double>() < 1e-3 * variance[k].item<double>());
  // 100 imagined steps leave the goal bit for bit
  Tensor x = s;
  for (int t = 0; t < 100; ++t) x = ensemble.mean_step(x, a);
  CHECK(at::equal(x.select(1, 1), s.select(1, 1)));
  const auto spread = [&](const Tensor& at) { return ensemble.predict(at, a).mean.std(0).mean(); };
  CHECK(spread(s * 6).item<double>() > 5 * spread(s).item<double>());
  CHECK(ensemble.predict(s, a).std.defined() == gaussian);
  // rows of their own: member e of (E, R, S) is member e of the shared rows
  const auto shared = ensemble.predict(s, a).mean;
  const auto own =
      ensemble.predict(s.unsqueeze(0).expand({5, 500, 3}), a.unsqueeze(0).expand({5, 500, 1})).mean;
  CHECK(at::allclose(own, shared, 1e-5, 1e-5));
}

TEST_CASE("ensemble: one seed twice is the same, restored tensors go on the same",
          "[learn][model]") {
  const auto fitted = [] {
    Rng rng(11);
    const RingBuffer buffer = linear_steps(64, 1, rng);
    DynamicsEnsemble e({.hidden = {8}, .batch = 8, .most_steps = 50}, spec_of(3, 1), at::kCPU,
                       SeedTree(4));
    static_cast<void>(e.fit(buffer, rng));
    static_cast<void>(e.fit(buffer, rng));
    std::vector<NamedTensor> out;
    e.name_tensors("model", out);
    return out;
  };
  const auto a = fitted(), b = fitted();
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(at::equal(a[i].tensor, b[i].tensor));
}

}  // namespace dynamics_ensemble_test
