#include "speder/mdp/classes/candidate_class.hpp"

#include <cmath>
#include <set>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/classes/candidate_direction.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

using namespace speder;
using Catch::Matchers::Contains;

namespace candidate_class_test {
namespace {

const SeedTree kSeeds(5);
constexpr test::Shape kShape{9, 3, 4};

Kernel truth_of(const std::string& kind) {
  Rng rng = kSeeds.stream("truth");
  if (kind == "signed") return test::signed_kernel(kShape, rng);
  if (kind == "sparse") return test::sparse_kernel(kShape, 2, rng);
  if (kind == "rows") return test::two_state(0.3, 0.9).kernel();
  return test::simplex_kernel(kShape, rng);
}

// ‖P_c − P*‖ under uniform pairs, from the dense tables: an independent route.
double dense_distance(const Kernel& a, const Kernel& b) {
  const Matrix difference = a.dense() - b.dense();  // of probabilities: divide by ν once
  double total = 0;
  for (Index x = 0; x < a.pairs(); ++x) {
    total += difference.row(x).transpose().cwiseAbs2().cwiseQuotient(a.nu()).sum();
  }
  return std::sqrt(total / static_cast<double>(a.pairs()));
}

double spread(const Kernel& k) {
  double total = 0;
  for (Index s = 0; s < k.states(); ++s) {
    double sum = 0;
    for (Index a = 0; a < k.actions(); ++a) sum += k.phi().row_norm(s * k.actions() + a);
    total += sum * sum * k.nu()[s];
  }
  return total;
}

double largest_row(const Kernel& k) {
  double largest = 0;
  for (Index x = 0; x < k.pairs(); ++x) largest = std::max(largest, k.phi().row_norm(x));
  return largest;
}

void check_distances(const CandidateClass& made, const Kernel& truth) {
  for (Index c = 0; c < made.candidates.size(); ++c) {
    const Kernel k = made.candidates.kernel(c);  // throws unless it is a kernel
    CHECK_THAT(made.distance[c], WithinAbs(dense_distance(k, truth), tol::kLinearSolve));
  }
}

}  // namespace

TEST_CASE("make_class: multiscale holds P* and candidates at base·2⁻ʲ, all normalised as P*",
          "[class]") {
  const std::string setting =
      GENERATE("simplex double", "simplex float", "signed double", "sparse double", "sparse float",
               "rows double", "rows float");
  const std::string kind = setting.substr(0, setting.find(' '));
  const std::string precision = setting.substr(kind.size() + 1);
  CAPTURE(setting);
  const Kernel truth = truth_of(kind);
  ClassSpec spec;
  spec.size = 45;
  spec.scales = 10;
  spec.precision = precision;
  const CandidateClass made = make_class(truth, spec, kSeeds);
  REQUIRE(made.truth.has_value());
  CHECK(made.distance[*made.truth] <= 1e-15);
  check_distances(made, truth);
  std::map<int, int> per_scale;
  for (Index c = 0; c < spec.size; ++c) {
    const int j = made.scale[static_cast<std::size_t>(c)];
    ++per_scale[j];
    if (j < 0) continue;
    // Bisection is exact; a grid of 2⁻²⁴ moves the point by at most one part in a hundred.
    CHECK_THAT(made.distance[c] / std::ldexp(made.base, -j), WithinAbs(1.0, 0.01));
    const Kernel k = made.candidates.kernel(c);
    CHECK(largest_row(k) <= std::max(1.0, largest_row(truth)) * (1 + 1e-6));
    CHECK(spread(k) <= std::max(static_cast<double>(truth.rank()), spread(truth)) * (1 + 1e-6));
  }
  for (int j = 0; j <= 10; ++j) CHECK(per_scale[j] == 4);
  CHECK_THAT(made.nearest, WithinRel(std::ldexp(made.base, -10), 0.01));
  const auto rows = distance_histogram(made);
  REQUIRE(rows.size() == 12);
  CHECK(rows[0].scale == -1);
  CHECK(rows[3].count == 4);
}

TEST_CASE("make_class: the truth's place is random and the class does not depend on threads",
          "[class]") {
  const Kernel truth = truth_of("simplex");
  ClassSpec spec;
  spec.size = 150;
  std::set<Index> places;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    places.insert(*make_class(truth, spec, SeedTree(seed)).truth);
  }
  CHECK(places.size() > 4);  // eight draws from 150 places: five or more equal has chance < 1e-7
  spec.jobs = 1;
  const CandidateClass one = make_class(truth, spec, kSeeds);
  spec.jobs = 2;
  const CandidateClass two = make_class(truth, spec, kSeeds);
  CHECK(one.truth == two.truth);
  CHECK(one.distance == two.distance);
  for (const Index c : {0, 64, 149}) CHECK(one.candidates.phi(c) == two.candidates.phi(c));
}

