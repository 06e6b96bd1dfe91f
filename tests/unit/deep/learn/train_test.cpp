#include "speder/deep/train/loop.hpp"
#include "speder/deep/train/saved_state.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <limits>

#include "speder/core/check.hpp"
#include "speder/deep/learn/agents/agent.hpp"
#include "speder/deep/sim/controller.hpp"
#include "speder/deep/sim/env/env.hpp"
#include "speder/deep/train/checkpoint.hpp"
#include "speder/deep/train/run_folder.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/learn/point_task.hpp"

using namespace speder;
using namespace speder::deep;
namespace fs = std::filesystem;

namespace train_test {
namespace {

TrainConfig tiny_run(const std::string& algorithm) {
  TrainConfig c;
  c.env = "Point";
  c.steps = 400;
  c.random_steps = 60;
  c.replay = 150;  // wraps
  c.eval_every = 100;
  c.eval_episodes = 3;
  c.agent.algorithm = algorithm;
  c.agent.feature_dim = 8;
  c.agent.feature_hidden = {16};
  c.agent.critic_width = 16;
  c.agent.actor_hidden = {16};
  c.agent.batch = 16;
  c.agent.rollout = 90;
  c.agent.epochs = 2;
  c.agent.bonus = 1;
  c.agent.bonus_refresh = 25;
  if (imagines_rewards(algorithm) || algorithm == "dreamer") c.agent.update_every = 75;
  c.agent.model_hidden = {16};
  c.agent.model_steps = 20;
  c.agent.plan_horizon = 3;
  c.agent.plan_samples = 10;
  c.agent.plan_elites = 3;
  c.agent.imagined_steps = 40;
  c.agent.imagined_length = 10;
  c.agent.policy_rounds = 2;
  c.agent.latent_groups = 3;
  c.agent.latent_classes = 4;
  c.agent.recurrent = 8;
  c.agent.dreamer_hidden = {8, 8};
  c.agent.sequences = 4;
  c.agent.sequence_length = 6;
  c.agent.imagine_horizon = 3;
  c.agent.imagine_starts = 12;
  c.agent.pretrain = 2;
  c.agent.projection = 8;
  c.agent.prototypes = 8;
  return c;
}

struct TemporaryFolder {
  explicit TemporaryFolder(const std::string& name)
      : path(fs::temp_directory_path() / ("speder_learn_" + name + std::to_string(::getpid()))) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~TemporaryFolder() { fs::remove_all(path); }
  fs::path path;
};

/// Stops once `steps` steps are done.
TrainObserver stop_after(int steps) {
  auto count = std::make_shared<int>(0);
  TrainObserver o;
  o.stop = [count, steps] { return (*count)++ >= steps; };
  return o;
}

RunPlace saving(const fs::path& folder, bool resume = false) {
  return {.device = at::kCPU, .checkpoints = folder, .checkpoint_every = 50, .resume = resume};
}

void overwrite_byte(const fs::path& file, std::uintmax_t offset) {
  const auto position = static_cast<std::streamoff>(offset);
  std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
  f.seekg(position);
  const int byte = f.get();
  f.seekp(position);
  f.put(static_cast<char>(byte ^ 0x40));
}

}  // namespace

TEST_CASE("policy.h5 is the actor, the units of its states included", "[learn][train]") {
  TrainConfig config = tiny_run("speder");
  config.env = "Pendulum";
  config.steps = 100;
  config.agent.actor_observation_norm = GENERATE(false, true);
  const TemporaryFolder folder("policy");
  const TrainResult result = train_in_folder(config, {.path = folder.path, .packages = {}}, {});
  const auto physics = load_physics(config.env, {});
  const Controller saved = network_controller(folder.path / "policy.h5", physics->spec);
  const Agent agent = make_agent(config.agent, physics->spec, at::kCPU, SeedTree(0));
  const auto tensors = agent.tensors();
  REQUIRE(tensors.size() == result.tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i)
    tensors[i].tensor.detach().copy_(result.tensors[i].tensor.detach());
  Rng rng(1);
  for (int k = 0; k < 20; ++k) {
    const std::vector<double> x = {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-8, 8)};
    std::vector<double> action(1);
    saved(x, action);
    const Tensor seen = at::tensor(x).to(at::kFloat).unsqueeze(0);
    // float32 products of 16 terms, the units of each in the weights or before them
    CHECK(std::abs(agent.act(seen, {}).item<double>() - action[0]) < 1e-5);
  }
}

