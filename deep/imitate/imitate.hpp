#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "speder/deep/imitate/model.hpp"
#include "speder/deep/sim/data/offline.hpp"
#include "speder/deep/sim/env/env.hpp"
#include "speder/sweep/store.hpp"

namespace speder::deep {

/// Logged rows as tensors, and the rows at which `hold(config)` consecutive steps start.
struct LoggedRows {
  Tensor states;   // (N, S) standardised
  Tensor actions;  // (N, A)
  std::vector<std::int64_t> starts;
};

struct ImitationSets {
  LoggedRows offline, expert;
  Tensor mean, scale;  // (S) of the offline states; 0 and 1 when they are left as they are
  Sizes sizes;
};
/// Throws InputError when the two differ in size or have no stretch of the needed length.
[[nodiscard]] ImitationSets prepare_sets(const OfflineData& offline, const OfflineData& expert,
                                         const ImitateConfig& config);
/// The windows that start at these rows; base rows come from `base` (successors).
[[nodiscard]] Windows windows_at(const LoggedRows& rows, const std::vector<std::int64_t>& starts,
                                 const std::vector<std::int64_t>& base, int steps);

struct ImitatePlace {
  std::filesystem::path checkpoints;  // folder; empty: none are written
  int checkpoint_every = 10'000;      // steps
};

struct ImitateObserver {
  std::function<void(int phase, std::int64_t step, const Diagnostics&)> progress;
  std::function<void(std::int64_t step, double success)> evaluation;
  std::function<void(const std::string&)> warning;
  std::function<bool()> stop;
};

enum class ImitateEnd { kFinished, kDiverged, kInterrupted };

struct ImitateResult {
  std::vector<Measure> measures;  // success at every evaluation; final_success over many episodes
  double final_success = 0;
  ImitateEnd end = ImitateEnd::kFinished;
  std::string problem;
};

/// The paper's final performance: mean success of the last evaluations, of fewer when there are not
/// so many.
[[nodiscard]] std::optional<double> last_success(const std::vector<Measure>& measures,
                                                 int evaluations);

/// One run: phase 1 (not for bc), phase 2, evaluations. A checkpoint in the folder is taken up; the
/// numbers are the same with or without the interruption.
[[nodiscard]] ImitateResult imitate(const ImitateConfig& config, const ImitationSets& sets,
                                    const std::shared_ptr<const Physics>& physics,
                                    const ImitatePlace& place,
                                    const ImitateObserver& observer = {});

}  // namespace speder::deep
