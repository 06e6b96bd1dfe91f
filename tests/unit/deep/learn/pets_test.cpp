#include "speder/deep/learn/agents/pets.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "speder/core/check.hpp"
#include "speder/deep/learn/agents/agent.hpp"
#include "speder/deep/sim/env/env.hpp"
#include "tests/catch.hpp"

using namespace speder;
using namespace speder::deep;

namespace pets_test {
namespace {

constexpr const char* kTasks[] = {"HalfCheetah", "Reacher",  "Humanoid-ET", "Pendulum",
                                  "I-Pendulum",  "Ant-ET",   "Hopper-ET",   "S-Humanoid-ET",
                                  "CartPole",    "Walker-ET"};

/// Sizes and units as given; models of the tasks are not needed.
EnvSpec spec_of(const std::string& name, double unit) {
  const Task& task = find_task(name);
  const auto a = static_cast<std::size_t>(task.action_size);
  return {.name = name,
          .suite = "MBBL",
          .observation_size = task.observation_size,
          .action_size = task.action_size,
          .action_low = std::vector<double>(a, -unit),
          .action_high = std::vector<double>(a, unit)};
}

struct Threshold {
  const char* task;
  int entry;
  double at;
};
constexpr Threshold kThresholds[] = {
    {"Ant-ET", 0, 1.0},        {"Ant-ET", 0, 0.2},        {"Hopper-ET", 0, 0.7},
    {"Hopper-ET", 1, 0.2},     {"Hopper-ET", 1, -0.2},    {"Walker-ET", 0, 2.0},
    {"Walker-ET", 0, 0.8},     {"Walker-ET", 1, 1.0},     {"Walker-ET", 1, -1.0},
    {"S-Humanoid-ET", 0, 1.0}, {"S-Humanoid-ET", 0, 2.0}, {"Humanoid-ET", 0, 1.0},
    {"Humanoid-ET", 0, 2.0}};

struct Rows {
  std::vector<double> state, action;  // in [−1.3, 1.3]: some beyond the box
  std::int64_t count = 0;