TEST_CASE("make_class: misspecified leaves P* out and knows the nearest", "[class]") {
  const Kernel truth = truth_of("simplex");
  ClassSpec spec;
  spec.kind = "misspecified";
  spec.size = 30;
  spec.scales = 3;
  const CandidateClass made = make_class(truth, spec, kSeeds);
  CHECK_FALSE(made.truth.has_value());
  check_distances(made, truth);
  CHECK_THAT(made.nearest, WithinRel(made.base / 8, 1e-6));
  CHECK(made.distance.minCoeff() == made.nearest);
}

TEST_CASE("make_class: a net is a packing around P*", "[class]") {
  const Kernel truth = truth_of("simplex");
  ClassSpec spec;
  spec.kind = "net";
  spec.size = 40;
  const CandidateClass made = make_class(truth, spec, kSeeds);
  const double radius = made.base;
  check_distances(made, truth);
  for (Index a = 0; a < spec.size; ++a) {
    CHECK(made.distance[a] <= 2 * radius * (1 + 1e-9));
    const Kernel ka = made.candidates.kernel(a);
    for (Index b = 0; b < a; ++b) {
      CHECK(dense_distance(ka, made.candidates.kernel(b)) >= radius * (1 - 1e-9));
    }
  }
  spec.radius = 100 * made.base;
  CHECK_THROWS_WITH(make_class(truth, spec, kSeeds), Contains("smaller class-radius"));
}

TEST_CASE("make_class: product of two ladders", "[class]") {
  const Kernel truth = truth_of("simplex");
  ClassSpec spec;
  spec.kind = "product";
  spec.size = 60;
  const CandidateClass made = make_class(truth, spec, kSeeds);
  CHECK(made.candidates.phi_count() == 6);
  CHECK(made.candidates.mu_count() == 10);
  check_distances(made, truth);
  CHECK(made.distance[*made.truth] == 0);
  CHECK(made.nearest > 0);
}

TEST_CASE("make_class: partial support moves only a share of the pairs", "[class]") {
  const Kernel truth = truth_of("simplex");
  ClassSpec spec;
  spec.size = 21;
  spec.support = 0.3;
  const CandidateClass made = make_class(truth, spec, kSeeds);
  check_distances(made, truth);
  Index moved = 0;
  for (Index c = 0; c < spec.size; ++c) {
    const Matrix difference = made.candidates.phi(c) - truth.phi().to_dense();
    moved += (difference.cwiseAbs().rowwise().maxCoeff().array() > 0).count();
    CHECK(made.candidates.mu(c) == truth.mu().to_dense());
  }
  // 20 · 27 pairs, each with chance 0.3: mean 162, standard deviation 10.6; six of them.
  CHECK(std::abs(static_cast<double>(moved) - 162) < 64);
}

TEST_CASE("make_class: the conditions are what the direction is made of", "[class]") {
  const Kernel truth = truth_of("simplex");
  const KnownKernel known(truth, {});
  Rng rng = kSeeds.stream("direction");
  for (int i = 0; i < 20; ++i) {
    const Direction d = random_direction(known, {}, rng);
    for (const double t : {0.1, 0.5, 1.0}) {
      const Kernel moved(kShape.actions, Matrix(known.phi + t * d.reach * d.U),
                         Matrix(known.mu + t * d.reach * d.V), known.nu);
      CHECK_THAT(d.distance(t * d.reach),
                 WithinAbs(dense_distance(moved, truth), tol::kLinearSolve));
    }
    const double half = d.distance(d.reach) / 2;
    CHECK_THAT(d.distance(d.solve(half)), WithinRel(half, 1e-12));
    CHECK(d.solve(2 * d.distance(d.reach)) == d.reach);
  }
}

TEST_CASE("make_class: what cannot be made is refused with a reason", "[class]") {
  const Kernel truth = truth_of("simplex");
  const auto with = [&](auto change) {
    ClassSpec spec;
    spec.size = 10;
    change(spec);
    return make_class(truth, spec, kSeeds);
  };
  CHECK_THROWS_WITH(with([](auto& s) { s.size = 0; }), Contains("class-size"));
  CHECK_THROWS_WITH(with([](auto& s) { s.kind = "cube"; }), Contains("unknown class 'cube'"));
  CHECK_THROWS_WITH(with([](auto& s) { s.precision = "half"; }), Contains("class-precision"));
  CHECK_THROWS_WITH(with([](auto& s) { s.max_bytes = 1000; }), Contains("MiB"));
  CHECK_THROWS_WITH(with([](auto& s) { s.weights = Vector::Ones(3); }), Contains("weights"));
  CHECK_THROWS_WITH(with([](auto& s) { s.support = 0; }), Contains("class-support"));
  ClassSpec spec;
  spec.size = 10;
  spec.precision = "float";
  CHECK_THROWS_WITH(make_class(truth_of("signed"), spec, kSeeds), Contains("use double"));
  spec = {};
  spec.kind = "product";
  CHECK_THROWS_WITH(make_class(truth_of("signed"), spec, kSeeds), Contains("product"));
  spec = {};
  spec.size = 1;
  CHECK(make_class(truth, spec, kSeeds).truth == 0);
}

}  // namespace candidate_class_test