TEST_CASE("resume: interrupted anywhere, the run ends with the same numbers bit for bit",
          "[learn][train]") {
  const auto [algorithm, overlap] =
      GENERATE(table<std::string, bool>({{"speder", false},
                                         {"speder", true},
                                         {"speder with everything", false},
                                         {"ppo", false},
                                         {"trpo", false},
                                         {"rs", false},
                                         {"pets-cem", false},
                                         {"metrpo", false},
                                         {"spede", false},
                                         {"dreamer", false},
                                         {"proto", true}}));
  const int stop = GENERATE(30, 333);
  CAPTURE(algorithm, overlap, stop);
  const bool everything = algorithm == "speder with everything";
  TrainConfig config = tiny_run(everything ? "speder" : algorithm);
  if (everything) {
    config.agent.unit_every = 7;
    config.agent.feature_decay = 20;
    config.agent.scaled_bonus = 1;
    config.agent.bonus_refresh = 11;
    config.agent.returns = 3;
    config.agent.head_raw = true;
    config.agent.head_layers = 2;
    config.agent.in_batch = true;
    config.agent.successor_noise = 0.5;
    config.agent.feature_whiten = 0.01;
    config.agent.actor_observation_norm = true;
    config.agent.twin = "mean";
  }
  config.overlap = overlap;
  config.steps = 390;  // ends between two evaluations
  // what imagines rewards needs a task whose reward is known
  const bool imagines = imagines_rewards(algorithm);
  const auto physics = imagines ? load_physics("Pendulum", {}) : point_physics();
  const TrainResult whole = train(config, physics, {});
  REQUIRE(whole.measures.size() > 8);
  const TemporaryFolder folder("resume");
  const TrainResult part = train(config, physics, saving(folder.path), stop_after(stop));
  CHECK(part.end == TrainEnd::kInterrupted);
  std::int64_t from = 0;
  TrainObserver observer;
  observer.resumed = [&](std::int64_t step) { from = step; };
  const TrainResult rest = train(config, physics, saving(folder.path, true), observer);
  CHECK((from > 0) == (stop > 60));  // the first checkpoint comes with the episode that ends at 60
  CHECK((rest.measures == whole.measures));
}

TEST_CASE("resume: an evaluation before the next update shows the last one's losses",
          "[learn][train]") {
  // Updates at 285 and 360 (trpo: 270, 360), a checkpoint at 288, an evaluation at 300.
  const std::string algorithm = GENERATE("speder", "dreamer", "proto", "trpo");
  CAPTURE(algorithm);
  TrainConfig config = tiny_run(algorithm);
  config.agent.update_every = 75;
  config.steps = 390;
  const TrainResult whole = train(config, point_physics(), {});
  const TemporaryFolder folder("losses");
  RunPlace place = saving(folder.path);
  place.checkpoint_every = 48;
  static_cast<void>(train(config, point_physics(), place, stop_after(290)));
  place.resume = true;
  std::int64_t from = 0;
  TrainObserver observer;
  observer.resumed = [&](std::int64_t step) { from = step; };
  const TrainResult rest = train(config, point_physics(), place, observer);
  CHECK(from == 288);
  CHECK((rest.measures == whole.measures));
}