  Rows(const Task& task, std::int64_t n, Rng& rng) : count(n) {
    const bool humanoid = task.observation_size == 376;
    for (std::int64_t i = 0; i < n * task.observation_size; ++i) {
      const auto column = i % task.observation_size;
      const double force =
          humanoid && column >= 292 ? 300 : 1;  // impacts on both sides of their bound
      state.push_back(static_cast<float>(rng.uniform() * 1.5 * force + 0.5 * rng.normal()));
    }
    for (std::int64_t i = 0; i < n * task.action_size; ++i)
      action.push_back(static_cast<float>(rng.uniform(-1.3, 1.3)));
  }
  [[nodiscard]] std::span<const double> of(const std::vector<double>& all, std::int64_t i) const {
    const auto width = all.size() / static_cast<std::size_t>(count);
    return std::span(all).subspan(static_cast<std::size_t>(i) * width, width);
  }
};

Tensor table(const std::vector<double>& values, std::int64_t rows) {
  return at::tensor(values, at::kDouble).view({rows, -1});
}

/// A plan's worth as minus the square of its distance to x*.
PlanScore distance_to(const Tensor& target) {
  return [target](const Tensor& plans) { return -(plans - target).square().sum({2, 3}); };
}

}  // namespace

TEST_CASE("known rewards and ends are the tasks' own, on 10,000 rows and at every threshold",
          "[learn][pets][learning]") {
  const std::string name = GENERATE(from_range(std::begin(kTasks), std::end(kTasks)));
  CAPTURE(name);
  const Task& task = find_task(name);
  constexpr double kUnit = 2.5;  // the task's own units differ from [−1, 1]
  const auto known = KnownTask::find(spec_of(name, kUnit), at::kCPU);
  REQUIRE(known);
  Rng rng = SeedTree(1).stream(name);
  const std::int64_t n = 10'000;
  const Rows rows(task, n, rng);
  const World world;
  const Tensor reward = known->reward(table(rows.state, n), table(rows.action, n));
  const Tensor ended = known->ended(table(rows.state, n));
  int wrong = 0, ends = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto s = rows.of(rows.state, i);
    std::vector<double> units;
    for (const double a : rows.of(rows.action, i))
      units.push_back(kUnit * std::clamp(a, -1.0, 1.0));
    const double expected = task.reward({world, s, units});
    const bool end = task.terminated(s);
    ends += end ? 1 : 0;
    if (std::abs(reward[i].item<double>() - expected) > 1e-9 * (1 + std::abs(expected))) ++wrong;
    if ((ended[i].item<double>() == 1) != end) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK((ends > 0) == (name.ends_with("-ET")));
  for (const Threshold& t : kThresholds) {
    if (name != t.task) continue;
    for (const double side : {-1e-6, 0.0, 1e-6}) {
      std::vector<double> s(static_cast<std::size_t>(task.observation_size), 0.0);
      s[0] = name == "Ant-ET" ? 0.5 : 1.3;
      s[static_cast<std::size_t>(t.entry)] = t.at + side;
      CAPTURE(t.entry, t.at, side);
      CHECK((known->ended(table(s, 1)).item<double>() == 1) == task.terminated(s));
    }
  }
}

TEST_CASE("known tasks: those of the control suite are refused in one line", "[learn][pets]") {
  EnvSpec spec = spec_of("walker_run", 1);
  CHECK_FALSE(KnownTask::find(spec, at::kCPU));
  CHECK_THROWS_WITH(check_suits("pets-cem", spec), Catch::Contains("not for walker_run"));
  CHECK_NOTHROW(check_suits("trpo", spec));
  CHECK_NOTHROW(check_suits("pets-cem", spec_of("Hopper-ET", 1)));
}

TEST_CASE("cross-entropy method: near the optimum inside the box, where random shooting is not",
          "[learn][pets][learning]") {
  const Tensor target = at::tensor({0.5F, -0.3F, 0.7F, 0.1F}).view({1, 1, 1, 4});
  const Tensor start = at::zeros({1, 1, 4});
  const CemOptions options{.samples = 200, .elites = 20, .iterations = 5};
  Rng rng(3);
  const Tensor found = cross_entropy_plan(distance_to(target), start, options, rng);
  CHECK((found - target.squeeze(0)).norm().item<double>() < 0.03);
  const Tensor shot = random_plan(distance_to(target), start, 1000, rng);
  CHECK((shot - target.squeeze(0)).norm().item<double>() > 0.1);
}

TEST_CASE("cross-entropy method: towards a wall as its recursion for many samples says",
          "[learn][pets][learning]") {
  // With the optimum beyond the wall the elites are the upper tenth of a normal cut at ±2: of mass q above t,
  // mean m = (ϕ(t) − ϕ(2))/q and second moment 1 + (tϕ(t) − 2ϕ(2))/q. Then μ and v follow without chance.
  constexpr double kTenth = 0.1;
  constexpr int kSamples = 20'000, kElites = 2000;
  const auto below = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  const auto density = [](double x) {
    return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
  };
  double t = -2, high = 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (t + high) / 2;
    (below(2) - below(middle) > kTenth * (below(2) - below(-2)) ? t : high) = middle;
  }
  const double q = below(2) - below(t);
  const double m = (density(t) - density(2)) / q;
  const double spread = 1 + (t * density(t) - 2 * density(2)) / q - m * m;
  // deviation of the mean of the K best of N standard draws, as of any mean above a quantile
  const double deviation = std::sqrt((spread + (1 - kTenth) * (m - t) * (m - t)) / kElites);
  const int iterations = GENERATE(1, 2, 3, 12);
  const double wall = GENERATE(1.0, -1.0);
  CAPTURE(iterations, wall);
  double mean = 0, variance = 0.25, error = 0;
  for (int i = 0; i < iterations && variance >= 1e-3; ++i) {
    const double width = std::min(std::sqrt(variance), (1 - mean) / 2);
    mean += 0.9 * width * m;
    variance += 0.9 * (width * width * spread - variance);
    error += 0.9 * width * deviation;  // what was missed before is not made larger by the next step
  }
  Rng rng(8);
  const double found =
      cross_entropy_plan(distance_to(at::full({1, 1, 1, 1}, 3 * wall)), at::zeros({1, 1, 1}),
                         {.samples = kSamples, .elites = kElites, .iterations = iterations}, rng)
          .item<double>();
  CHECK_THAT(wall * found, WithinAbs(mean, 4 * error));
  CHECK(std::abs(found) <= 1);
  if (iterations == 12) CHECK(mean > 0.95);  // settled near the wall
}

