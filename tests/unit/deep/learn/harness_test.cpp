#include "speder/deep/results/run_settings.hpp"
#include "speder/deep/results/table.hpp"
#include "speder/deep/train/interaction.hpp"
#include "speder/deep/train/loop.hpp"
#include "tests/catch.hpp"
#include "tests/temporary.hpp"
#include "tests/unit/deep/learn/point_task.hpp"

#include <fstream>

using namespace speder;
using namespace speder::deep;

namespace harness_test {
namespace {

/// Plays 0, 0.1, 0.2, … in every episode and keeps a book of its calls.
struct Counting {
  int players = 0;
  std::vector<bool> explored;
  std::vector<double> drawn;

  Agent agent() {
    Agent a;
    a.play = [this](int n) -> Player {
      ++players;
      return [this, n, t = 0](const Tensor& observations, Rng& rng, bool explore) mutable {
        CHECK(observations.size(0) == n);
        explored.push_back(explore);
        drawn.push_back(rng.uniform());
        return at::full({n, 1}, 0.1 * t++, at::kFloat);
      };
    };
    return a;
  }
};

}  // namespace

TEST_CASE("players: a new memory at each episode, a stream of its own at each step",
          "[learn][harness]") {
  Counting book;
  const Agent agent = book.agent();
  const SeedTree seeds(3);
  Interaction interaction(point_physics(), at::kCPU, seeds);
  std::int64_t number = 0;
  for (int episode = 0; episode < 3; ++episode) {
    interaction.start_episode(episode);
    for (int t = 0; t < 4; ++t) {
      interaction.step(&agent, number++);
      CHECK_THAT(interaction.taken().action[0], WithinAbs(0.1 * t, 1e-6));
      interaction.advance();
    }
  }
  CHECK(book.players == 3);
  CHECK(std::ranges::all_of(book.explored, [](bool e) { return e; }));
  CHECK(book.drawn[5] == seeds.stream("act", 5).uniform());
}

TEST_CASE("players: an evaluation has one for all its episodes and does not explore",
          "[learn][harness]") {
  Counting book;
  const SeedTree seeds(3);
  const Evaluation e = evaluate(book.agent(), point_physics(), 5, at::kCPU, seeds);
  CHECK(book.players == 1);
  CHECK(e.mean_length == 12);
  CHECK(std::ranges::none_of(book.explored, [](bool x) { return x; }));
  CHECK(book.drawn[7] == seeds.stream("plan", 7).uniform());
}

TEST_CASE("update_every: one update in so many steps, the first when random steps end",
          "[learn][harness]") {
  TrainConfig config;
  config.env = "Point";
  config.random_steps = 60;
  config.steps = 400;
  config.eval_every = 400;
  config.eval_episodes = 1;
  config.agent = {.algorithm = "sac2", .critic_width = 8, .actor_hidden = {8}};
  config.agent.batch = 8;
  const auto [every, expected] = GENERATE(table<int, int>({{1, 340}, {10, 35}, {170, 3}}));
  config.agent.update_every = every;
  const TrainResult r = train(config, point_physics(), {});
  double updates = 0;  // Adam counts its own steps
  for (const NamedTensor& t : r.tensors) {
    if (t.name == "critic_adam.count") updates = t.tensor.item<double>();
  }
  CHECK(updates == expected);
  config.overlap = true;
  if (every > 1) CHECK_THROWS_WITH(train(config, point_physics(), {}), Catch::Contains("overlap"));
}

TEST_CASE("a setting belongs to the algorithms named, and speder is not spede",
          "[learn][harness]") {
  CHECK(reads_setting("sac3+", "critic_norm"));
  CHECK(reads_setting("trpo", "trust_radius"));
  CHECK_FALSE(reads_setting("speder", "trust_radius"));
  CHECK_FALSE(reads_setting("spede", "ortho_weight"));
  CHECK_FALSE(reads_setting("trpo", "batch"));
}

TEST_CASE("presets: a table counts for its algorithm alone, the command line before it",
          "[learn][harness]") {
  const std::string preset = GENERATE("small", "paper");
  const auto read = [&](const std::string& text) {
    return read_train_config(preset_path(preset), text).agent;
  };
  CHECK(read("algorithm = \"trpo\"").rollout == 2000);
  CHECK(read("algorithm = \"trpo\"\nrollout = 500").rollout == 500);
  CHECK(read("algorithm = \"ppo\"").rollout == AgentConfig{}.rollout);
  const testing::Folder folder;
  std::ofstream(folder.path / "a.toml") << "[trpo]\nrolout = 3\n";
  CHECK_THROWS_WITH(read_train_config(folder.path / "a.toml", "algorithm = \"sac2\""),
                    Catch::Contains("rolout"));
}

TEST_CASE("presets: a table of a suite counts for its tasks, one of both for that algorithm there",
          "[learn][harness]") {
  const auto read = [](const std::string& text) {
    return read_train_config(preset_path("paper"), text).agent;
  };
  const std::vector<int> narrow = {256, 256}, wide = {1024, 1024};
  const AgentConfig run = read("env = \"cheetah_run\"");  // speder, unless another is named
  CHECK(run.bonus == 5);
  CHECK(run.actor_hidden == wide);
  CHECK(run.objective == "literal");
  CHECK_FALSE(run.head_norm);
  const AgentConfig mbbl = read("env = \"HalfCheetah\"");
  CHECK(mbbl.bonus == 0);
  CHECK(mbbl.actor_hidden == narrow);
  CHECK(mbbl.objective == "literal");
  const AgentConfig sac = read("env = \"walker_run_sparse\"\nalgorithm = \"sac3\"");
  CHECK(sac.bonus == 0);
  CHECK(sac.actor_hidden == wide);
  CHECK(sac.objective == "exact");
  CHECK(read("env = \"cheetah_run\"\nbonus = 0.5").bonus == 0.5);
  const std::vector<int> trpo = {64, 64};  // an algorithm's own table counts before its suite's
  CHECK(read("env = \"cheetah_run\"\nalgorithm = \"trpo\"").actor_hidden == trpo);
  const testing::Folder folder;  // the order of the tables in the file does not matter
  std::ofstream(folder.path / "a.toml") << "tau = 0.1\n[speder-dmc]\ntau = 0.4\n[dmc]\ntau = 0.3\n"
                                           "[speder]\ntau = 0.2\n";
  const auto tau = [&](const std::string& text) {
    return read_train_config(folder.path / "a.toml", text).agent.tau;
  };
  CHECK(tau("algorithm = \"sac3\"") == 0.1);
  CHECK(tau("env = \"Pendulum\"") == 0.2);
  CHECK(tau("env = \"cheetah_run\"\nalgorithm = \"sac3\"") == 0.3);
  CHECK(tau("env = \"cheetah_run\"") == 0.4);
  CHECK(tau("env = \"cheetah_run\"\ntau = 0.5") == 0.5);
}

TEST_CASE("table: the best of our model-based runs has a row, with its name", "[learn][harness]") {
  const auto cell = [](const std::string& algorithm, double mean, int seeds) {
    return OurCell{.env = "Pendulum",
                   .algorithm = algorithm,
                   .preset = "small",
                   .value = {mean, 1},
                   .seeds = seeds,
                   .steps = 3000};
  };
  const std::vector<OurCell> ours = {cell("pets-rs", 120.5, 2), cell("pets-cem", 150.5, 2),
                                     cell("metrpo", 170.5, 0), cell("sac3", 190.5, 2)};
  const std::vector<OurCell> with_rs = {ours[0], cell("rs", 151.5, 1)};
  const std::string text = format_table("mbbl", ours, 200);
  const auto at = text.find("best model-based (ours)");
  REQUIRE(at != std::string::npos);
  CHECK(text.find("150.5", at) != std::string::npos);
  CHECK(text.find("pets-cem, 3K", at) != std::string::npos);
  CHECK(text.find("190.5", at) == std::string::npos);
  CHECK(format_table("mbbl", with_rs, 200).find("rs, 3K") != std::string::npos);
  CHECK(format_table("mbbl", {cell("sac3", 190.5, 2)}, 200).find("best model") ==
        std::string::npos);
}

}  // namespace harness_test
