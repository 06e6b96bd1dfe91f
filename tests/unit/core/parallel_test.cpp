#include "speder/core/parallel.hpp"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/catch.hpp"

using namespace speder;

namespace parallel_test {
TEST_CASE("parallel_for: every index once, and what bodies wrote is seen afterwards",
          "[parallel]") {
  const int jobs = GENERATE(0, 1, 2, 4);
  CAPTURE(jobs);
  constexpr Index kCount = 500;
  std::vector<std::string> slots(kCount);  // of the heap: written by one thread, read by another
  for (int round = 0; round < 20; ++round) {
    const std::string word = "round " + std::to_string(round);
    parallel_for(kCount, jobs, [&](Index i) { slots[static_cast<std::size_t>(i)] = word; });
    CHECK(std::all_of(slots.begin(), slots.end(), [&](const auto& s) { return s == word; }));
  }
}

TEST_CASE("parallel_for: one inside another", "[parallel]") {
  std::vector<std::vector<Index>> table(8, std::vector<Index>(16));
  parallel_for(8, 4, [&](Index i) {
    auto& row = table[static_cast<std::size_t>(i)];
    parallel_for(16, 2, [&](Index j) { row[static_cast<std::size_t>(j)] = i + j; });
    CHECK(std::accumulate(row.begin(), row.end(), Index{0}) == 16 * i + 120);
  });
}

TEST_CASE("parallel_for: the first exception comes out", "[parallel]") {
  const auto body = [](Index i) {
    if (i == 7) throw std::runtime_error("seven");
  };
  CHECK_THROWS_WITH(parallel_for(100, 3, body), "seven");
}

}  // namespace parallel_test
