#include "speder/deep/sim/rollout.hpp"

#include <cmath>
#include <filesystem>

#include "speder/core/check.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/fixture.hpp"

namespace speder::deep::rollout_test {
namespace {

const SeedTree kSeeds(31);

std::filesystem::path scratch(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("speder_rollout_test_" + name);
}

void write_matrix(H5File& file, const std::string& name, const std::vector<double>& values,
                  std::uint64_t rows) {
  file.write(name, std::span<const double>(values), {rows, values.size() / rows});
}

}  // namespace

TEST_CASE("a replay returns T+1 observations and goes on past the end", "[deep][rollout]") {
  Env env(physics_of("Hopper-ET"), {.keep_going = true});
  Rng rng = kSeeds.stream("past");
  env.reset(rng);
  const H5Array actions{{400, 3}, std::vector<double>(1200, 1.0)};
  const Trajectory t = replay_actions(env, actions, {});
  CHECK(t.steps() == 400);
  CHECK(t.observations.size() == 401 * 11);
  CHECK(t.terminated[399] == 1);  // it fell and stays fallen
  CHECK(t.terminated[0] == 0);
  CHECK_THROWS_AS(replay_actions(env, {{5, 2}, std::vector<double>(10)}, {}),
                  std::invalid_argument);
}

TEST_CASE("a written rollout replays to the same numbers", "[deep][rollout]") {
  const auto path = scratch("replay.h5");
  Env env(physics_of("walker_run"));
  Rng rng = kSeeds.stream("episode"), noise = kSeeds.stream("noise");
  env.reset(rng);
  const Trajectory first = run_episode(env, random_controller(noise), {});
  write_trajectories(path, env.spec(), {first});
  const H5File file = H5File::open(path);
  CHECK(file.shape("observations") == std::vector<std::uint64_t>{1001, 24});
  CHECK(file.shape("terminated") == std::vector<std::uint64_t>{1000});
  CHECK(file.read("lengths").values.at(0) == 1000);
  env.place(file.read("qpos").values, file.read("qvel").values);
  const Trajectory again = replay_actions(env, file.read("actions"), {});
  CHECK(again.observations == first.observations);  // reset and place make the same calls here
  CHECK(again.rewards == first.rewards);
  CHECK(again.truncated.back() == 1);
  std::filesystem::remove(path);
}

TEST_CASE("a network policy computes tanh of ReLU layers", "[deep][rollout]") {
  const auto path = scratch("net.h5");
  const EnvSpec spec = physics_of("Pendulum")->spec;  // 3 observations, 1 action
  {
    H5File file = H5File::create(path);
    write_matrix(file, "weight_0", {1, 0, 0, 0, -1, 2}, 2);
    file.write("bias_0", std::span<const double>(std::vector<double>{0.5, 0.0}), {2});
    write_matrix(file, "weight_1", {0.25, -1.0}, 1);
    file.write("bias_1", std::span<const double>(std::vector<double>{0.1}), {1});
    file.commit();
  }
  const Controller policy = network_controller(path, spec);
  std::vector<double> action(1);
  policy(std::vector<double>{0.5, 0.25, 1.0}, action);
  CHECK(action[0] == Approx(std::tanh(0.25 * 1.0 - 1.75 + 0.1)));
  policy(std::vector<double>{-1.0, 0.25, 0.0}, action);
  CHECK(action[0] == Approx(std::tanh(0.1)));  // both hidden units are cut at zero
  CHECK_THROWS_AS(network_controller(path, physics_of("CartPole")->spec), ConfigError);
  std::filesystem::remove(path);
}

}  // namespace speder::deep::rollout_test
