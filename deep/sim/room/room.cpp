#include "speder/deep/sim/room/room.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// N(x; mean, 1) on [−half, half], scaled to mass 1 there.
double cut_normal(double x, double mean, double half) {
  if (std::abs(x) > half) return 0;
  const double inside = normal_cdf(half - mean) - normal_cdf(-half - mean);
  return std::exp(-0.5 * (x - mean) * (x - mean)) / std::sqrt(2 * std::numbers::pi) / inside;
}

double area(const Room& room, const Matrix& grid) {
  return room.side * room.side / static_cast<double>(grid.size());
}

}  // namespace

Place target(const Room& room, const RoomQuery& q) {
  return {q.from.x + q.velocity.x * room.interval, q.from.y + q.velocity.y * room.interval};
}

Place draw_place(const Room& room, Rng& rng) {
  const double x = rng.uniform(-room.side / 2, room.side / 2);
  return {x, rng.uniform(-room.side / 2, room.side / 2)};
}

Place draw_next(const Room& room, const RoomQuery& query, Rng& rng) {
  const Place mean = target(room, query);
  const auto draw = [&](double centre) {  // the axes are independent, so each is drawn on its own
    for (;;) {
      const double x = centre + rng.normal();
      if (std::abs(x) <= room.side / 2) return x;
    }
  };
  const double x = draw(mean.x);
  return {x, draw(mean.y)};
}

RoomStep draw_step(const Room& room, Rng& rng) {
  RoomStep step;
  step.query.from = draw_place(room, rng);
  step.query.velocity.x = rng.uniform(-1, 1);
  step.query.velocity.y = rng.uniform(-1, 1);
  step.next = draw_next(room, step.query, rng);
  return step;
}

double true_density(const Room& room, const RoomQuery& query, const Place& next) {
  const Place mean = target(room, query);
  return cut_normal(next.x, mean.x, room.side / 2) * cut_normal(next.y, mean.y, room.side / 2);
}

Place square_centre(const Room& room, Index n, Index row, Index column) {
  const double step = room.side / static_cast<double>(n);
  return {-room.side / 2 + (static_cast<double>(column) + 0.5) * step,
          -room.side / 2 + (static_cast<double>(row) + 0.5) * step};
}

Matrix true_density_grid(const Room& room, const RoomQuery& query, Index n) {
  Matrix grid(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      grid(i, j) = true_density(room, query, square_centre(room, n, i, j));
    }
  }
  return grid;
}

Matrix clipped_to_mass_one(const Room& room, const Matrix& raw) {
  const Matrix cut = raw.cwiseMax(0.0);
  const double mass = cut.sum() * area(room, raw);
  require(mass > 0, "the estimate is nowhere positive: too few steps?", mass);
  return cut / mass;
}

DensityScore score_density(const Room& room, const RoomQuery& query, const Matrix& raw) {
  const Index n = raw.rows();
  const Matrix learned = clipped_to_mass_one(room, raw);
  const Matrix truth = true_density_grid(room, query, n);
  const Place aim = target(room, query);
  Index row = 0, column = 0;
  learned.maxCoeff(&row, &column);
  Place mean;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const Place at = square_centre(room, n, i, j);
      mean.x += learned(i, j) * at.x * area(room, raw);
      mean.y += learned(i, j) * at.y * area(room, raw);
    }
  }
  return {.mass = raw.sum() * area(room, raw),
          .peak_offset = distance(square_centre(room, n, row, column), aim),
          .mean_offset = distance(mean, aim),
          .l1 = (learned - truth).cwiseAbs().sum() * area(room, raw)};
}

}  // namespace speder::deep