TEST_CASE("resume: a damaged checkpoint is passed over for the previous one", "[learn][train]") {
  const TrainConfig config = tiny_run("sac2");
  const TrainResult whole = train(config, point_physics(), {});
  const TemporaryFolder folder("damage");
  static_cast<void>(train(config, point_physics(), saving(folder.path), stop_after(250)));
  const fs::path newest = folder.path / "checkpoint.bin";
  const std::string damage = GENERATE("truncated", "one bit flipped", "empty", "missing");
  CAPTURE(damage);
  if (damage == "truncated") fs::resize_file(newest, fs::file_size(newest) / 2);
  if (damage == "one bit flipped") overwrite_byte(newest, fs::file_size(newest) / 2);
  if (damage == "empty") fs::resize_file(newest, 0);
  if (damage == "missing") fs::remove(newest);
  std::string warning;
  std::int64_t from = 0;
  TrainObserver observer;
  observer.warning = [&](const std::string& w) { warning = w; };
  observer.resumed = [&](std::int64_t step) { from = step; };
  const TrainResult rest = train(config, point_physics(), saving(folder.path, true), observer);
  CHECK(warning.empty() == (damage == "missing"));
  CHECK(from > 0);
  CHECK((rest.measures == whole.measures));
}

TEST_CASE("resume: killed between two renames, or with both checkpoints damaged",
          "[learn][train]") {
  const TrainConfig config = tiny_run("sac2");
  const TrainResult whole = train(config, point_physics(), {});
  const TemporaryFolder folder("renames");
  static_cast<void>(train(config, point_physics(), saving(folder.path), stop_after(250)));
  const fs::path newest = folder.path / "checkpoint.bin";
  const fs::path previous = folder.path / "checkpoint.previous.bin";
  const bool temporary = GENERATE(true, false);
  if (temporary) fs::rename(newest, folder.path / "checkpoint.new.bin");
  if (!temporary) overwrite_byte(newest, 100);
  overwrite_byte(previous, 100);
  std::string warning;
  std::int64_t from = 0;
  TrainObserver observer;
  observer.warning = [&](const std::string& w) { warning = w; };
  observer.resumed = [&](std::int64_t step) { from = step; };
  const TrainResult rest = train(config, point_physics(), saving(folder.path, true), observer);
  CHECK((from > 0) == temporary);
  CHECK((warning.find("from its beginning") == std::string::npos) == temporary);
  CHECK((rest.measures == whole.measures));
}

TEST_CASE("overlap: one seed twice is identical, differs from one after the other, not for ppo",
          "[learn][train]") {
  TrainConfig config = tiny_run("sac2");
  const TrainResult apart = train(config, point_physics(), {});
  config.overlap = true;
  const TrainResult first = train(config, point_physics(), {});
  CHECK((first.measures == train(config, point_physics(), {}).measures));
  CHECK_FALSE((first.measures == apart.measures));
  config.agent.algorithm = "ppo";
  CHECK_THROWS_WITH(train(config, point_physics(), {}), Catch::Contains("overlap"));
}

TEST_CASE("resume: other settings are refused", "[learn][train]") {
  TrainConfig config = tiny_run("sac2");
  const TemporaryFolder folder("settings");
  static_cast<void>(train(config, point_physics(), saving(folder.path), stop_after(100)));
  config.agent.discount = 0.5;
  CHECK_THROWS_WITH(train(config, point_physics(), saving(folder.path, true)),
                    Catch::Contains("other settings"));
}