TEST_CASE("planning s' = s + a at a cost of s'² + 0.1 a² is the Riccati gain",
          "[learn][pets][learning]") {
  constexpr std::int64_t kHorizon = 5, kStarts = 21;
  double value = 0, gain = 0;  // of J(s) = min_a 0.1 a² + (1 + P)(s + a)²
  for (std::int64_t h = 0; h < kHorizon; ++h) {
    gain = (1 + value) / (1.1 + value);
    value = 0.1 * gain;
  }
  const Tensor start = at::linspace(-0.5, 0.5, kStarts, at::kFloat).view({kStarts, 1});
  const PlanScore score = [&](const Tensor& plans) {
    const Tensor states = start.view({kStarts, 1, 1}) + plans.squeeze(-1).cumsum(2);
    return -(states.square() + 0.1 * plans.squeeze(-1).square()).sum(2);
  };
  Rng rng(9);
  const Tensor plan = cross_entropy_plan(score, at::zeros({kStarts, kHorizon, 1}),
                                         {.samples = 400, .elites = 40, .iterations = 8}, rng);
  const Tensor first = plan.select(1, 0);
  const double found = -((first * start).sum() / start.square().sum()).item<double>();
  CHECK_THAT(found, WithinRel(gain, 0.05));
}

TEST_CASE("cross-entropy method: environments planned together are planned as alone",
          "[learn][pets]") {
  const Tensor targets = at::tensor({0.5F, -0.2F, -0.6F, 0.4F}).view({2, 1, 2, 1});
  const Tensor start = at::zeros({2, 2, 1});
  const CemOptions options;
  Rng both(5);
  const Tensor together = cross_entropy_plan(distance_to(targets), start, options, both);
  for (const std::int64_t i : {0, 1}) {
    Rng one(5);
    const Tensor alone = cross_entropy_plan(distance_to(targets.narrow(0, i, 1)),
                                            start.narrow(0, i, 1), options, one);
    CHECK(at::equal(alone[0], together[i]));
  }
}

