#pragma once

#include <functional>
#include <memory>
#include <string>

#include "speder/deep/sim/data/offline.hpp"
#include "speder/deep/sim/maze/waypoints.hpp"

namespace speder::deep {

enum class Style { kDiverse, kPlay, kExpert };
/// Throws InputError that lists the names.
[[nodiscard]] Style find_style(const std::string& name);

/// What decides the numbers of a data set.
struct GenerateOptions {
  std::string body = "point";     // point or ant
  std::string layout = "medium";  // medium or large
  std::string style = "diverse";
  std::string policy = {};               // the ant's walking policy: its file, for the record
  std::int64_t transitions = 1'000'000;  // rows of diverse and play
  int episodes = 10;                     // successful episodes of expert
  int episode_rows = 1000;
  double noise = 0.5;    // standard deviation of the action noise; actions are clipped afterwards
  bool new_goal = true;  // a reached goal is replaced at once; otherwise kept to the episode's end
  std::uint64_t seed = 1;
};
[[nodiscard]] std::string to_text(const GenerateOptions& options);

/// Where and how it runs; changes no number.
struct GeneratePlace {
  std::filesystem::path out;
  int threads = 1;
  int compress = 0;
  std::function<void(std::int64_t rows, std::int64_t of)> progress = {};
  std::function<bool()> stop = {};  // true: keep the part file and return
  std::function<void(const std::string&)> warning = {};
};

struct GenerateResult {
  std::int64_t rows = 0;
  std::int64_t episodes = 0;
  std::int64_t attempts = 0;  // expert: including those that failed
  std::int64_t unstable = 0;  // episodes cut short because the simulation blew up
  std::int64_t resumed = 0;   // rows found in the part file
  bool finished = false;
};

/// Episodes of a waypoint follower with action noise, in D4RL's layout. Finished episodes are kept
/// in <out>.part, from which an interrupted run goes on; the result is the same, bit for bit, and
/// does not depend on the number of threads. `walk` makes one low-level controller per thread.
///   diverse  starts and goals uniform on the free cells
///   play     goals from the map's list, starts uniform on the other free cells
///   expert   from the start cell to the evaluation goal, cut at success; failures are left out
/// Rewards and terminals mark rows whose successor is within the success radius of the centre of
/// the evaluation goal's cell (of the episode's own goal for expert).
[[nodiscard]] GenerateResult generate(const GenerateOptions& options,
                                      const std::shared_ptr<const Physics>& physics,
                                      const std::function<Walk()>& walk,
                                      const GeneratePlace& place);

}  // namespace speder::deep
