#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "speder/core/check.hpp"
#include "speder/deep/sim/data/generate.hpp"
#include "speder/deep/sim/maze/models.hpp"
#include "speder/deep/sim/rollout.hpp"
#include "speder/io/hdf5.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/fixture.hpp"

namespace speder::deep::data_test {
namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("speder_data_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

/// Five rows of two observations and one action, two trajectories: (0 1 2) and (3 4).
OfflineData five_rows() {
  return {.observation_size = 2,
          .action_size = 1,
          .observations = {0, 0, .5, 0, 1, 0, 9, 9, 9, 9.5F},
          .actions = {.1F, .2F, .3F, .4F, .5F},
          .rewards = {0, 1, 0, 0, 0},
          .terminals = {0, 1, 0, 0, 0},
          .last = {0, 0, 1, 0, 1},
          .goal = {},
          .position_size = 1};
}

using Floats = std::vector<float>;
void write_table(H5File& file, const std::string& name, const Floats& v, std::uint64_t columns) {
  file.write(name, std::span<const float>(v), {v.size() / columns, columns});
}

/// A file with the given columns beside five rows of observations.
void write_odd(const fs::path& path, const Floats& rewards, bool timeouts) {
  H5File file = H5File::create(path);
  write_table(file, "observations", five_rows().observations, 2);
  write_table(file, "actions", five_rows().actions, 1);
  write_table(file, "rewards", rewards, 1);            // (N, 1)
  write_table(file, "terminals", {0, 1, 0, 0, 0}, 1);  // float, (N, 1)
  if (timeouts) write_table(file, "timeouts", {0, 0, 0, 0, 0}, 1);
  file.commit();
}

std::string bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

GenerateOptions small(const std::string& style) {
  GenerateOptions o;
  o.style = style;
  o.transitions = 20'500;
  o.episodes = 3;
  o.seed = 5;
  return o;
}

GenerateResult make(const GenerateOptions& options, const GeneratePlace& place) {
  return generate(
      options, physics_of("PointMaze-" + options.layout), [] { return point_walk(); }, place);
}

}  // namespace

TEST_CASE("what is written in D4RL's layout is read back", "[deep][data]") {
  const Folder folder;
  const fs::path path = folder.path / "a.h5";
  const OfflineData data = five_rows();
  write_d4rl(path, data, "PointMaze-medium", GENERATE(0, 4));
  const OfflineData read = read_offline(path);
  CHECK(read.observations == data.observations);
  CHECK(read.actions == data.actions);
  CHECK(read.rewards == data.rewards);
  CHECK(read.terminals == data.terminals);
  CHECK(read.last == data.last);
  CHECK(read.transitions() == std::vector<std::int64_t>{0, 1, 3});
  CHECK(read.trajectories() == 2);
  CHECK(H5File::open(path).shape("infos/qpos") == std::vector<std::uint64_t>{5, 1});
  CHECK(H5File::open(path).read_float("infos/qvel").values == Floats{0, 0, 0, 9, 9.5F});
}

TEST_CASE("D4RL's quirks: (N, 1) columns, missing timeouts, unmarked jumps", "[deep][data]") {
  const Folder folder;
  const fs::path path = folder.path / "odd.h5";
  write_odd(path, {0, 1, 0, 0, 0}, true);
  CHECK(read_d4rl(path).last == std::vector<std::uint8_t>{0, 0, 1, 0, 1});  // the jump is found
  CHECK(read_d4rl(path, {.jump = 0}).last == std::vector<std::uint8_t>{0, 0, 0, 0, 1});
  CHECK(read_d4rl(path).terminals == std::vector<std::uint8_t>{0, 1, 0, 0, 0});
  write_odd(path, {0, 1, 0, 0, 0}, false);
  CHECK(read_d4rl(path, {.max_episode_steps = 2, .jump = 0}).last ==
        std::vector<std::uint8_t>{0, 1, 0, 1, 1});
}

TEST_CASE("a bad file is refused with the dataset's name", "[deep][data]") {
  const Folder folder;
  const fs::path path = folder.path / "bad.h5";
  const auto refused = [&](const std::string& part) {
    CHECK_THROWS_WITH(read_d4rl(path), Catch::Contains(part));
  };
  write_odd(path, {0, 1, 0}, true);
  refused("'rewards': has shape (3, 1), expected (5)");
  write_odd(path, {0, 1, 0, NAN, 0}, true);
  refused("'rewards': is not finite in row 3");
  {
    H5File file = H5File::create(path);
    write_table(file, "observations", {0, 0, 1, 1}, 2);
    file.commit();
  }
  refused("'actions': is missing");
  {
    H5File file = H5File::create(path);
    file.write("observations", std::span<const float>(Floats{1, 2, 3}), {3});
    file.commit();
  }
  refused("'observations': has shape (3)");
  CHECK_THROWS_WITH(read_minari(path), Catch::Contains("'episode_0'"));
  CHECK_THROWS_AS(read_offline(folder.path / "none.h5"), InputError);
  CHECK_THROWS_WITH(read_offline(folder.path), Catch::Contains("main_data.hdf5"));
}

TEST_CASE("Minari: T + 1 observations an episode, the ant's place is put in front",
          "[deep][data]") {
  const Folder folder;
  const fs::path path = folder.path / "main_data.hdf5";
  {
    H5File file = H5File::create(path);
    for (const auto& [group, steps] : {std::pair{"episode_0", 2}, {"episode_1", 1}}) {
      const std::string name = group;
      const auto rows = static_cast<std::size_t>(steps) + 1;
      write_table(file, name + "/observations/observation", Floats(rows * 105, 7), 105);
      write_table(file, name + "/observations/achieved_goal", Floats(rows * 2, 3), 2);
      write_table(file, name + "/actions", Floats(rows - 1, .5), 1);
      file.write(name + "/rewards", std::span<const float>(Floats(rows - 1, 1)), {rows - 1});
      file.write_flags(name + "/terminations", std::vector<std::uint8_t>(rows - 1, 1));
    }
    file.commit();
  }
  const OfflineData data = read_offline(folder.path);
  CHECK(data.observation_size == 29);
  CHECK(data.rows() == 5);
  CHECK(data.transitions() == std::vector<std::int64_t>{0, 1, 3});
  CHECK(data.observations[29] == 3);
  CHECK(data.observations[31] == 7);
  CHECK(data.actions == Floats{.5, .5, 0, .5, 0});
  CHECK(data.rewards == Floats{1, 1, 0, 1, 0});
}

TEST_CASE("offline: what rollout writes is read, with a row more than steps per episode",
          "[deep][data]") {
  const Folder folder;
  const fs::path path = folder.path / "rollout.h5";
  Trajectory first, second;
  first.qpos = first.qvel = second.qpos = second.qvel = {0};
  first.observations = {0, 0, 1, 1, 2, 2};
  first.actions = {.25, .5};
  first.rewards = {1, 2};
  first.terminated = {0, 1};
  first.truncated = {0, 0};
  second.observations = {5, 5, 6, 6};
  second.actions = {.75};
  second.rewards = {3};
  second.terminated = {0};
  second.truncated = {1};
  EnvSpec spec;
  spec.observation_size = 2;
  spec.action_size = 1;
  write_trajectories(path, spec, {first, second});
  const OfflineData data = read_offline(path);
  CHECK(data.observations == Floats{0, 0, 1, 1, 2, 2, 5, 5, 6, 6});
  CHECK(data.actions == Floats{.25, .5, 0, .75, 0});
  CHECK(data.rewards == Floats{1, 2, 0, 3, 0});
  CHECK(data.terminals == std::vector<std::uint8_t>{0, 1, 0, 0, 0});
  CHECK(data.last == std::vector<std::uint8_t>{0, 0, 1, 0, 1});
  CHECK(data.trajectories() == 2);
  const auto write_with = [&](const Floats& lengths) {
    H5File file = H5File::create(path);
    write_table(file, "observations", {0, 1, 2, 3, 4}, 1);
    write_table(file, "actions", {0, 0, 0}, 1);
    write_table(file, "rewards", {0, 0, 0}, 1);
    write_table(file, "terminated", {0, 0, 0}, 1);
    write_table(file, "lengths", lengths, 1);
    file.commit();
  };
  write_with({2, 1});
  CHECK(read_offline(path).trajectories() == 2);
  for (const Floats& lengths : {Floats{2, 2}, Floats{1, 1}, Floats{1.5, 1.5}, Floats{-1, 4},
                                Floats{1e30F, 1}, Floats{3}, Floats{NAN, 1}}) {
    CAPTURE(lengths);
    write_with(lengths);
    CHECK_THROWS_WITH(read_offline(path), Catch::Contains("lengths"));
  }
}

TEST_CASE("generated data: rows, goals, rewards and steps are what they claim", "[deep][data]") {
  const Folder folder;
  const std::string style = GENERATE("diverse", "play");
  CAPTURE(style);
  const fs::path path = folder.path / "d.h5";
  const GenerateResult result = make(small(style), {.out = path});
  CHECK(result.finished);
  CHECK(result.unstable == 0);
  CHECK_FALSE(fs::exists(folder.path / "d.h5.part"));
  const OfflineData data = read_d4rl(path, {.jump = 0});
  REQUIRE(data.rows() == 20'500);
  CHECK(data.trajectories() == 21);
  const Maze maze(find_layout("medium"), kPointCell);
  const Place eval = maze.centre({6, 6});
  const H5FloatArray goal = H5File::open(path).read_float("infos/goal");
  const auto& listed = maze.layout().play_goals;
  for (const std::int64_t row : data.transitions()) {
    const auto i = static_cast<std::size_t>(row);
    const float* s = &data.observations[4 * i];
    REQUIRE(maze.free(maze.cell_at({s[0], s[1]})));
    REQUIRE(distance({s[0], s[1]}, {s[4], s[5]}) < 0.08);  // 5 m/s on each axis for 0.01 s
    REQUIRE((data.rewards[i] == 1) == (distance({s[4], s[5]}, eval) <= kSuccessRadius));
    REQUIRE(std::abs(data.actions[2 * i]) <= 1);
    const Cell target = maze.cell_at({goal.values[2 * i], goal.values[2 * i + 1]});
    REQUIRE(maze.free(target));
    if (style == "play") REQUIRE(std::find(listed.begin(), listed.end(), target) != listed.end());
  }
}

TEST_CASE("a part file without its title is begun again; damaged records are made again",
          "[deep][data]") {
  const Folder folder;
  const fs::path path = folder.path / "d.h5", part = folder.path / "d.h5.part";
  REQUIRE(make(small("diverse"), {.out = path}).finished);
  const std::string whole = bytes(path);
  int turns = 0;
  const auto some = [&turns] { return turns++ > 0; };
  REQUIRE_FALSE(make(small("diverse"), {.out = path, .stop = some}).finished);
  std::string left = bytes(part);
  const std::string harm = GENERATE("empty", "half a title", "a damaged record");
  CAPTURE(harm);
  if (harm == "empty") left.clear();
  if (harm == "half a title") left.resize(20);
  if (harm == "a damaged record") left[left.size() / 2] ^= 1;
  std::ofstream(part, std::ios::binary) << left;
  std::string warning;
  const auto warned = [&](const std::string& text) { warning = text; };
  const GenerateResult rest = make(small("diverse"), {.out = path, .warning = warned});
  CHECK(rest.finished);
  CHECK((rest.resumed > 0) == (harm == "a damaged record"));
  CHECK(warning.empty() == (harm != "a damaged record"));
  CHECK((bytes(path) == whole));
}

TEST_CASE("episodes that do not read back are never left out without a word", "[deep][data]") {
  const Folder folder;
  const fs::path path = folder.path / "d.h5", part = folder.path / "d.h5.part";
  REQUIRE(make(small("diverse"), {.out = path}).finished);
  const std::string whole = bytes(path);
  fs::remove(path);
  const auto harm = [&](std::int64_t done, std::int64_t wanted) {  // before all of it is read again
    if (done < wanted) return;
    std::string left = bytes(part);
    left[left.size() / 2] ^= 1;
    std::ofstream(part, std::ios::binary) << left;
  };
  CHECK_THROWS_WITH(make(small("diverse"), {.out = path, .progress = harm}),
                    Catch::Contains("does not read back as it was written"));
  CHECK_FALSE(fs::exists(path));
  const GenerateResult rest = make(small("diverse"), {.out = path});
  CHECK(rest.finished);
  CHECK(rest.resumed > 0);
  CHECK((bytes(path) == whole));
}

TEST_CASE("a part file that cannot be removed is named, and the data are there", "[deep][data]") {
  const Folder folder;
  const fs::path path = folder.path / "d.h5", part = folder.path / "d.h5.part";
  const auto stuck = [&](std::int64_t done, std::int64_t wanted) {  // a folder that is not empty
    if (done < wanted) return;
    fs::remove(part);
    fs::create_directories(part / "inside");
  };
  std::string warning;
  const auto warned = [&](const std::string& text) { warning = text; };
  CHECK(make(small("diverse"), {.out = path, .progress = stuck, .warning = warned}).finished);
  CHECK_THAT(warning, Catch::Contains("d.h5.part: could not be removed"));
  CHECK(read_offline(path).rows() == 20'500);
}

TEST_CASE("expert data are successful runs from the start to the goal", "[deep][data]") {
  const Folder folder;
  GenerateOptions options = small("expert");
  options.layout = "large";
  options.noise = 0.1;
  const GenerateResult result = make(options, {.out = folder.path / "e.h5"});
  CHECK(result.episodes == 3);
  const OfflineData data = read_d4rl(folder.path / "e.h5");
  REQUIRE(data.trajectories() == 3);
  bool first = true;
  int successes = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const float* s = &data.observations[4 * i];
    if (first) CHECK(distance({s[0], s[1]}, {0, 0}) <= 0.15);
    first = data.last[i] != 0;
    if (!first) successes += data.rewards[i] == 1 ? 1 : 0;
    if (first) CHECK(distance({s[0], s[1]}, {8, 6}) <= kSuccessRadius + 0.15);
  }
  CHECK(successes == 3);  // the step into the goal, and none before it
}

TEST_CASE("the ant's generator asks the walking policy with the direction to the waypoint",
          "[deep][data]") {
  const Folder folder;
  std::vector<double> told;
  const Controller policy = [&told](std::span<const double> s, std::span<double> action) {
    told.assign(s.begin(), s.end());
    std::fill(action.begin(), action.end(), 0.0);
  };
  const Walk walk = ant_walk(policy);
  std::vector<double> state(29), action(8);
  for (std::size_t i = 0; i < 29; ++i) state[i] = static_cast<double>(i);
  walk(state, {3, 5}, action);  // at (0, 1): the waypoint lies along (3, 4)
  REQUIRE(told.size() == 29);
  CHECK(told[0] == 2);  // x and y are left out
  CHECK(told[26] == 28);
  CHECK(told[27] == Approx(0.6));
  CHECK(told[28] == Approx(0.8));
  GenerateOptions options = small("play");
  options.body = "ant";
  options.transitions = 300;
  options.episode_rows = 100;
  options.noise = 0.2;
  const fs::path path = folder.path / "ant.h5";
  const GenerateResult result = generate(options, physics_of("AntMaze-medium"),
                                         [&] { return ant_walk(policy); }, {.out = path});
  CHECK(result.finished);
  const OfflineData data = read_d4rl(path);
  CHECK(data.observation_size == 29);
  CHECK(data.action_size == 8);
  CHECK(data.trajectories() == 3);
  CHECK(H5File::open(path).shape("infos/qpos") == std::vector<std::uint64_t>{300, 15});
  const Maze maze(find_layout("medium"), kAntCell);
  for (std::size_t i = 0; i < 300; i += 100) {  // play: never a listed goal at the start
    const Cell start = maze.cell_at({data.observations[29 * i], data.observations[29 * i + 1]});
    const auto& listed = maze.layout().play_goals;
    CHECK(std::find(listed.begin(), listed.end(), start) == listed.end());
  }
}

TEST_CASE("an interrupted generation goes on to the same file; threads change nothing",
          "[deep][data]") {
  const Folder folder;
  const std::string style = GENERATE("diverse", "expert");
  const GenerateOptions options = small(style);
  const fs::path whole = folder.path / "whole.h5", resumed = folder.path / "resumed.h5";
  CHECK(make(options, {.out = whole, .threads = 3}).finished);
  if (style == "diverse") {
    int turns = 0;
    CHECK_FALSE(make(options, {.out = resumed, .stop = [&] { return ++turns == 2; }}).finished);
    std::ofstream(resumed.string() + ".part", std::ios::app | std::ios::binary) << "half a record";
    GenerateOptions other = options;
    other.seed = 6;
    CHECK_THROWS_WITH(make(other, {.out = resumed}), Catch::Contains("other settings"));
  }
  const GenerateResult result = make(options, {.out = resumed});
  CHECK(result.finished);
  CHECK(result.resumed == (style == "diverse" ? 8000 : 0));
  const OfflineData a = read_d4rl(whole), b = read_d4rl(resumed);
  CHECK(a.observations == b.observations);
  CHECK(a.actions == b.actions);
  CHECK(a.last == b.last);
}

TEST_CASE("a table that declares more than the file can hold is refused before it is read",
          "[deep][data]") {
  const Folder folder;
  const fs::path path = folder.path / "a.h5";
  write_d4rl(path, five_rows(), "x");
  std::string file = bytes(path);
  // The extent of `observations` as HDF5 stores it: 5, 2 and the maxima 5, 2 as 64-bit integers.
  const std::string extent("\5\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16);
  const auto at = file.find(extent);
  REQUIRE(at != std::string::npos);
  file[at + 4] = '\1';  // 2³² + 5 rows
  std::ofstream(path, std::ios::binary) << file;
  CHECK_THROWS_AS(read_d4rl(path), InputError);
}

}  // namespace speder::deep::data_test