TEST_CASE("cut normals have variance 0.7737; the plan moves one step forward",
          "[learn][pets][learning]") {
  std::vector<float> z(200'000);
  Rng rng(6);
  fill_cut_normal(z, rng);
  double sum = 0, squares = 0, most = 0;
  for (const double x : z) {
    sum += x;
    squares += x * x;
    most = std::max(most, std::abs(x));
  }
  const auto n = static_cast<double>(z.size());
  // deviations of the two over 200,000 draws: 0.0020 and 0.0020; five of each
  CHECK_THAT(sum / n, WithinAbs(0, 0.01));
  CHECK_THAT(squares / n, WithinAbs(0.7737, 0.01));
  CHECK(most <= 2);
  const Tensor plan = at::tensor({1.0F, 2.0F, 3.0F}).view({1, 3, 1});
  CHECK(at::equal(shifted(plan).view({3}), at::tensor({2.0F, 3.0F, 0.0F})));
}

TEST_CASE("imagined return: rewards of the successors up to the one that ends, NaN is worst",
          "[learn][pets][learning]") {
  // Hopper-ET with nothing but a height that falls by ⅖ per step: 1.3, 0.9, 0.5 (over), 0.1.
  const auto task = KnownTask::find(spec_of("Hopper-ET", 1), at::kCPU);
  const ModelStep fall = [](const Tensor& s, const Tensor&) {
    Tensor next = s.clone();
    next.select(1, 0).sub_(0.4);
    return next;
  };
  Tensor start = at::zeros({1, 11});
  start[0][0] = 1.3;
  const Tensor plans = at::zeros({1, 2, 3, 3});
  const auto reward = [](double h) { return -3 * (h - 1.3) * (h - 1.3) + (h > 0.7 ? 1 : 0); };
  const double cut = reward(0.9) + reward(0.5), whole = cut + reward(0.1);
  CHECK_THAT(imagined_return(fall, *task, start, plans, true)[0][1].item<double>(),
             WithinAbs(cut, 1e-5));
  CHECK_THAT(imagined_return(fall, *task, start, plans, false)[0][1].item<double>(),
             WithinAbs(whole, 1e-5));
  const ModelStep lost = [](const Tensor& s, const Tensor&) { return s * std::nan(""); };
  CHECK(imagined_return(lost, *task, start, plans, true)[0][0].item<double>() == -1e6);
}

namespace {

/// The true Pendulum as a model, in its observations. u = 2a.
Tensor pendulum_step(const Tensor& s, const Tensor& action) {
  const Tensor theta = at::atan2(s.select(1, 1), s.select(1, 0));
  const Tensor speed =
      s.select(1, 2) + (15 * theta.sin() + 6 * action.select(1, 0).clamp(-1, 1)) * 0.05;
  const Tensor next = theta + speed * 0.05;
  return at::stack({next.cos(), next.sin(), speed.clamp(-8, 8)}, 1);
}

}  // namespace

TEST_CASE("planning with the true Pendulum as the model holds it down", "[learn][pets][learning]") {
  const auto physics = load_physics("Pendulum", {});
  const auto task = KnownTask::find(physics->spec, at::kCPU);
  // From the task's own starts.
  constexpr std::int64_t kEpisodes = 20, kHorizon = 20;
  std::vector<Env> envs;
  for (std::uint64_t i = 0; i < kEpisodes; ++i) {
    Rng rng = SeedTree(2).stream("start", i);
    envs.emplace_back(physics).reset(rng);
  }
  Tensor plan = at::zeros({kEpisodes, kHorizon, 1});
  double total = 0, gap = 0;
  for (std::uint64_t t = 0; t < 201; ++t) {
    std::vector<double> seen;
    for (const Env& env : envs)
      seen.insert(seen.end(), env.observation().begin(), env.observation().end());
    const Tensor start = table(seen, kEpisodes).to(at::kFloat);
    Rng rng = SeedTree(2).stream("plan", t);
    const PlanScore score = [&](const Tensor& plans) {
      return imagined_return(pendulum_step, *task, start, plans, true);
    };
    plan = cross_entropy_plan(score, plan, {.samples = 50, .elites = 10, .iterations = 3}, rng);
    const Tensor action = plan.select(1, 0);
    const Tensor predicted = pendulum_step(start, action);
    for (std::int64_t i = 0; i < kEpisodes; ++i) {
      Env& env = envs[static_cast<std::size_t>(i)];
      total += env.step(std::vector<double>{action[i][0].item<double>()}).reward / kEpisodes;
      for (std::int64_t k = 0; k < 3; ++k)
        gap = std::max(gap, std::abs(predicted[i][k].item<double>() -
                                     env.observation()[static_cast<std::size_t>(k)]));
    }
    plan = shifted(plan);
  }
  CHECK(gap < 1e-4);  // the model is the task, in float
  CAPTURE(total);
  CHECK(total > 140);
}

namespace {

/// HalfCheetah's reward, v − 0.1 ‖a‖², where the first action alone moves v: v' = v + ½ a₁.
RingBuffer pushed_by_the_first_action(Rng& rng) {
  RingBuffer buffer(17, 6, 400);
  for (int i = 0; i < 400; ++i) {
    std::vector<float> s(17), a(6);
    for (float& x : s) x = static_cast<float>(rng.normal());
    for (float& x : a) x = static_cast<float>(rng.uniform(-1, 1));
    std::vector<float> next = s;
    next[8] += 0.5F * a[0];
    buffer.add({s, a, 0, next, false, false});
  }
  return buffer;
}

AgentConfig one_step_planner(const std::string& algorithm) {
  return read_train_config(preset_path("small"),
                           "algorithm = \"" + algorithm + "\"\nplan_horizon = 1")
      .agent;
}

}  // namespace

TEST_CASE("every planner learns from steps which action pays, and takes it",
          "[learn][pets][learning]") {
  using Case = std::pair<std::string, std::string>;
  const auto [algorithm, propagation] = GENERATE(
      values<Case>({Case("rs", "mean"), Case("pets-rs", "mean"), Case("pets-rs", "ts1"),
                    Case("pets-cem", "mean"), Case("pets-cem", "ts1"), Case("pets-cem", "tsinf")}));
  CAPTURE(algorithm, propagation);
  Rng rng(7);
  const RingBuffer buffer = pushed_by_the_first_action(rng);
  AgentConfig config = one_step_planner(algorithm);
  config.propagation = propagation;
  const Agent agent = make_agent(config, spec_of("HalfCheetah", 1), at::kCPU, SeedTree(1));
  static_cast<void>(agent.update(buffer, rng));
  Tensor states = at::empty({8, 17}, at::kFloat);
  for (std::int64_t i = 0; i < states.numel(); ++i)
    states.data_ptr<float>()[i] = static_cast<float>(rng.normal());
  const Tensor action = agent.play(8)(states, rng, true);
  // A hundredth of uniform actions is better than any with a₁ < ½: the best of 600 or 1,000 is not one of these,
  // and the cross-entropy method is nearer to the best action than random shooting.
  CHECK(action.select(1, 0).min().item<double>() > 0.5);
  CHECK(action.narrow(1, 1, 5).abs().mean().item<double>() <
        0.5);  // cost without use: below uniform's
}

TEST_CASE("plan_on: a plan begins from the last one, or from zero", "[learn][pets]") {
  // With a mean of 0.98 a sample lies within 0.02 of it, and each of three iterations leads at most to its lowest
  // samples: 0.96, 0.92, 0.84. From zero the other wall is in reach.
  const PlanScore other_wall = [](const Tensor& plans) { return -plans.sum({2, 3}); };
  Rng rng(4);
  const CemOptions options{.samples = 500, .elites = 5, .iterations = 3};
  const Tensor near = at::full({1, 1, 1}, 0.98);
  CHECK(cross_entropy_plan(other_wall, near, options, rng).item<double>() > 0.8);
  CHECK(cross_entropy_plan(other_wall, at::zeros_like(near), options, rng).item<double>() < -0.8);

  AgentConfig config = one_step_planner("pets-cem");
  config.plan_horizon = 2;
  const Tensor states = at::zeros({1, 17}, at::kFloat);
  for (const bool on : {true, false}) {
    config.plan_on = on;
    const Agent agent = make_agent(config, spec_of("HalfCheetah", 1), at::kCPU, SeedTree(1));
    const Player player = agent.play(1);
    Rng first(5), second(5);
    const Tensor a = player(states, first, true), b = player(states, second, true);
    CHECK(at::equal(a, b) ==
          !on);  // the same state and draws: what is left is the plan's beginning
  }
}

TEST_CASE("rs: one network without a variance, and nothing to draw particles from",
          "[learn][pets]") {
  const EnvSpec spec = spec_of("HalfCheetah", 1);
  AgentConfig config = one_step_planner("rs");
  CHECK(config.ensemble == 1);
  CHECK(config.plan_samples * config.plan_iterations == 1000);
  const Agent agent = make_agent(config, spec, at::kCPU, SeedTree(1));
  for (const NamedTensor& t : agent.tensors()) {
    if (t.name == "model.weight_2") CHECK(t.tensor.size(0) == 17);  // of s' − s: means alone
  }
  config.propagation = "ts1";
  CHECK_THROWS_WITH(make_agent(config, spec, at::kCPU, SeedTree(1)),
                    Catch::Contains("no variance"));
}

}  // namespace pets_test
