#include "speder/deep/sim/env/env.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "speder/core/check.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/fixture.hpp"

namespace speder::deep::env_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const SeedTree kSeeds(2023);

std::vector<double> zeros(const Env& env) {
  return std::vector<double>(static_cast<std::size_t>(env.spec().action_size), 0.0);
}

/// Steps with zero actions until the episode ends; the last result.
StepResult run_out(Env& env) {
  StepResult last;
  while (!last.ended()) last = env.step(zeros(env));
  return last;
}

}  // namespace

TEST_CASE("every task has the sizes, control step and length of the paper's tables",
          "[deep][env]") {
  struct Row {
    const char* name;
    int observation, action, limit;
    double step, high;
  };
  const Row row = GENERATE(  // sizes and limits of the originals
      Row{"HalfCheetah", 17, 6, 1000, .05, 1}, Row{"Reacher", 11, 2, 50, .02, 1},
      Row{"Humanoid-ET", 376, 17, 1000, .015, .4}, Row{"Pendulum", 3, 1, 201, .05, 2},
      Row{"I-Pendulum", 4, 1, 101, .04, 3}, Row{"Ant-ET", 27, 8, 1000, .05, 1},
      Row{"Hopper-ET", 11, 3, 1000, .008, 1}, Row{"S-Humanoid-ET", 45, 17, 1000, .015, .4},
      Row{"CartPole", 4, 1, 201, .02, 1}, Row{"Walker-ET", 17, 6, 1000, .008, 1},
      Row{"cheetah_run", 17, 6, 1000, .01, 1}, Row{"cheetah_run_sparse", 17, 6, 1000, .01, 1},
      Row{"walker_run", 24, 6, 1000, .025, 1}, Row{"walker_run_sparse", 24, 6, 1000, .025, 1},
      Row{"humanoid_run", 67, 21, 1000, .025, 1}, Row{"hopper_hop", 15, 4, 1000, .02, 1},
      Row{"PointMaze-medium", 4, 2, 600, .01, 1}, Row{"PointMaze-large", 4, 2, 800, .01, 1},
      Row{"AntMaze-medium", 29, 8, 1000, .1, 30}, Row{"AntMaze-large", 29, 8, 1000, .1, 30},
      Row{"AntDirection", 29, 8, 1000, .1, 30});
  CAPTURE(row.name);
  Env env(physics_of(row.name));
  const EnvSpec& spec = env.spec();
  CHECK(spec.observation_size == row.observation);
  CHECK(spec.action_size == row.action);
  CHECK(spec.max_steps == row.limit);
  CHECK(spec.control_step == Approx(row.step));
  for (const double high : spec.action_high) CHECK(high == row.high);
  for (const double low : spec.action_low) CHECK(low == -row.high);
  Rng rng = kSeeds.stream("sizes");
  CHECK(env.reset(rng).size() == static_cast<std::size_t>(row.observation));
}

TEST_CASE("the table lists twenty-one tasks with different names", "[deep][env]") {
  CHECK(tasks().size() == 21);
  for (const Task& task : tasks()) CHECK(&find_task(task.name) == &task);
  CHECK_THROWS_AS(find_task("Swimmer"), InputError);
}

TEST_CASE("a step limit truncates at the table's step and is never a termination", "[deep][env]") {
  const std::string name = GENERATE("HalfCheetah", "Reacher", "Pendulum", "I-Pendulum", "CartPole",
                                    "cheetah_run", "walker_run_sparse", "hopper_hop");
  CAPTURE(name);
  Env env(physics_of(name));
  Rng rng = kSeeds.stream("limit");
  env.reset(rng);
  const StepResult last = run_out(env);
  CHECK(env.steps() == env.spec().max_steps);
  CHECK(last.truncated);
  CHECK_FALSE(last.terminated);
  CHECK_FALSE(last.unstable);
  CHECK_THROWS_AS(env.step(zeros(env)), std::logic_error);
}

TEST_CASE("falling terminates before the limit and is no truncation", "[deep][env]") {
  const std::string name = GENERATE("Hopper-ET", "Walker-ET", "S-Humanoid-ET", "Humanoid-ET");
  CAPTURE(name);
  Env env(physics_of(name));
  Rng rng = kSeeds.stream("fall");
  env.reset(rng);
  const StepResult last = run_out(env);
  CHECK(env.steps() < env.spec().max_steps);
  CHECK(last.terminated);
  CHECK_FALSE(last.truncated);
}

