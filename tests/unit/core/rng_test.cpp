#include "speder/core/rng.hpp"

#include <map>
#include <set>

#include "speder/core/parallel.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace rng_test {
TEST_CASE("SeedTree: a stream depends on root, name and index alone", "[core][rng]") {
  const SeedTree seeds(7);
  CHECK(seeds.seed("rollout", 3) == SeedTree(7).seed("rollout", 3));
  std::set<std::uint64_t> seen;
  for (std::uint64_t root = 0; root < 20; ++root) {
    for (const char* name : {"rollout", "rolloutx", "", "r", "class"}) {
      for (std::uint64_t i = 0; i < 20; ++i) seen.insert(SeedTree(root).seed(name, i));
    }
  }
  CHECK(seen.size() == 20 * 5 * 20);
}

TEST_CASE("Rng: the 10000th draw of the default-seeded engine is the one the standard requires",
          "[core][rng]") {
  Rng rng(5489);
  std::uint64_t last = 0;
  for (int i = 0; i < 10'000; ++i) last = rng();
  CHECK(last == 9981545732273789042ULL);  // [rand.predef] mt19937_64
}

TEST_CASE("dirichlet: a distribution for any concentration", "[core][rng]") {
  Rng rng = SeedTree(1).stream("dirichlet");
  for (const double c : {1e-3, 0.1, 1.0, 50.0}) {
    for (const Index n : {1, 2, 17}) {
      const Vector p = dirichlet(n, c, rng);
      CHECK(p.minCoeff() >= 0);
      CHECK_THAT(p.sum(), WithinAbs(1.0, 1e-12));
    }
  }
}

TEST_CASE("categorical: never a point without mass", "[core][rng]") {
  Rng rng = SeedTree(1).stream("categorical");
  const Vector p = (Vector(4) << 0.0, 0.5, 0.5, 0.0).finished();
  for (int i = 0; i < 1000; ++i) {
    const Index k = categorical(p, rng);
    CHECK((k == 1 || k == 2));
  }
}

TEST_CASE("parallel_for: every index once, any number of jobs; an exception reaches the caller",
          "[core][parallel]") {
  for (const int jobs : {0, 1, 2, 7}) {
    std::vector<int> hits(1000, 0);
    parallel_for(1000, jobs, [&](Index i) { hits[static_cast<std::size_t>(i)]++; });
    CHECK(hits == std::vector<int>(1000, 1));
    CHECK_THROWS_AS(parallel_for(10, jobs, [](Index) { throw std::runtime_error("x"); }),
                    std::runtime_error);
  }
}

}  // namespace rng_test
