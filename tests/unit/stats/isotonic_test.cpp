#include "speder/stats/isotonic.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "speder/core/rng.hpp"
#include "speder/core/tolerance.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace isotonic_test {
TEST_CASE("isotonic_increasing: hand-solved, pools and weights", "[core][isotonic]") {
  const std::vector<double> one(4, 1.0);
  CHECK(isotonic_increasing(std::vector<double>{1, 3, 2, 4}, one) ==
        std::vector<double>{1, 2.5, 2.5, 4});
  CHECK(isotonic_increasing(std::vector<double>{4, 3, 2, 1}, one) == std::vector<double>(4, 2.5));
  CHECK(isotonic_increasing(std::vector<double>{3, 0}, std::vector<double>{1, 2}) ==
        std::vector<double>{1, 1});
  CHECK(isotonic_increasing({}, {}).empty());
}

TEST_CASE("isotonic_increasing: the min-max formula gives the same fit", "[core][isotonic]") {
  // g(i) = max_{a ≤ i} min_{b ≥ i} mean(y_a … y_b)   (Robertson, Wright & Dykstra 1988, th. 1.4.4)
  for (int t = 0; t < 50; ++t) {
    Rng rng = SeedTree(3).stream("isotonic", static_cast<std::uint64_t>(t));
    std::vector<double> y, w;
    for (int i = 0; i < 12; ++i) {
      y.push_back(rng.normal());
      w.push_back(rng.uniform(0.5, 2));
    }
    const std::vector<double> fit = isotonic_increasing(y, w);
    const auto mean = [&](std::size_t a, std::size_t b) {
      double total = 0, weight = 0;
      for (std::size_t i = a; i <= b; ++i) {
        total += w[i] * y[i];
        weight += w[i];
      }
      return total / weight;
    };
    for (std::size_t i = 0; i < y.size(); ++i) {
      double best = -INFINITY;
      for (std::size_t a = 0; a <= i; ++a) {
        double least = INFINITY;
        for (std::size_t b = i; b < y.size(); ++b) least = std::min(least, mean(a, b));
        best = std::max(best, least);
      }
      CHECK_THAT(fit[i], WithinAbs(best, tol::kSimplex));
    }
  }
}

TEST_CASE("sample_complexity: the first n whose monotone share reaches 1 − δ", "[core][isotonic]") {
  const std::vector<double> n = {8, 16, 32, 64};
  const auto N = [&](std::vector<double> shares) { return sample_complexity(n, shares, 0.1); };
  CHECK(N({0, 0.5, 0.9, 1}).n == 32);
  CHECK(N({0, 0.5, 0.9, 1}).lower == 16);
  CHECK(N({0, 0.5, 0.9, 1}).censoring == Censoring::kNone);
  // A lucky dip at n = 16 does not count: pooled with what follows it is (0.95 + 0.5)/2.
  CHECK(N({0, 0.95, 0.5, 1}).n == 64);
  CHECK(N({0, 0.2, 0.3, 0.89}).censoring == Censoring::kAbove);
  CHECK(N({0, 0.2, 0.3, 0.89}).n == 64);
  CHECK(N({0.9, 0.9, 1, 1}).censoring == Censoring::kBelow);
  CHECK_THROWS_AS(sample_complexity(n, std::vector<double>{1}, 0.1), std::invalid_argument);
}

TEST_CASE("sample_complexity: a share of 27 runs in 30 reaches 0.9", "[core][isotonic]") {
  double share = 0;
  for (int i = 0; i < 27; ++i) share += 1.0 / 30;
  CHECK(sample_complexity(std::vector<double>{8, 16}, std::vector<double>{0, share}, 0.1).n == 16);
}

TEST_CASE("quarter_octaves: four steps double, integers never repeat", "[core][isotonic]") {
  CHECK(quarter_octaves(64, 128) == std::vector<int>{64, 76, 91, 108, 128});
  const std::vector<int> small = quarter_octaves(1, 16);
  CHECK(std::ranges::adjacent_find(small, std::greater_equal{}) == small.end());
  CHECK(small.front() == 1);
  CHECK(small.back() == 16);
}

}  // namespace isotonic_test
