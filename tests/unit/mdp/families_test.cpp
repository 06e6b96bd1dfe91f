#include "speder/mdp/families/families.hpp"

#include <rapidcheck.h>

#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace families_test {
namespace {

std::vector<InstanceSpec> small_specs() {
  std::vector<InstanceSpec> specs;
  for (const Family& f : families())
    if (f.name != "file") specs.push_back({.family = std::string(f.name)});
  specs.push_back({.family = "simplex", .states = 1, .actions = 1, .rank = 1});
  specs.push_back({.family = "simplex", .states = 7, .actions = 1, .rank = 7});
  specs.push_back({.family = "signed", .states = 6, .actions = 3, .rank = 1});
  specs.push_back({.family = "block",
                   .states = 11,
                   .actions = 2,
                   .rank = 4,
                   .knobs = {{"stochastic", 0.3}, {"emission", 0}}});
  specs.push_back({.family = "block", .states = 6, .actions = 1, .rank = 6});
  specs.push_back({.family = "lock", .states = 9, .actions = 2, .rank = 2});
  specs.push_back({.family = "lock",
                   .states = 30,
                   .actions = 3,
                   .rank = 6,
                   .knobs = {{"reset", 0}, {"slip", 0.2}}});
  specs.push_back({.family = "garnet", .states = 3, .actions = 1, .knobs = {{"successors", 1}}});
  specs.push_back({.family = "deepsea", .states = 9, .gamma = 0.9});
  specs.push_back({.family = "two-state", .actions = 5, .gamma = 0.999, .knobs = {{"eps", 10}}});
  return specs;
}

// rank(P) from an SVD of the dense probabilities: independent of the factors.
Index dense_rank(const Kernel& kernel) {
  const Vector sigma = Eigen::BDCSVD<Eigen::MatrixXd>(kernel.dense()).singularValues();
  return (sigma.array() > tol::kRank * sigma[0]).count();
}

Index expected_rank(const TabularMdp& m) {
  const std::string& family = m.provenance().family;
  if (family == "canonical") return m.states();                       // documented: S of d = SA
  if (family == "river" || family == "deepsea") return m.rank() - 1;  // the reward's coordinate
  return m.rank();
}

}  // namespace

TEST_CASE("families: kernels are exact, rewards linear and in [0,1], ranks as documented",
          "[mdp][families]") {
  for (InstanceSpec spec : small_specs()) {
    for (const std::uint64_t seed : {1U, 2U, 77U}) {
      spec.seed = seed;
      const TabularMdp m = generate(spec);
      CAPTURE(spec.family, seed, m.states(), m.actions(), m.rank());
      const Matrix P = m.kernel().dense();
      CHECK((P.rowwise().sum().array() - 1).abs().maxCoeff() <= tol::kSimplex);
      CHECK(P.minCoeff() >= -tol::kNonNegative);
      CHECK(m.reward().minCoeff() >= 0);
      CHECK(m.reward().maxCoeff() <= 1);
      REQUIRE(m.theta().size() == m.rank());
      CHECK((m.kernel().phi().times(m.theta()) - m.reward()).cwiseAbs().maxCoeff() <=
            tol::kSimplex);
      CHECK(dense_rank(m.kernel()) == expected_rank(m));
      CHECK(m.kernel().phi().to_dense().rowwise().norm().maxCoeff() <= 1 + tol::kSimplex);
      CHECK(m.theta().norm() <= std::sqrt(static_cast<double>(m.rank())) + tol::kSimplex);
    }
  }
}

TEST_CASE("families: an instance is a function of its seed", "[mdp][families]") {
  for (InstanceSpec spec : small_specs()) {
    const TabularMdp a = generate(spec);
    const TabularMdp b = generate(spec);
    CAPTURE(spec.family);
    CHECK(a.kernel().phi().to_dense() == b.kernel().phi().to_dense());
    CHECK(a.kernel().mu().to_dense() == b.kernel().mu().to_dense());
    CHECK(a.reward() == b.reward());
    CHECK(a.provenance().seed == spec.seed);
    CHECK(a.provenance().knobs.size() == family(spec.family).knobs.size());
    const bool seeded = family(spec.family).name != "river" && spec.family != "two-state";
    if (!seeded || spec.states == 1 || spec.rank == 2 || spec.states == 3) continue;
    spec.seed = 2;
    const TabularMdp other = generate(spec);
    CHECK((a.kernel().dense() != other.kernel().dense() || a.reward() != other.reward()));
  }
}

TEST_CASE("families: the volume knob moves nu and mu and nothing else", "[mdp][families]") {
  for (InstanceSpec spec : small_specs()) {
    // Theirs is not the counting measure by default.
    if (spec.family == "continuous" || spec.family == "latent" || spec.family == "needle" ||
        spec.family == "comblock" || spec.family == "leaves" || spec.family == "chain")
      continue;
    CAPTURE(spec.family);
    const TabularMdp counting = generate(spec);
    spec.knobs["volume"] = 0.5;
    const TabularMdp scaled = generate(spec);
    const double weight = 0.5 / static_cast<double>(counting.states());
    CHECK(counting.kernel().nu() == Vector::Ones(counting.states()));
    CHECK(scaled.kernel().nu() == Vector::Constant(counting.states(), weight));
    CHECK(scaled.kernel().phi().to_dense() == counting.kernel().phi().to_dense());
    CHECK((scaled.kernel().dense() - counting.kernel().dense()).cwiseAbs().maxCoeff() <=
          tol::kSimplex);
  }
}

