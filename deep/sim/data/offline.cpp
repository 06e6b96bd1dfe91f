#include "speder/deep/sim/data/offline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/io/hdf5.hpp"

namespace speder::deep {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 31U;
constexpr std::uint64_t kMaxWidth = 4096;
constexpr std::uint64_t kAntObservation = 27;
constexpr std::uint64_t kMaxEpisodes = 10'000'000;
constexpr std::uint64_t kDeflateLimit =
    1032;  // no file unpacks to more than this many times its size

[[noreturn]] void fail(const H5File& file, const std::string& name, const std::string& problem) {
  throw ConfigError(file.path().string(), "dataset '" + name + "'", problem);
}

std::string shown(const std::vector<std::uint64_t>& shape) {
  std::string out = "(";
  for (const std::uint64_t extent : shape)
    out += (out.size() > 1 ? ", " : "") + std::to_string(extent);
  return out + ")";
}

void require_finite(const H5File& file, const std::string& name, const H5FloatArray& table) {
  const auto bad = std::find_if(table.values.begin(), table.values.end(),
                                [](float v) { return !std::isfinite(v); });
  if (bad == table.values.end()) return;
  const std::size_t width = table.values.size() / table.shape[0];
  fail(file, name,
       fmt::format("is not finite in row {}",
                   static_cast<std::size_t>(bad - table.values.begin()) / width));
}

/// A table (N × W) of finite numbers. rows 0: any number but none.
H5FloatArray read_table(const H5File& file, const std::string& name, std::uint64_t rows = 0) {
  H5FloatArray table = file.read_float(name, kMaxValues);
  const auto& shape = table.shape;
  if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0 || shape[1] > kMaxWidth) {
    fail(file, name, fmt::format("has shape {}, expected rows and columns", shown(shape)));
  }
  if (rows > 0 && shape[0] != rows) {
    fail(file, name, fmt::format("has {} rows, expected {}", shape[0], rows));
  }
  require_finite(file, name, table);
  return table;
}

/// A column of `rows` finite numbers with shape (N) or (N, 1).
std::vector<float> read_column(const H5File& file, const std::string& name, std::uint64_t rows) {
  H5FloatArray column = file.read_float(name, kMaxValues);
  const auto& shape = column.shape;
  const bool flat = shape.size() == 1 || (shape.size() == 2 && shape[1] == 1);
  if (!flat || shape[0] != rows) {
    fail(file, name, fmt::format("has shape {}, expected ({})", shown(shape), rows));
  }
  if (rows > 0) require_finite(file, name, column);
  return std::move(column.values);
}

std::vector<std::uint8_t> read_flags(const H5File& file, const std::string& name,
                                     std::uint64_t rows) {
  const std::vector<float> column = read_column(file, name, rows);
  std::vector<std::uint8_t> flags(column.size());
  std::transform(column.begin(), column.end(), flags.begin(),
                 [](float v) { return static_cast<std::uint8_t>(v != 0); });
  return flags;
}

void cut_at_jumps(OfflineData& data, double jump) {
  if (jump <= 0 || data.observation_size < 2) return;
  const auto width = static_cast<std::size_t>(data.observation_size);
  for (std::size_t i = 0; i + 1 < data.rows(); ++i) {
    const float* here = &data.observations[i * width];
    const float* next = here + width;
    if (std::hypot(next[0] - here[0], next[1] - here[1]) > jump) data.last[i] = 1;
  }
}

/// Columns [from, to) of the observations.
std::vector<float> columns(const OfflineData& data, std::ptrdiff_t from, std::ptrdiff_t to) {
  std::vector<float> out;
  out.reserve(data.rows() * static_cast<std::size_t>(to - from));
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const auto row =
        data.observations.begin() + static_cast<std::ptrdiff_t>(i) * data.observation_size;
    out.insert(out.end(), row + from, row + to);
  }
  return out;
}

fs::path minari_file(const fs::path& path) {
  if (!fs::is_directory(path)) return path;
  for (const fs::path& inside : {path / "data" / "main_data.hdf5", path / "main_data.hdf5"}) {
    if (fs::exists(inside)) return inside;
  }
  throw InputError(fmt::format("{}: no data/main_data.hdf5 in this folder", path.string()));
}