TEST_CASE("an action of wrong size or with a non-finite entry is refused and changes nothing",
          "[deep][env]") {
  Env env(physics_of("hopper_hop"));
  CHECK_THROWS_AS(env.step(zeros(env)), std::logic_error);  // before the first reset
  Rng rng = kSeeds.stream("refuse");
  env.reset(rng);
  const std::vector<double> before(env.qpos().begin(), env.qpos().end());
  CHECK_THROWS_AS(env.step(std::vector<double>(3)), std::invalid_argument);
  CHECK_THROWS_AS(env.step(std::vector<double>{0, kNaN, 0, 0}), std::invalid_argument);
  CHECK_THROWS_AS(env.step(std::vector<double>{0, 0, 0, -1.0 / 0.0}), std::invalid_argument);
  CHECK(std::equal(before.begin(), before.end(), env.qpos().begin()));
  CHECK_NOTHROW(env.step(zeros(env)));
}

TEST_CASE("actions are scaled to the task's own units and clipped to [-1, 1]", "[deep][env]") {
  const std::string name = GENERATE("S-Humanoid-ET", "I-Pendulum", "Pendulum", "cheetah_run");
  CAPTURE(name);
  Env env(physics_of(name));
  Rng rng = kSeeds.stream("scale");
  const auto size = static_cast<std::size_t>(env.spec().action_size);
  for (const double a : {-7.0, -1.0, -0.5, 0.0, 0.25, 1.0, 3.0}) {
    env.reset(rng);
    env.step(std::vector<double>(size, a));
    const double clipped = std::max(-1.0, std::min(a, 1.0));
    for (const double u : env.world().control) CHECK(u == env.spec().action_high[0] * clipped);
  }
}

TEST_CASE("a simulation that blows up is truncated, counted and leaves finite numbers",
          "[deep][env]") {
  const std::string name = GENERATE("HalfCheetah", "Hopper-ET", "walker_run", "humanoid_run");
  CAPTURE(name);
  Env env(physics_of(name));
  Rng rng = kSeeds.stream("blow-up");
  env.reset(rng);
  const double bad = GENERATE(false, true) ? kNaN : 1e12;
  CAPTURE(bad);
  env.world().qvel[0] = bad;
  const std::vector<double> sound(env.observation().begin(), env.observation().end());
  const StepResult result = env.step(zeros(env));
  CHECK(result.truncated);
  CHECK(result.unstable);
  CHECK_FALSE(result.terminated);
  CHECK(result.reward == 0);
  CHECK(std::equal(sound.begin(), sound.end(), env.observation().begin()));
  CHECK(env.unstable_episodes() == 1);
  CHECK_THROWS_AS(env.step(zeros(env)), std::logic_error);
  env.reset(rng);
  CHECK_FALSE(env.step(zeros(env)).unstable);
}

TEST_CASE("a given state must fit and be finite", "[deep][env]") {
  Env env(physics_of("Hopper-ET"));
  const std::vector<double> six(6, 0.0);
  CHECK_THROWS_AS(env.place(std::vector<double>(5), six), std::invalid_argument);
  CHECK_THROWS_AS(env.place(six, std::vector<double>(7)), std::invalid_argument);
  CHECK_THROWS_AS(env.place(six, std::vector<double>(6, kNaN)), std::invalid_argument);
  CHECK_THROWS_AS(env.place(six, std::vector<double>(6, 1e15)), std::invalid_argument);
}

TEST_CASE("a missing model names the file, the package and the command", "[deep][env]") {
  try {
    (void)load_physics("walker_run", "/nonexistent");
    FAIL("no error");
  } catch (const InputError& error) {
    const std::string message = error.what();
    CAPTURE(message);
    for (const char* part : {"/nonexistent/dm_control/suite/walker.xml", "dm_control==1.0.50",
                             "pip install --no-deps", "setup/install deep", "--packages"}) {
      CHECK(message.find(part) != std::string::npos);
    }
    CHECK(message.find('\n') == std::string::npos);
  }
}

}  // namespace speder::deep::env_test