TEST_CASE("families: simplex kernels over random sizes", "[mdp][families][property]") {
  const bool ok = rc::check("rows sum to one and rank is d", [] {
    InstanceSpec spec{.family = "simplex"};
    spec.states = *rc::gen::inRange<Index>(2, 30);
    spec.actions = *rc::gen::inRange<Index>(1, 6);
    spec.rank = *rc::gen::inRange<Index>(1, std::min<Index>(spec.states, 8) + 1);
    spec.seed = *rc::gen::arbitrary<std::uint64_t>();
    const TabularMdp m = generate(spec);
    const Vector total = m.kernel().dense().rowwise().sum();
    RC_ASSERT((total.array() - 1).abs().maxCoeff() <= tol::kSimplex);
    RC_ASSERT(dense_rank(m.kernel()) == spec.rank);
  });
  CHECK(ok);
}

TEST_CASE("signed: phi and mu have negative entries, the kernel is the simplex one",
          "[mdp][families]") {
  const TabularMdp rotated = generate({.family = "signed", .seed = 5});
  const TabularMdp plain = generate({.family = "simplex", .seed = 5});
  CHECK(rotated.kernel().phi().smallest() < -0.01);
  CHECK(rotated.kernel().mu().smallest() < -0.001);
  CHECK((rotated.kernel().dense() - plain.kernel().dense()).cwiseAbs().maxCoeff() <= tol::kSimplex);
  CHECK((rotated.reward() - plain.reward()).cwiseAbs().maxCoeff() <= tol::kSimplex);
}

TEST_CASE("block: every pair leads to one block, every state belongs to one", "[mdp][families]") {
  const TabularMdp m = generate({.family = "block", .states = 13, .actions = 3, .rank = 4});
  CHECK(m.kernel().phi().is_sparse());
  CHECK(m.kernel().phi().nonzeros() == 39);
  CHECK(m.kernel().mu().nonzeros() == 13);
  const TabularMdp noisy = generate(
      {.family = "block", .states = 13, .actions = 3, .rank = 4, .knobs = {{"stochastic", 0.2}}});
  CHECK(!noisy.kernel().phi().is_sparse());
}

TEST_CASE("families: what cannot be is refused with what can", "[mdp][families]") {
  const auto make = [](InstanceSpec spec) { return generate(spec); };
  using Catch::Contains;
  CHECK_THROWS_WITH(make({.family = "tower"}),
                    Contains("no family 'tower'") && Contains("simplex, block, lock"));
  CHECK_THROWS_WITH(make({.family = "lock", .knobs = {{"slop", 1}}}),
                    Contains("no knob 'slop'") && Contains("slip (default 0"));
  CHECK_THROWS_WITH(make({.family = "lock", .knobs = {{"slip", 2}}}),
                    Contains("slip must lie in [0, 0.99], got 2"));
  CHECK_THROWS_WITH(make({.family = "lock", .knobs = {{"slip", NAN}}}), Contains("got nan"));
  CHECK_THROWS_WITH(make({.family = "lock", .knobs = {{"reset", 0.5}}}), Contains("whole number"));
  CHECK_THROWS_WITH(make({.family = "lock", .rank = 1}),
                    Contains("rank must lie in [2, 50], got 1"));
  CHECK_THROWS_WITH(make({.family = "lock", .actions = 1}), Contains("actions must lie in [2"));
  CHECK_THROWS_WITH(make({.family = "simplex", .states = 4, .rank = 5}),
                    Contains("rank must lie in [1, 4], got 5"));
  CHECK_THROWS_WITH(make({.family = "garnet", .rank = 5}),
                    Contains("rank (= states) is 50 here, it cannot be 5"));
  CHECK_THROWS_WITH(make({.family = "two-state", .states = 3}),
                    Contains("the number of states is 2 here"));
  CHECK_THROWS_WITH(make({.family = "two-state", .knobs = {{"eps", 1e3}}}),
                    Contains("eps must be at most"));
  CHECK_THROWS_WITH(make({.family = "river", .actions = 3}),
                    Contains("the number of actions is 2 here"));
  CHECK_THROWS_WITH(make({.family = "river", .knobs = {{"right", 0.8}, {"left", 0.3}}}),
                    Contains("at most 1"));
  CHECK_THROWS_WITH(make({.family = "deepsea", .states = 10}), Contains("N * N"));
  CHECK_THROWS_WITH(make({.family = "continuous", .states = 10, .rank = 5}),
                    Contains("rank must lie in [1, 2]"));
  CHECK_THROWS_WITH(make({.family = "simplex", .gamma = 1}),
                    Contains("gamma must lie in (0,1), got 1"));
  CHECK_THROWS_WITH(make({.family = "simplex", .states = -3}), Contains("got -3"));
  CHECK_THROWS_WITH(make({.family = "simplex", .states = 1'000'000'000, .actions = 1'000}),
                    Contains("states * actions must be at most"));
  CHECK_THROWS_WITH(make({.family = "simplex", .states = 100'000'000, .actions = 10, .rank = 1000}),
                    Contains("beyond the limit"));
  CHECK_THROWS_WITH(make({.family = "file"}), Contains("needs the path"));
}

}  // namespace families_test
