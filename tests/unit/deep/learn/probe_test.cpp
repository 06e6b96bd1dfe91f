#include "speder/deep/train/probe.hpp"

#include <cmath>

#include "speder/core/check.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/learn/point_task.hpp"

using namespace speder;
using namespace speder::deep;

namespace probe_test {
namespace {

constexpr int kSteps = 30;  // more than an episode of the point has
constexpr double kGamma = 0.9;
constexpr double kFloat = 1e-5;  // Q is a float32, returns here are below 20

/// Draws tanh of the noise and stands still in the mean, so that G is a sum of two terms:
/// −x² − (γ + … + γ^{H−1}) clip(x + ¼a)².
TrainedAgent still(double sign) {
  TrainedAgent run;
  run.config.agent.algorithm = "speder";
  run.config.agent.discount = kGamma;
  run.physics = point_physics();
  run.agent.act = [](const Tensor& seen, const Tensor& noise) {
    return noise.defined() ? noise.tanh() : at::zeros_like(seen);
  };
  run.agent.q = [sign](const Tensor& pairs) {
    const double rest = (kGamma - std::pow(kGamma, kSteps)) / (1 - kGamma);
    const Tensor x = pairs.select(1, 0), next = (x + 0.25 * pairs.select(1, 1)).clamp(-2, 2);
    return -sign * (x.square() + rest * next.square());
  };
  return run;
}

}  // namespace

TEST_CASE("probe: a critic that is the return in closed form is right, its negative is wrong",
          "[learn][probe]") {
  const ProbeOptions options{.states = 20, .actions = 6, .steps = kSteps};
  const Probe right = probe_critic(still(1), options, SeedTree(1));
  CHECK_THAT(right.q.mean, WithinAbs(right.g.mean, kFloat));
  CHECK_THAT(right.states, WithinAbs(1, kFloat));
  CHECK_THAT(right.correlation.mean, WithinAbs(1, kFloat));
  CHECK_THAT(right.choice.mean, WithinAbs(1, kFloat));
  CHECK(right.told == 20);
  CHECK(right.spread > 0.1);
  const Probe wrong = probe_critic(still(-1), options, SeedTree(1));
  CHECK_THAT(wrong.q.mean, WithinAbs(-right.g.mean, kFloat));
  CHECK_THAT(wrong.correlation.mean, WithinAbs(-1, kFloat));
  CHECK(wrong.choice.mean < 0);
}

TEST_CASE("probe: uniform actions have the moments of a uniform law", "[learn][probe]") {
  TrainedAgent run = still(1);
  double squares = 0;
  std::int64_t rows = 0;
  run.agent.q = [&](const Tensor& pairs) {
    squares += pairs.select(1, 1).square().sum().item<double>();
    rows += pairs.size(0);
    return pairs.select(1, 0);
  };
  static_cast<void>(
      probe_critic(run, {.states = 40, .actions = 100, .steps = 1, .uniform = true}, SeedTree(2)));
  CHECK(rows == 4000);
  // E a² = 1/3 with variance 4/45 an action: within five deviations of the mean of 4,000.
  CHECK_THAT(squares / static_cast<double>(rows),
             WithinAbs(1.0 / 3, 5 * std::sqrt(4.0 / 45 / 4000)));
}

TEST_CASE("probe: means and shares of two states by hand", "[learn][probe]") {
  Matrix Q(3, 3), G(3, 3);
  Q << 1, 2, 3, 5, 3, 4, 0, 1, 2;
  G << 0, 1, 2, 4, 6, 8, 7, 7, 7;  // the third state's actions are all alike
  const Probe p = compare_actions(Q, G);
  CHECK(p.told == 2);
  // Correlations 1 and −½; choices: the best action, and the worst of −2, 0, 2 about the mean.
  CHECK_THAT(p.correlation.mean, WithinAbs(0.25, 1e-12));
  CHECK_THAT(p.correlation.error, WithinAbs(0.75, 1e-12));
  CHECK_THAT(p.choice.mean, WithinAbs(0, 1e-12));
  CHECK_THAT(p.q.mean, WithinAbs((2.0 + 4 + 1) / 3, 1e-12));
  CHECK_THAT(p.spread, WithinAbs(std::sqrt((2.0 / 3 + 8.0 / 3 + 0) / 3), 1e-12));
}

TEST_CASE("probe: a learner without a critic of actions is refused by name", "[learn][probe]") {
  TrainedAgent run = still(1);
  run.agent.q = {};
  run.config.agent.algorithm = "trpo";
  CHECK_THROWS_WITH(probe_critic(run, {}, SeedTree(1)),
                    Catch::Contains("trpo has no critic of actions"));
}

}  // namespace probe_test
