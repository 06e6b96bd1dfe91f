#include "speder/deep/sim/room/room.hpp"

#include <cmath>
#include <vector>

#include "speder/core/tolerance.hpp"
#include "speder/stats/statistics.hpp"
#include "tests/catch.hpp"

namespace speder::deep::room_test {
namespace {

const Room kRoom;
const RoomQuery kOpen{{0, 0}, {1, 0.5}};
const RoomQuery kCorner{{4.5, -4.5}, {1, -1}};  // aims 1.5 behind both walls

double mass(const Matrix& grid) { return grid.sum() * 100 / static_cast<double>(grid.size()); }

}  // namespace

TEST_CASE("the true density has mass one and is the free Gaussian away from walls",
          "[deep][room]") {
  // Midpoint rule with squares of side h: relative error ≤ h² max|f''| · area / 24 ≤ h²/4 here.
  const Index n = 400;
  const double h = kRoom.side / static_cast<double>(n);
  CHECK_THAT(mass(true_density_grid(kRoom, kOpen, n)), WithinAbs(1, h * h / 4));
  CHECK_THAT(mass(true_density_grid(kRoom, kCorner, n)), WithinAbs(1, h * h));
  const double peak = 1 / (2 * M_PI);
  // 3 σ to the nearest wall on one axis, 4 σ on the other: less than 0.14% is cut off.
  CHECK_THAT(true_density(kRoom, kOpen, {2, 1}), WithinAbs(peak, 0.0015 * peak));
  CHECK(true_density(kRoom, kCorner, {5.01, -4}) == 0);
}

TEST_CASE("draws follow the density, at a wall too", "[deep][room]") {
  const bool corner = GENERATE(false, true);
  const RoomQuery query = corner ? kCorner : kOpen;
  const Index n = 200;  // fine squares, summed into 5 × 5 blocks of the room
  const Matrix grid = true_density_grid(kRoom, query, n) * (100.0 / (n * n));
  Vector probability = Vector::Zero(25);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) probability[(i / 40) * 5 + j / 40] += grid(i, j);
  }
  probability /= probability.sum();
  std::vector<std::int64_t> counts(25);
  Rng rng = SeedTree(3).stream("room");
  for (int k = 0; k < 20'000; ++k) {
    const Place s = draw_next(kRoom, query, rng);
    const auto cell = [](double x) { return std::min<Index>(4, static_cast<Index>((x + 5) / 2)); };
    ++counts[static_cast<std::size_t>(cell(s.y) * 5 + cell(s.x))];
  }
  CHECK(chi_square_test(counts, probability).p_value > tol::kFalseAlarm);
}

TEST_CASE("the truth scores perfectly and a planted shift is measured", "[deep][room]") {
  const Index n = 100;
  const Matrix truth = true_density_grid(kRoom, kOpen, n);
  const DensityScore perfect = score_density(kRoom, kOpen, 7 * truth);  // scale does not matter
  CHECK(perfect.mass == Approx(7).epsilon(0.001));
  CHECK(perfect.peak_offset <= kRoom.side / static_cast<double>(n));  // within a square's diagonal
  CHECK(perfect.l1 < 0.001);
  CHECK(perfect.mean_offset < 0.02);  // 0.13% beyond the wall, at most 4 away, moves it by 0.01
  const Matrix shifted = true_density_grid(kRoom, {{0, 0}, {0.5, 0.5}}, n);
  const DensityScore off = score_density(kRoom, kOpen, shifted);
  CHECK_THAT(off.peak_offset, WithinAbs(1, 0.11));
  // ∫|N(x) − N(x−1)| = 2 (2Φ(½) − 1) = 0.7658
  CHECK_THAT(off.l1, WithinAbs(2 * std::erf(0.5 / std::sqrt(2.0)), 0.01));
  CHECK_THROWS_AS(score_density(kRoom, kOpen, -truth), std::invalid_argument);
}

}  // namespace speder::deep::room_test
