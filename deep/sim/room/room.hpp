#pragma once

#include <vector>

#include "speder/core/rng.hpp"
#include "speder/core/types.hpp"
#include "speder/deep/sim/maze/maze.hpp"

namespace speder::deep {

/// The empty room: s' = s + a t + ε, ε ~ N(0, I), drawn again until s' is inside, so that P(·|s,a) is
/// a density on the room [−side/2, side/2]². s uniform on the room, a uniform on [−1, 1]².
/// [fig:heatmap, docs/imitation.md]
struct Room {
  double side = 10;
  double interval = 2;  // t
};

/// A place and a velocity whose transition density is looked at.
struct RoomQuery {
  Place from;
  Place velocity;
};
[[nodiscard]] Place target(const Room& room, const RoomQuery& query);  // s + a t

struct RoomStep {
  RoomQuery query;
  Place next;
};
[[nodiscard]] Place draw_next(const Room& room, const RoomQuery& query, Rng& rng);
[[nodiscard]] RoomStep draw_step(const Room& room, Rng& rng);
[[nodiscard]] Place draw_place(const Room& room, Rng& rng);

/// P(s'|s,a): a product of two normal densities cut at the walls.
[[nodiscard]] double true_density(const Room& room, const RoomQuery& query, const Place& next);

/// Densities at the middles of n × n squares, row = y, column = x.
[[nodiscard]] Matrix true_density_grid(const Room& room, const RoomQuery& query, Index n);
[[nodiscard]] Place square_centre(const Room& room, Index n, Index row, Index column);

/// How a learned density compares with the truth. Negative values are cut at 0 and the rest scaled
/// to mass 1 first: shape is compared, and `mass` tells the scale before that.
struct DensityScore {
  double mass = 0;         // ∑ of the raw estimate × area; 1 for a calibrated one
  double peak_offset = 0;  // ‖argmax − (s + a t)‖
  double mean_offset = 0;  // ‖mean − (s + a t)‖; the truth's own mean is pushed off by near walls
  double l1 = 0;           // ∫ |estimate − truth|, in [0, 2]
};
[[nodiscard]] DensityScore score_density(const Room& room, const RoomQuery& query,
                                         const Matrix& raw);
/// The estimate as score_density compares it.
[[nodiscard]] Matrix clipped_to_mass_one(const Room& room, const Matrix& raw);

}  // namespace speder::deep
