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
  const int members = GENERATE(1, 5);
  CAPTURE(gaussian, members);
  Rng rng(11);
  const RingBuffer buffer = linear_steps(200, 1, rng);
  DynamicsEnsemble ensemble({.members = members,
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
  if (members > 1) CHECK(spread(s * 6).item<double>() > 5 * spread(s).item<double>());
  CHECK(ensemble.predict(s, a).std.defined() == gaussian);
  // rows of their own: member e of (E, R, S) is member e of the shared rows
  const auto shared = ensemble.predict(s, a).mean;
  const auto own = ensemble
                       .predict(s.unsqueeze(0).expand({members, 500, 3}),
                                a.unsqueeze(0).expand({members, 500, 1}))
                       .mean;
  CHECK(at::allclose(own, shared, 1e-5, 1e-5));
}

TEST_CASE("ensemble: a step by the mean is the mean of the members' steps", "[learn][model]") {
  const bool gaussian = GENERATE(true, false);
  const Activation activation = GENERATE(Activation::kSwish, Activation::kRelu);
  // the last is large enough for oneDNN in every layer
  const auto [states, hidden] =
      GENERATE(std::pair(3, std::vector<int>{8}), std::pair(3, std::vector<int>{16, 16, 16}),
               std::pair(20, std::vector<int>{128, 96}));
  const int members = GENERATE(1, 5);
  CAPTURE(gaussian, states, members);
  DynamicsEnsemble ensemble({.members = members,
                             .hidden = hidden,
                             .gaussian = gaussian,
                             .activation = activation,
                             .batch = 8,
                             .most_steps = 5},
                            spec_of(states, 2), at::kCPU, SeedTree(4));
  Rng rng(11);
  RingBuffer buffer(states, 2, 200);
  const auto numbers = [&](int n) {
    std::vector<float> out(static_cast<std::size_t>(n));
    for (float& x : out) x = static_cast<float>(rng.uniform(-1, 1));
    return out;
  };
  for (int i = 0; i < 200; ++i)
    buffer.add({numbers(states), numbers(2), 0, numbers(states), false, false});
  static_cast<void>(ensemble.fit(buffer, rng));
  const at::NoGradGuard no_grad;
  const Tensor rows = states_of(buffer);
  const Tensor s = rows.narrow(1, 0, states), a = rows.narrow(1, states, 2);
  // roundings of sums of at most 640 numbers below 1
  CHECK(at::allclose(ensemble.mean_step(s, a), ensemble.predict(s, a).mean.mean(0), 0, 1e-5));
}

TEST_CASE("ensemble: a fit that only makes it worse leaves every member as it was",
          "[learn][model]") {
  Rng rng(11);
  const RingBuffer buffer = linear_steps(200, 1, rng);
  DynamicsEnsemble ensemble({.hidden = {8}, .learning_rate = 1e3, .batch = 8, .most_steps = 100},
                            spec_of(3, 1), at::kCPU, SeedTree(4));
  const auto networks = [&] {
    std::vector<NamedTensor> all;
    std::vector<Tensor> out;
    ensemble.name_tensors("model", all);
    for (const NamedTensor& t : all) {
      if (t.name.starts_with("model.weight_") || t.name.starts_with("model.bias_"))
        out.push_back(t.tensor.detach().clone());
    }
    return out;
  };
  const auto before = networks();
  REQUIRE(before.size() == 4);
  const Diagnostics shown = ensemble.fit(buffer, rng);
  CHECK(shown[0].tensor.item<double>() > 100 * shown[1].tensor.item<double>());  // it did get worse
  const auto after = networks();
  for (std::size_t i = 0; i < before.size(); ++i) CHECK(at::equal(before[i], after[i]));
}

TEST_CASE("ensemble: limits are twenty deviations of the states on both sides of their mean",
          "[learn][model]") {
  Rng rng(11);
  const RingBuffer buffer = linear_steps(200, 1, rng);
  DynamicsEnsemble ensemble({.hidden = {8}, .batch = 8, .most_steps = 1}, spec_of(3, 1), at::kCPU,
                            SeedTree(4));
  static_cast<void>(ensemble.fit(buffer, rng));
  const Tensor states = states_of(buffer).narrow(1, 0, 3);
  const Tensor mean = states.mean(0), width = 20 * states.std(0, /*unbiased=*/false);
  const Tensor limits = ensemble.limits();
  CHECK(at::allclose(limits[0], mean - width, 1e-4, 1e-4));
  CHECK(at::allclose(limits[1], mean + width, 1e-4, 1e-4));
  CHECK(limits[0][1].item<float>() == 0.375F);  // what stands still has no room
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