TEST_CASE("a full disk is one clear error, and the checkpoint that was there stays",
          "[learn][train]") {
  const TemporaryFolder folder("full");
  const std::string small = "state";
  save_checkpoint(folder.path, {{"a", as_bytes(small)}});
  const std::string large(1 << 20, 'x');
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  std::string message;
  try {
    save_checkpoint(folder.path, {{"a", as_bytes(large)}});
  } catch (const InputError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK_THAT(message, Catch::Contains("cannot write"));
  const LoadedCheckpoint loaded = load_checkpoint(folder.path);
  REQUIRE(loaded.checkpoint);
  CHECK(loaded.warning.empty());
  CHECK(loaded.checkpoint->text("a") == small);
  CHECK_FALSE(fs::exists(folder.path / "checkpoint.new.bin"));
}

TEST_CASE("a checkpoint whose count of steps is none is refused", "[learn][train]") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto refusal = [](std::int64_t count) {
    const TemporaryFolder folder("counts");
    SavedState state{.config = "c", .measures = {}, .counters = {5, count}, .tensors = {}};
    save_state(state, folder.path);
    const LoadedCheckpoint loaded = load_checkpoint(folder.path);
    REQUIRE(loaded.checkpoint);
    try {
      restore_state(state, *loaded.checkpoint);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK_THAT(refusal(-1), Catch::Contains("is negative (-1)"));
  CHECK_THAT(refusal(kMost), Catch::Contains("is too large"));
  CHECK(refusal(5'000'000) == "none");
}

TEST_CASE("divergence stops the run, names the first bad quantity and keeps the checkpoint",
          "[learn][train]") {
  static Task hot = point_task();
  // Fine for 700 steps, then rewards whose squares overflow single precision.
  static int calls = 0;
  calls = 0;
  hot.reward = [](const RewardInput&) { return ++calls > 700 ? 1e30 : 0.0; };
  auto physics = std::make_shared<Physics>(Physics{&hot, {}, {}, point_physics()->spec, {}, {}});
  TrainConfig config = tiny_run("speder");
  config.agent.reward_weight = 1;
  config.steps = 4000;
  config.eval_every = 5000;
  const TemporaryFolder folder("diverge");
  const TrainResult r = train(config, physics, saving(folder.path));
  CHECK(r.end == TrainEnd::kDiverged);
  CHECK_THAT(r.problem, Catch::StartsWith("reward_loss was not finite"));
  CHECK(load_checkpoint(folder.path).checkpoint);
}

TEST_CASE("evaluations do not touch training", "[learn][train]") {
  TrainConfig config = tiny_run("sac2");
  const TrainResult often = train(config, point_physics(), {});
  config.eval_every = 200;
  config.eval_episodes = 1;
  const TrainResult seldom = train(config, point_physics(), {});
  const auto loss = [](const TrainResult& r) {
    for (const Measure& m : r.measures) {
      if (m.metric == "critic_loss" && m.n == 400) return m.value;
    }
    return -1.0;
  };
  CHECK(loss(often) > 0);
  CHECK(loss(often) == loss(seldom));
}

TEST_CASE("a run's result is the mean of its last four evaluations", "[learn][train]") {
  std::vector<Measure> m;
  for (int i = 1; i <= 6; ++i) {
    m.push_back({"return", i, static_cast<double>(i)});
    m.push_back({"length", i, 100.0});
  }
  REQUIRE(final_return(m));
  CHECK(final_return(m)->mean == 4.5);
  CHECK(final_return(m)->evaluations == 4);
  m.resize(4);
  REQUIRE(final_return(m));
  CHECK(final_return(m)->mean == 1.5);
  CHECK(final_return(m)->evaluations == 2);
  CHECK_FALSE(final_return({}));
}

TEST_CASE("a finished run is evaluated at its last step, which changes no row before it",
          "[learn][train]") {
  const auto evaluated = [](const TrainResult& r) {
    std::vector<std::int64_t> steps;
    for (const Measure& m : r.measures) {
      if (m.metric == "return") steps.push_back(m.n);
    }
    return steps;
  };
  TrainConfig config = tiny_run("sac2");
  config.steps = 200;
  const TrainResult shorter = train(config, point_physics(), {});
  CHECK(evaluated(shorter) == std::vector<std::int64_t>{100, 200});  // once at the end, not twice
  config.steps = 250;
  const TrainResult r = train(config, point_physics(), {});
  CHECK(evaluated(r) == std::vector<std::int64_t>{100, 200, 250});
  const auto n = static_cast<std::ptrdiff_t>(shorter.measures.size());
  CHECK(std::equal(shorter.measures.begin(), shorter.measures.end(), r.measures.begin(),
                   r.measures.begin() + n));
  config.steps = 30;  // shorter than eval_every and than random_steps
  const TrainResult tiny = train(config, point_physics(), {});
  REQUIRE(tiny.final_return);
  CHECK(tiny.final_return->evaluations == 1);
  CHECK(std::isfinite(tiny.final_return->mean));
}

namespace {

/// Twelve-step episodes on the line: small networks, fast rates, a short horizon.
TrainConfig point_run(const std::string& algorithm) {
  TrainConfig config = tiny_run(algorithm);
  config.steps = 2500;
  config.random_steps = 300;
  config.replay = 10'000;
  config.eval_every = 500;
  config.eval_episodes = 50;
  config.agent = AgentConfig{.algorithm = algorithm,
                             .feature_dim = 32,
                             .feature_hidden = {64},
                             .critic_width = 64,
                             .actor_hidden = {64}};
  config.agent.reward_weight = 1;
  config.agent.batch = 128;
  config.agent.discount = 0.9;
  config.agent.tau = config.agent.feature_tau = 0.02;
  config.agent.feature_lr = config.agent.actor_lr = config.agent.critic_lr = 1e-3;
  config.agent.alpha_lr = 3e-3;
  return config;
}

// From |x| uniform on (0, 1), moving with action u scores −∑_k (1 − uk/4)³₊/3: −0.52 at full speed,
// this at half, −4 standing still.
constexpr double kHalfSpeed = -0.84;

}  // namespace

TEST_CASE("learning: every baseline solves the point task", "[learn]") {
  const std::string algorithm = GENERATE("sac2", "sac3", "sac5", "deepsf", "ppo");
  CAPTURE(algorithm);
  TrainConfig config = point_run(algorithm);
  if (algorithm == "ppo") {  // learns from its last rollout alone: more steps, each cheap
    config.steps = 12'000;
    config.agent.rollout = 240;
  }
  const TrainResult r = train(config, point_physics(), {});
  double last = std::nan("");
  for (const Measure& m : r.measures) {
    if (m.metric == "return") last = m.value;
  }
  CHECK(last > kHalfSpeed);
}

TEST_CASE("learning: SPEDER solves the point task, and every loss has its sign",
          "[learn][learning]") {
  const TrainConfig config = point_run("speder");
  const TrainResult r = train(config, point_physics(), {});
  const auto last = [&](const std::string& metric) {
    double value = std::nan("");
    for (const Measure& m : r.measures) {
      if (m.metric == metric) value = m.value;
    }
    return value;
  };
  // Bounds stated beforehand.
  CAPTURE(last("return"), last("feature_loss"), last("mass"), last("reward_loss"),
          last("reward_error"), last("entropy"), last("critic_loss"));
  CHECK(last("return") > kHalfSpeed);
  // −∑ σ_k² over the modes learned. x' is a function of (x, a), so every σ is 1 and the constant
  // mode alone reaches −1: at least one more must be there.
  CHECK(last("feature_loss") < -2);
  // The others: more than half the way from where an untrained agent is to where it should end.
  CHECK_THAT(last("mass"), WithinAbs(1.0, 0.5));  // E Z: from 0 to the 1 of a density
  // ½ Var(x²) of the best policy's own steps, which a constant guess would leave, is 0.0097
  CHECK(last("reward_loss") < 0.0097 / 2);   // of the head on φ
  CHECK(last("reward_error") < 0.0097 / 2);  // of r̂
  // the two heads' squared errors, which constant guesses would leave at the variance of the best
  // policy's own Q = −∑ γᵏ (|x| − k/4)₊², 0.0462 each
  CHECK(last("critic_loss") < 2 * 0.0462 / 2);
  CHECK(last("critic_loss") > 0);
  // from log 2, a uniform action, to the target −1
  CHECK_THAT(last("entropy"), WithinAbs(-1.0, (1 + std::log(2.0)) / 2));
}

}  // namespace train_test
