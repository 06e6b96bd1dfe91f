#include "speder/deep/sim/env/vector_env.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/catch.hpp"
#include "tests/unit/deep/fixture.hpp"

namespace speder::deep::vector_env_test {
namespace {

const SeedTree kSeeds(11);

std::vector<float> random_actions(std::size_t size, Rng& rng) {
  std::vector<float> actions(size);
  for (float& a : actions) a = static_cast<float>(rng.uniform(-1, 1));
  return actions;
}

template <class T>
void append(std::vector<double>& log, std::span<const T> values) {
  log.insert(log.end(), values.begin(), values.end());
}

/// Everything the buffers showed over `steps` steps.
std::vector<double> history(const std::string& task, int threads, int steps) {
  VectorEnv env(physics_of(task), {.envs = 5, .threads = threads}, kSeeds);
  Rng rng = kSeeds.stream("actions");
  const auto width = static_cast<std::size_t>(5 * env.spec().action_size);
  std::vector<double> log;
  env.reset();
  append(log, env.observations());
  for (int t = 0; t < steps; ++t) {
    env.step(random_actions(width, rng));
    append(log, env.observations());
    append(log, env.next_observations());
    append(log, env.rewards());
    append(log, env.terminated());
    append(log, env.truncated());
  }
  return log;
}

}  // namespace

TEST_CASE("vectorised stepping gives the same numbers for any thread count", "[deep][vector]") {
  const std::string task = GENERATE("Hopper-ET", "cheetah_run", "CartPole");
  CAPTURE(task);
  const int steps = task == "cheetah_run" ? 60 : 250;  // Hopper-ET and CartPole cross episode ends
  const std::vector<double> one = history(task, 1, steps);
  CHECK(one == history(task, 2, steps));
  CHECK(one == history(task, 4, steps));
}

TEST_CASE("each member is a lone environment on its own stream", "[deep][vector]") {
  VectorEnv many(physics_of("Hopper-ET"), {.envs = 3, .threads = 2}, kSeeds);
  Env lone(physics_of("Hopper-ET"));
  Rng stream = kSeeds.stream("env", 2), actions = kSeeds.stream("lone");
  many.reset();
  lone.reset(stream);
  int ends = 0;
  for (int t = 0; t < 200; ++t) {
    const std::vector<float> a = random_actions(9, actions);
    const StepResult expected = lone.step(std::vector<double>(a.begin() + 6, a.end()));
    many.step(a);
    CHECK(many.rewards()[2] == static_cast<float>(expected.reward));
    CHECK(many.terminated()[2] == static_cast<std::uint8_t>(expected.terminated));
    CHECK(many.next_observations()[2 * 11 + 4] == static_cast<float>(lone.observation()[4]));
    if (expected.ended()) {
      ++ends;
      lone.reset(stream);
    }
    CHECK(many.observations()[2 * 11 + 4] == static_cast<float>(lone.observation()[4]));
  }
  CHECK(ends > 0);
}

TEST_CASE("a blown-up member is truncated and no buffer holds a non-finite number",
          "[deep][vector]") {
  VectorEnv env(physics_of("walker_run"), {.envs = 4, .threads = 2}, kSeeds);
  env.reset();
  env.member(1).world().qvel[3] = std::numeric_limits<double>::quiet_NaN();
  env.step(std::vector<float>(24, 0.0F));
  CHECK(env.truncated()[1] == 1);
  CHECK(env.terminated()[1] == 0);
  CHECK(env.truncated()[0] == 0);
  CHECK(env.unstable_episodes() == 1);
  const auto finite = [](std::span<const float> v) {
    return std::all_of(v.begin(), v.end(), [](float x) { return std::isfinite(x); });
  };
  CHECK(finite(env.observations()));
  CHECK(finite(env.next_observations()));
  CHECK(finite(env.rewards()));
  env.step(std::vector<float>(24, 0.0F));
  CHECK(env.truncated()[1] == 0);
}

TEST_CASE("vectorised actions are checked before anything moves", "[deep][vector]") {
  VectorEnv env(physics_of("Pendulum"), {.envs = 3, .threads = 2}, kSeeds);
  env.reset();
  const std::vector<float> before(env.observations().begin(), env.observations().end());
  CHECK_THROWS_AS(env.step(std::vector<float>(2)), std::invalid_argument);
  CHECK_THROWS_AS(env.step(std::vector<float>{0, NAN, 0}), std::invalid_argument);
  CHECK(env.member(0).steps() == 0);
  CHECK(std::equal(before.begin(), before.end(), env.observations().begin()));
  CHECK_THROWS_AS(VectorEnv(physics_of("Pendulum"), {.envs = 0, .threads = 1}, kSeeds),
                  std::invalid_argument);
}

}  // namespace speder::deep::vector_env_test
