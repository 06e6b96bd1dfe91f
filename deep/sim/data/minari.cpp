#include "speder/deep/sim/data/minari.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "speder/core/check.hpp"
#include "speder/io/hdf5.hpp"
#include "speder/io/text_file.hpp"

namespace speder::deep {
namespace {

/// A Box of gymnasium as Minari writes it down: JSON with Python's words for infinity.
std::string box_text(const char* kind, int size, const char* low, const char* high) {
  std::string lows, highs;
  for (int i = 0; i < size; ++i) {
    lows += fmt::format("{}{}", i == 0 ? "" : ", ", low);
    highs += fmt::format("{}{}", i == 0 ? "" : ", ", high);
  }
  return fmt::format(
      R"({{"type": "Box", "dtype": "{}", "shape": [{}], "low": [{}], "high": [{}]}})", kind, size,
      lows, highs);
}

nlohmann::ordered_json environment(const std::string& task) {
  return {{"id", "speder/" + task + "-v0"},
          {"entry_point", "speder.envs:TaskEnv"},
          {"kwargs", {{"task", task}}},
          {"additional_wrappers", nlohmann::ordered_json::array()}};
}

std::vector<std::uint8_t> as_flags(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

void write_episode(H5File& file, const std::string& group, const EnvSpec& spec,
                   const Trajectory& t) {
  const auto steps = static_cast<std::uint64_t>(t.steps());
  const std::vector<float> actions(t.actions.begin(), t.actions.end());
  file.write(group + "/observations", std::span<const double>(t.observations),
             {steps + 1, static_cast<std::uint64_t>(spec.observation_size)});
  file.write(group + "/actions", std::span<const float>(actions),
             {steps, static_cast<std::uint64_t>(spec.action_size)});
  file.write(group + "/rewards", std::span<const double>(t.rewards), {steps});
  file.write_flags(group + "/terminations", as_flags(t.terminated));
  file.write_flags(group + "/truncations", as_flags(t.truncated));
}

}  // namespace

void write_minari(const std::filesystem::path& folder, const EnvSpec& spec,
                  const std::vector<Trajectory>& trajectories) {
  require(!trajectories.empty(), "nothing to write");
  const std::filesystem::path data = folder / "data";
  const std::filesystem::path metadata = data / "metadata.json";
  std::error_code problem;
  if (std::filesystem::exists(metadata, problem))
    throw InputError(folder.string() + ": has a data set already");
  std::filesystem::create_directories(data, problem);
  if (problem)
    throw InputError(fmt::format("{}: cannot be made ({})", data.string(), problem.message()));
  H5File file = H5File::create(data / "main_data.hdf5");
  std::int64_t steps = 0;
  for (std::size_t e = 0; e < trajectories.size(); ++e) {
    write_episode(file, fmt::format("episode_{}", e), spec, trajectories[e]);
    steps += trajectories[e].steps();
  }
  file.commit();
  const nlohmann::ordered_json facts = {
      {"total_episodes", trajectories.size()},
      {"total_steps", steps},
      {"data_format", "hdf5"},
      {"observation_space", box_text("float64", spec.observation_size, "-Infinity", "Infinity")},
      {"action_space", box_text("float32", spec.action_size, "-1.0", "1.0")},
      {"env_spec", environment(spec.name).dump()},
      {"dataset_id", "speder/" + spec.name + "/rollout-v0"},
      {"minari_version", "0.5.4"}};
  write_text_file(metadata, facts.dump(2) + "\n");
}

}  // namespace speder::deep
