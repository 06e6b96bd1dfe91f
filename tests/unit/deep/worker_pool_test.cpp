#include "speder/deep/sim/env/worker_pool.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "tests/catch.hpp"

namespace speder::deep::worker_pool_test {

TEST_CASE("the worker pool runs every index once and passes an exception on", "[deep][vector]") {
  WorkerPool pool(3);
  std::vector<int> hits(1000, 0);
  for (int round = 0; round < 50; ++round) {
    pool.run(1000, [&](int i) { ++hits[static_cast<std::size_t>(i)]; });
  }
  CHECK(std::all_of(hits.begin(), hits.end(), [](int h) { return h == 50; }));
  CHECK_THROWS_AS(pool.run(10,
                           [](int i) {
                             if (i == 7) throw std::runtime_error("seven");
                           }),
                  std::runtime_error);
  CHECK_NOTHROW(pool.run(10, [](int) {}));
}

}  // namespace speder::deep::worker_pool_test