/// Observations of an episode (T + 1 × D); a goal task keeps them in a group.
H5FloatArray episode_observations(const H5File& file, const std::string& name) {
  if (!file.is_group(name)) return read_table(file, name);
  H5FloatArray body = read_table(file, name + "/observation");
  if (body.shape[1] < kAntObservation) return body;
  const std::uint64_t rows = body.shape[0];
  const H5FloatArray place = read_table(file, name + "/achieved_goal", rows);
  const std::uint64_t extra = place.shape[1];
  H5FloatArray joined{{rows, extra + kAntObservation}, {}};
  joined.values.reserve(rows * joined.shape[1]);
  for (std::uint64_t i = 0; i < rows; ++i) {
    const float* p = &place.values[i * extra];
    const float* b = &body.values[i * body.shape[1]];
    joined.values.insert(joined.values.end(), p, p + extra);
    joined.values.insert(joined.values.end(), b, b + kAntObservation);
  }
  return joined;
}

void append_episode(const H5File& file, const std::string& group, OfflineData& data) {
  const H5FloatArray observations = episode_observations(file, group + "/observations");
  if (observations.shape[0] < 2) {
    fail(file, group + "/observations", "has one row, expected one more than there are actions");
  }
  const H5FloatArray actions = read_table(file, group + "/actions", observations.shape[0] - 1);
  const std::uint64_t steps = actions.shape[0];
  const auto width = static_cast<int>(observations.shape[1]);
  if (data.rows() == 0) {
    data.observation_size = width;
    data.action_size = static_cast<int>(actions.shape[1]);
  }
  if (width != data.observation_size) {
    fail(file, group + "/observations",
         fmt::format("has {} columns, expected {}", width, data.observation_size));
  }
  if (static_cast<int>(actions.shape[1]) != data.action_size) {
    fail(file, group + "/actions",
         fmt::format("has {} columns, expected {}", actions.shape[1], data.action_size));
  }
  const std::vector<float> rewards = read_column(file, group + "/rewards", steps);
  const std::vector<std::uint8_t> ends = read_flags(file, group + "/terminations", steps);
  const auto add = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  add(data.observations, observations.values);
  add(data.actions, actions.values);
  add(data.rewards, rewards);
  add(data.terminals, ends);
  data.actions.resize(data.actions.size() + static_cast<std::size_t>(data.action_size), 0.0F);
  data.rewards.push_back(0);
  data.terminals.push_back(0);
  data.last.resize(data.last.size() + steps, 0);
  data.last.push_back(1);
}

}  // namespace

std::vector<std::int64_t> OfflineData::transitions() const {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < rows(); ++i) {
    if (last[i] == 0) out.push_back(static_cast<std::int64_t>(i));
  }
  return out;
}

std::size_t OfflineData::trajectories() const {
  return static_cast<std::size_t>(std::count(last.begin(), last.end(), 1));
}

OfflineData read_d4rl(const fs::path& path, const ReadOptions& options) {
  require(options.max_episode_steps > 0, "max_episode_steps must be positive",
          options.max_episode_steps);
  const H5File file = H5File::open(path);
  H5FloatArray observations = read_table(file, "observations");
  const std::uint64_t rows = observations.shape[0];
  H5FloatArray actions = read_table(file, "actions", rows);
  OfflineData data{.observation_size = static_cast<int>(observations.shape[1]),
                   .action_size = static_cast<int>(actions.shape[1]),
                   .observations = std::move(observations.values),
                   .actions = std::move(actions.values),
                   .rewards = read_column(file, "rewards", rows),
                   .terminals = read_flags(file, "terminals", rows),
                   .last = {},
                   .goal = {}};
  if (file.has("timeouts")) {
    data.last = read_flags(file, "timeouts", rows);
  } else {
    data.last.assign(rows, 0);
    const auto limit = static_cast<std::size_t>(options.max_episode_steps);
    for (std::size_t i = limit - 1; i < rows; i += limit) data.last[i] = 1;
  }
  data.last.back() = 1;
  cut_at_jumps(data, options.jump);
  return data;
}

