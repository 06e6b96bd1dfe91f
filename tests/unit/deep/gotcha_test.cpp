// The parts of the tasks that look odd and are meant (docs/environments.md).
#include <algorithm>
#include <cmath>

#include "speder/core/tolerance.hpp"
#include "speder/deep/sim/env/env.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/fixture.hpp"

namespace speder::deep::gotcha_test {
namespace {

const SeedTree kSeeds(77);

/// Mean return over `episodes` of a policy on MBBL's Pendulum.
template <class Policy>
double pendulum_return(int episodes, const Policy& policy) {
  Env env(physics_of("Pendulum"));
  double total = 0;
  for (int e = 0; e < episodes; ++e) {
    Rng rng = kSeeds.stream("pendulum", static_cast<std::uint64_t>(e));
    env.reset(rng);
    for (StepResult r; !r.ended(); total += r.reward) {
      r = env.step(std::vector<double>{policy(env.observation()[2])});
    }
  }
  return total / episodes;
}

}  // namespace

TEST_CASE("MBBL rewards the observation before the step", "[deep][gotcha]") {
  Env env(physics_of("HalfCheetah"));
  std::vector<double> q(9, 0.0), v(9, 0.0);
  v[0] = 5.0;
  env.place(q, v);
  const std::vector<double> a(6, 0.5);
  const double reward = env.step(a).reward;
  CHECK(reward == Approx(5.0 - 0.1 * 6 * 0.25).epsilon(tol::kUnit * 8));
  CHECK(env.qvel()[0] != 5.0);  // the step did change the speed
}

TEST_CASE("the step that ends an MBBL episode still earns the alive bonus", "[deep][gotcha]") {
  Env env(physics_of("Hopper-ET"));
  std::vector<double> q = {0, 1.25, 0.195, 0, 0, 0}, v(6, 0.0);
  v[2] = 2.0;  // tilts past 0.2 within one control step of 0.008 s
  env.place(q, v);
  const StepResult step = env.step(std::vector<double>(3, 0.0));
  CHECK(step.terminated);
  CHECK(step.reward == Approx(1.0 - 3 * (1.25 - 1.3) * (1.25 - 1.3)).epsilon(tol::kUnit * 8));
}

TEST_CASE("the walkers' hidden root coordinates start at zero; the humanoids' do not",
          "[deep][gotcha]") {
  Rng rng = kSeeds.stream("hidden");
  for (const char* name : {"HalfCheetah", "Hopper-ET", "Walker-ET", "Ant-ET"}) {
    Env env(physics_of(name));
    env.reset(rng);
    CHECK(env.qpos()[0] == 0);
    CHECK((std::string(name) != "Ant-ET" || env.qpos()[1] == 0));
  }
  for (const char* name : {"Humanoid-ET", "S-Humanoid-ET"}) {
    Env env(physics_of(name));
    env.reset(rng);
    CHECK(env.qpos()[0] != 0);
    CHECK(env.qpos()[1] != 0);
  }
}

TEST_CASE("contact forces reach Humanoid-ET's observation and its reward", "[deep][gotcha]") {
  Env env(physics_of("Humanoid-ET"), {.keep_going = true});
  Rng rng = kSeeds.stream("contact");
  env.reset(rng);
  double largest = 0;
  for (int t = 0; t < 100; ++t) {
    env.step(std::vector<double>(17, 0.0));
    for (const double f : env.observation().last(84)) largest = std::max(largest, std::abs(f));
  }
  CHECK(largest > 100);  // a 40 kg body stands on its feet: hundreds of newtons
}

TEST_CASE("MBBL's Pendulum rewards hanging down", "[deep][gotcha]") {
  // Damping a = −θ̇ scores 172.8 ± 28 per episode, no action about −156. The mean of 100
  // episodes has a standard error of 2.8; six of them on both sides of the comparison: 24.
  CHECK(std::abs(pendulum_return(100, [](double speed) { return -speed; }) - 172.8) < 24);
  CHECK(pendulum_return(100, [](double) { return 0.0; }) < 0);
}

TEST_CASE("control-suite quantities are current after a step", "[deep][gotcha]") {
  const std::string name = GENERATE("cheetah_run", "walker_run", "humanoid_run", "hopper_hop");
  CAPTURE(name);
  Env env(physics_of(name));
  Rng rng = kSeeds.stream("current");
  env.reset(rng);
  const std::vector<double> a(static_cast<std::size_t>(env.spec().action_size), 0.7);
  for (int t = 0; t < 20; ++t) env.step(a);
  const World& world = env.world();
  const double speed = world.data->sensordata[world.sensor[0]];
  const DataPtr copy = make_data(*world.model);
  std::copy(world.qpos.begin(), world.qpos.end(), copy->qpos);
  std::copy(world.qvel.begin(), world.qvel.end(), copy->qvel);
  mj_forward(world.model, copy.get());
  CHECK(speed == copy->sensordata[world.sensor[0]]);
}

TEST_CASE("CartPole never terminates and only the action's sign counts", "[deep][gotcha]") {
  Env strong(physics_of("CartPole")), weak(physics_of("CartPole"));
  Rng one = kSeeds.stream("cart"), two = kSeeds.stream("cart");
  strong.reset(one);
  weak.reset(two);
  for (int t = 0; t < 200; ++t) {
    CHECK_FALSE(strong.step(std::vector<double>{1.0}).ended());
    CHECK_FALSE(weak.step(std::vector<double>{0.01}).ended());
  }
  CHECK(std::equal(strong.qpos().begin(), strong.qpos().end(), weak.qpos().begin()));
  CHECK(strong.qpos()[0] > 2.4);  // far outside gym's own limits
}

}  // namespace speder::deep::gotcha_test
