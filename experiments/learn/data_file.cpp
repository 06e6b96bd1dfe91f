#include "speder/experiments/learn/data_file.hpp"

#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/io/hdf5.hpp"
#include "speder/mdp/file/reader.hpp"

namespace speder {
namespace {

constexpr double kDataVersion = 1;

void require_data_version(const file::Reader& in) {
  if (in.file().text("format") != "speder-data")
    throw ConfigError(in.path().string(), "attribute 'format'", "is not speder-data");
  const double version = in.file().number("format_version");
  if (version != kDataVersion)
    throw ConfigError(in.path().string(), "attribute 'format_version'",
                      fmt::format("is {}, this program reads {}", version, kDataVersion));
}

// Whole numbers in [0, limit).
std::vector<Index> read_places(const file::Reader& in, const std::string& name, Index n,
                               Index limit) {
  const Vector raw = in.vector(name, {n});
  std::vector<Index> places(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    if (raw[i] != std::floor(raw[i]) || raw[i] < 0 || raw[i] >= static_cast<double>(limit))
      file::refuse({in.path(), name, {n}}, i, raw[i],
                   fmt::format("it must be a whole number in [0, {}]", limit - 1));
    places[static_cast<std::size_t>(i)] = static_cast<Index>(raw[i]);
  }
  return places;
}

Policy read_behaviour(const file::Reader& in, Index states, Index actions) {
  Matrix table = in.matrix("behaviour", {states, actions});
  for (Index s = 0; s < states; ++s) {
    for (Index a = 0; a < actions; ++a)
      if (!(table(s, a) > 0))
        file::refuse({in.path(), "behaviour", {states, actions}}, s * actions + a, table(s, a),
                     "every action needs a positive probability: omega = max 1/pi_b is finite");
    if (!(std::abs(table.row(s).sum() - 1) <= tol::kSimplex))
      file::refuse({in.path(), "behaviour", {}},
                   fmt::format("row {} sums to {}, not 1", s, table.row(s).sum()));
  }
  return Policy::stochastic(std::move(table));
}

Index read_env_steps(const file::Reader& in, Index n) {
  if (!in.file().has_attribute("env_steps")) return n;
  const double steps = in.file().number("env_steps");
  if (steps == std::floor(steps) && steps >= 0 && steps <= 0x1p53) return static_cast<Index>(steps);
  throw ConfigError(in.path().string(), "attribute 'env_steps'",
                    fmt::format("is {}, expected a whole number", steps));
}

}  // namespace

void save_data(const std::filesystem::path& path, const StoredData& stored) {
  const Dataset& data = stored.data;
  const std::size_t n = data.steps.size();
  std::vector<std::int64_t> state(n);
  std::vector<std::int64_t> action(n);
  std::vector<std::int64_t> next(n);
  for (std::size_t i = 0; i < n; ++i) {
    state[i] = data.steps[i].pair / data.actions;
    action[i] = data.steps[i].pair % data.actions;
    next[i] = data.steps[i].next;
  }
  H5File out = H5File::create(path);
  out.text("format", "speder-data");
  out.number("format_version", kDataVersion);
  out.number("gamma", data.gamma);
  out.number("env_steps", static_cast<double>(data.env_steps));
  constexpr int kCompress = 1;
  out.write("state", std::span<const std::int64_t>(state), {n}, kCompress);
  out.write("action", std::span<const std::int64_t>(action), {n}, kCompress);
  out.write("next", std::span<const std::int64_t>(next), {n}, kCompress);
  out.write("behaviour", stored.behaviour.table());
  out.commit();
}

StoredData load_data(const std::filesystem::path& path) {
  const file::Reader in(path);
  require_data_version(in);
  const double gamma = in.file().number("gamma");
  file::require_gamma(path, gamma);
  const std::vector<Index> sizes = in.shape("behaviour", 2, "(S, A)");
  const Index n = in.shape("state", 1, "(n)")[0];
  if (n < 1 || sizes[0] < 1 || sizes[1] < 1)
    file::refuse({path, "state", {}}, "there is no transition, no state or no action");
  StoredData out{{sizes[0], sizes[1], gamma, {}, read_env_steps(in, n)},
                 read_behaviour(in, sizes[0], sizes[1])};
  const std::vector<Index> states = read_places(in, "state", n, sizes[0]);
  const std::vector<Index> actions = read_places(in, "action", n, sizes[1]);
  const std::vector<Index> next = read_places(in, "next", n, sizes[0]);
  out.data.steps.reserve(states.size());
  for (std::size_t i = 0; i < states.size(); ++i)
    out.data.steps.push_back({pair_index(states[i], actions[i], sizes[1]), next[i]});
  return out;
}

}  // namespace speder