OfflineData read_minari(const fs::path& path) {
  const H5File file = H5File::open(minari_file(path));
  const std::uint64_t most = kDeflateLimit * fs::file_size(file.path()) / sizeof(float);
  OfflineData data;
  std::uint64_t episode = 0;
  for (; file.is_group(fmt::format("episode_{}", episode)); ++episode) {
    require(episode < kMaxEpisodes, "too many episodes", episode);
    append_episode(file, fmt::format("episode_{}", episode), data);
    if (data.observations.size() + data.actions.size() > most) {
      throw ConfigError(file.path().string(), fmt::format("group 'episode_{}'", episode),
                        "repeats values of other episodes");  // one table under many names
    }
  }
  if (episode == 0) throw ConfigError(file.path().string(), "group 'episode_0'", "is missing");
  if (file.has_attribute("total_episodes") &&
      file.number("total_episodes") != static_cast<double>(episode)) {
    throw ConfigError(
        file.path().string(), fmt::format("group 'episode_{}'", episode),
        fmt::format("is missing: total_episodes says {}", file.number("total_episodes")));
  }
  return data;
}

OfflineData read_rollout(const fs::path& path) {
  const H5File file = H5File::open(path);
  const H5FloatArray observations = read_table(file, "observations");
  const H5FloatArray actions = read_table(file, "actions");
  const std::uint64_t steps = actions.shape[0];
  const std::vector<float> rewards = read_column(file, "rewards", steps);
  const std::vector<std::uint8_t> terminated = read_flags(file, "terminated", steps);
  if (observations.shape[0] <= steps) {
    fail(file, "observations", "has no more rows than there are actions");
  }
  const std::uint64_t episodes = observations.shape[0] - steps;
  OfflineData data;
  data.observation_size = static_cast<int>(observations.shape[1]);
  data.action_size = static_cast<int>(actions.shape[1]);
  data.observations = observations.values;
  const auto width = static_cast<std::ptrdiff_t>(actions.shape[1]);
  std::ptrdiff_t begin = 0;
  for (const float length : read_column(file, "lengths", episodes)) {
    const auto left = static_cast<std::ptrdiff_t>(steps) - begin;
    if (length < 0 || length != std::floor(length) || length > static_cast<float>(left)) {
      fail(file, "lengths", fmt::format("has {}, where {} steps are left", length, left));
    }
    const auto n = static_cast<std::ptrdiff_t>(length);
    const auto add = [&](auto& to, const auto& from, std::ptrdiff_t columns) {
      to.insert(to.end(), from.begin() + begin * columns, from.begin() + (begin + n) * columns);
      to.resize(to.size() + static_cast<std::size_t>(columns));  // the last state has no action
    };
    add(data.actions, actions.values, width);
    add(data.rewards, rewards, 1);
    add(data.terminals, terminated, 1);
    data.last.resize(data.last.size() + static_cast<std::size_t>(n), 0);
    data.last.push_back(1);
    begin += n;
  }
  if (begin != static_cast<std::ptrdiff_t>(steps)) {
    fail(file, "lengths", fmt::format("add up to {}, but there are {} steps", begin, steps));
  }
  return data;
}

OfflineData read_offline(const fs::path& path, const ReadOptions& options) {
  if (fs::is_directory(path)) return read_minari(path);
  const H5File file = H5File::open(path);
  if (file.is_group("episode_0")) return read_minari(path);
  if (file.has("lengths") && !file.has("terminals")) return read_rollout(path);
  return read_d4rl(path, options);
}

void write_d4rl(const fs::path& path, const OfflineData& data, const std::string& task,
                int compress) {
  require(data.rows() > 0, "nothing to write");
  const std::uint64_t rows = data.rows();
  H5File file = H5File::create(path);
  const auto table = [&](const std::string& name, const std::vector<float>& values) {
    if (!values.empty()) {
      file.write(name, std::span<const float>(values), {rows, values.size() / rows}, compress);
    }
  };
  table("observations", data.observations);
  table("actions", data.actions);
  file.write("rewards", std::span<const float>(data.rewards), {rows}, compress);
  file.write_flags("terminals", data.terminals, compress);
  file.write_flags("timeouts", data.last, compress);
  table("infos/goal", data.goal);
  if (data.position_size > 0) {
    table("infos/qpos", columns(data, 0, data.position_size));
    table("infos/qvel", columns(data, data.position_size, data.observation_size));
  }
  file.text("env", task);
  file.commit();
}

}  // namespace speder::deep
