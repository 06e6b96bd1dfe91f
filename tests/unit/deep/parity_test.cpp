// The heart of the environments: C++ replays what the unmodified peers did (docs/environments.md).
#include <algorithm>
#include <cmath>
#include <string>

#include "speder/deep/sim/tasks/tasks.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/fixture.hpp"

namespace speder::deep::parity_test {
namespace {

// The same libmujoco makes the same calls, so states agree to the last bit; what is left is the
// order of a few additions and libm calls in rewards and in derived observations.
constexpr double kParity = 1e-9;

/// Observations that are copies of simulator memory must be equal, not close. hopper_hop has log1p,
/// humanoid_run rotates limb positions, Reacher, Pendulum and CartPole use sin and cos.
bool copies_memory(const std::string& task) {
  for (const char* derived : {"hopper_hop", "humanoid_run", "Reacher", "Pendulum", "CartPole"}) {
    if (task == derived) return false;
  }
  return true;
}

double largest_gap(std::span<const double> a, std::span<const double> b) {
  REQUIRE(a.size() == b.size());
  double gap = 0;
  for (std::size_t i = 0; i < a.size(); ++i) gap = std::max(gap, std::abs(a[i] - b[i]));
  return gap;
}

struct Gaps {
  double observation = 0;
  double reward = 0;
  int flags = 0;  // steps whose terminated flag differs
};

/// Replays `segment` of the fixture; observations are compared at every `stride`-th step.
Gaps replay(const std::string& task, const H5File& file, const std::string& segment,
            const std::string& rewards_name) {
  Env env(physics_of(task), {.keep_going = true});
  const auto read = [&](const std::string& name) { return file.read(segment + "/" + name); };
  const H5Array actions = read("actions");
  const H5Array observations = read("observations");
  const H5Array rewards = read(rewards_name);
  const H5Array flags = file.has(segment + "/terminated") ? read("terminated") : H5Array{};
  const auto stride =
      static_cast<std::size_t>(file.has(segment + "/stride") ? read("stride").values.at(0) : 1.0);
  Gaps gaps;
  env.place(read("qpos").values, read("qvel").values);
  gaps.observation = largest_gap(env.observation(), row(observations, 0));
  REQUIRE(rewards.values.size() == actions.shape[0]);
  for (std::size_t t = 0; t < actions.shape[0]; ++t) {
    const StepResult step = env.step(row(actions, t));
    gaps.reward = std::max(gaps.reward, std::abs(step.reward - rewards.values[t]));
    const bool terminated = !flags.values.empty() && flags.values[t] != 0;
    gaps.flags += terminated != step.terminated ? 1 : 0;
    if ((t + 1) % stride != 0) continue;
    const double gap = largest_gap(env.observation(), row(observations, (t + 1) / stride));
    gaps.observation = std::max(gaps.observation, gap);
  }
  return gaps;
}

void check(const std::string& task, const Gaps& gaps) {
  CHECK(gaps.observation <= (copies_memory(task) ? 0.0 : kParity));
  CHECK(gaps.reward <= kParity);
  CHECK(gaps.flags == 0);
}

}  // namespace

TEST_CASE("DMC tasks follow dm_control 1.0.50 over 1,000 steps", "[deep][parity][dmc]") {
  const std::string task = GENERATE("cheetah_run", "walker_run", "humanoid_run", "hopper_hop");
  const std::string segment = GENERATE("main", "fast");
  CAPTURE(task, segment);
  const H5File file = fixture(task);
  if (segment == "main") REQUIRE(file.shape("main/actions").at(0) == 1000);
  check(task, replay(task, file, segment, "rewards"));
}

TEST_CASE("sparse DMC tasks zero the rewards below 0.25", "[deep][parity][dmc]") {
  const std::string task = GENERATE("cheetah_run", "walker_run");
  const std::string segment = GENERATE("main", "fast");
  CAPTURE(task, segment);
  const H5File file = fixture(task);
  check(task, replay(task + "_sparse", file, segment, "rewards_sparse"));
  const auto rewards = file.read("fast/rewards_sparse").values;
  CHECK(std::count(rewards.begin(), rewards.end(), 0.0) > 0);  // both sides of the threshold
  CHECK(*std::max_element(rewards.begin(), rewards.end()) > 0.25);
}

TEST_CASE("MBBL tasks follow gymnasium's physics and the published formulas over 1,000 steps",
          "[deep][parity][mbbl]") {
  const std::string task = GENERATE("HalfCheetah", "Reacher", "Humanoid-ET", "I-Pendulum", "Ant-ET",
                                    "Hopper-ET", "S-Humanoid-ET", "Walker-ET");
  CAPTURE(task);
  const H5File file = fixture(task);
  REQUIRE(file.shape("main/actions").at(0) == 1000);
  check(task, replay(task, file, "main", "rewards"));
}

TEST_CASE("closed-form tasks follow gymnasium's CartPole and the published Pendulum",
          "[deep][parity][mbbl]") {
  const std::string task = GENERATE("CartPole", "Pendulum");
  CAPTURE(task);
  check(task, replay(task, fixture(task), "main", "rewards"));
}

TEST_CASE("MBBL rewards and ends equal their formulas on both sides of every threshold",
          "[deep][parity][mbbl]") {
  const std::string name = GENERATE("HalfCheetah", "Reacher", "Humanoid-ET", "I-Pendulum", "Ant-ET",
                                    "Hopper-ET", "S-Humanoid-ET", "Walker-ET");
  CAPTURE(name);
  const H5File file = fixture(name);
  const H5Array observations = file.read("formula/observations");
  const H5Array actions = file.read("formula/actions");
  const H5Array rewards = file.read("formula/rewards");
  const H5Array terminated = file.read("formula/terminated");
  const auto physics = physics_of(name);
  const Task& task = *physics->task;
  double gap = 0;
  int wrong = 0;
  for (std::size_t i = 0; i < rewards.values.size(); ++i) {
    std::vector<double> action(row(actions, i).begin(), row(actions, i).end());
    for (double& a : action) a *= physics->spec.action_high[0];
    const double reward = task.reward({World{}, row(observations, i), action});
    gap = std::max(gap, std::abs(reward - rewards.values[i]));
    wrong += task.terminated(row(observations, i)) != (terminated.values[i] != 0) ? 1 : 0;
  }
  CHECK(gap <= kParity);
  CHECK(wrong == 0);
}

TEST_CASE("cheetah_run settles as dm_control's reset does", "[deep][parity][dmc]") {
  const H5File file = fixture("cheetah_run");
  Env env(physics_of("cheetah_run"));
  World& world = env.world();
  const Dynamics calls = env.physics().task->dynamics;
  calls.clear(world);
  const auto drawn = file.read("settle/drawn").values;
  std::copy(drawn.begin(), drawn.end(), world.qpos.begin());
  control_suite_step(world, 200);
  calls.finish(world);
  CHECK(largest_gap(world.qpos, file.read("settle/qpos").values) == 0.0);
  CHECK(largest_gap(world.qvel, file.read("settle/qvel").values) == 0.0);
}

}  // namespace speder::deep::parity_test
