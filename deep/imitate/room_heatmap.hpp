#pragma once

#include <functional>
#include <vector>

#include "speder/deep/learn/features/spectral_loss.hpp"
#include "speder/deep/sim/room/room.hpp"

namespace speder::deep {

struct HeatmapOptions {
  Objective objective = Objective::kDual;  // dual or exact
  double ortho = 1.0;                      // λ_ortho of dual
  int features = 64;                       // d
  std::vector<int> hidden = {256, 256};    // of φ and μ, Swish
  int steps = 100'000;
  int batch = 256;
  double learning_rate = 3e-4;
  Index squares = 101;
  std::uint64_t seed = 1;
  std::vector<RoomQuery> queries = {
      {{0, 0}, {1, 0.5}}, {{-2, 2}, {-0.5, -1}}, {{2, -2}, {0.5, 0.75}}, {{1, 3}, {-0.75, -0.25}}};
};

struct HeatmapResult {
  std::vector<Matrix> raw;  // φ(s,a)ᵀμ(s') p(s') on the grid, one for each query
  std::vector<DensityScore> scores;
  double loss = 0;  // of the last step
  int steps = 0;
};

/// Learns the room's transition density with p uniform on the room and evaluates it at the queries.
/// [appendix, Transition Estimation via Spectral Decomposition]
[[nodiscard]] HeatmapResult learn_heatmap(
    const Room& room, const HeatmapOptions& options,
    const std::function<bool(int step, double loss)>& observer = {});  // false: stop

}  // namespace speder::deep
