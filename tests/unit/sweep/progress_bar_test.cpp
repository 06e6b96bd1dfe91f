#include "speder/sweep/progress_bar.hpp"

#include "tests/catch.hpp"

using namespace speder;

namespace progress_bar_test {
TEST_CASE("progress_line: counts, rate of this start, time left, failures", "[progress]") {
  const SweepProgress p{.total = 100, .done = 50, .restored = 40, .failed = 2};
  CHECK(progress_line("gen-n", p, 5, 70) ==
        "gen-n [##############..............] 50/100, 2/s, 0:25 left, 2 failed");
  const SweepProgress start{.total = 100, .done = 40, .restored = 40, .failed = 0};
  CHECK_THAT(progress_line("gen-n", start, 5, 70), Catch::EndsWith(" 40/100, 0/s, --:-- left"));
  const SweepProgress slow{.total = 10'000, .done = 1, .restored = 0, .failed = 0};
  CHECK_THAT(progress_line("gen-n", slow, 1, 70), Catch::EndsWith("2:46:39 left"));
}

TEST_CASE("progress_line: never wider than the terminal", "[progress]") {
  const SweepProgress p{.total = 1'000'000, .done = 999'999, .restored = 0, .failed = 123'456};
  for (int width = 1; width < 120; ++width) {
    CHECK(progress_line("a-long-experiment-name", p, 1e6, width).size() <
          static_cast<std::size_t>(std::max(width, 2)));
  }
  CHECK_NOTHROW(progress_line("", {}, 0, 80));
}

}  // namespace progress_bar_test
