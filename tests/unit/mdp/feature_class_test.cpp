#include "speder/mdp/classes/feature_class.hpp"

#include "speder/core/tolerance.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

using namespace speder;
using Catch::Matchers::Contains;

namespace feature_class_test {
namespace {

const SeedTree kSeeds(11);
constexpr test::Shape kShape{7, 3, 4};

std::vector<Kernel> some_kernels(std::size_t n, bool with_signs) {
  Rng rng = kSeeds.stream("kernels", with_signs ? 1 : 0);
  std::vector<Kernel> kernels;
  const Vector nu = test::simplex_kernel(kShape, rng).nu();
  while (kernels.size() < n) {
    const Kernel k =
        with_signs ? test::signed_kernel(kShape, rng) : test::simplex_kernel(kShape, rng);
    // One base measure for all: densities are rescaled to it.
    const Matrix mu = nu.cwiseInverse().asDiagonal() * (k.nu().asDiagonal() * k.mu().to_dense());
    kernels.emplace_back(kShape.actions, k.phi().to_dense(), mu, nu);
  }
  return kernels;
}

// f(x,y) and ∑_y f² ν from the dense kernel, an independent route.
double density(const Kernel& k, Index x, Index y) { return k.dense_row(x)[y] / k.nu()[y]; }
double energy(const Kernel& k, Index x) {
  return k.dense_row(x).cwiseAbs2().cwiseQuotient(k.nu()).sum();
}

void check_values(const FeatureClass& F, const std::vector<Kernel>& kernels) {
  std::vector<double> f(kernels.size());
  std::vector<double> q(kernels.size());
  for (Index x = 0; x < F.pairs(); ++x) {
    F.energies(x, 0, q);
    for (Index y = 0; y < F.states(); ++y) {
      F.densities(x, y, 0, f);
      for (std::size_t c = 0; c < kernels.size(); ++c) {
        CHECK_THAT(f[c], WithinAbs(density(kernels[c], x, y), tol::kSimplex));
        CHECK_THAT(q[c], WithinAbs(energy(kernels[c], x), tol::kSimplex));
      }
    }
  }
}

}  // namespace

TEST_CASE("FeatureClass: densities and energies are those of the kernels put in", "[class]") {
  const auto kernels = some_kernels(5, GENERATE(false, true));
  const FeatureClass F = FeatureClass::of(kernels);
  CHECK(F.size() == 5);
  CHECK(F.rank() == kShape.rank);
  check_values(F, kernels);
  for (Index c = 0; c < 5; ++c) {
    CHECK(F.phi(c) == kernels[static_cast<std::size_t>(c)].phi().to_dense());
    CHECK(F.mu(c) == kernels[static_cast<std::size_t>(c)].mu().to_dense());
  }
}

TEST_CASE("FeatureClass: a block in the middle equals the same part of the whole", "[class]") {
  const auto kernels = some_kernels(9, false);
  const FeatureClass F = FeatureClass::of(kernels);
  std::vector<double> all(9);
  std::vector<double> part(4);
  F.densities(5, 2, 0, all);
  F.densities(5, 2, 3, part);
  for (std::size_t i = 0; i < 4; ++i) CHECK(part[i] == all[i + 3]);
}

TEST_CASE("FeatureClass: a product class is the class of all pairs", "[class]") {
  const auto kernels = some_kernels(3, false);
  std::vector<Matrix> phi;
  std::vector<Matrix> mu;
  for (const Kernel& k : kernels) phi.push_back(k.phi().to_dense());
  for (std::size_t j = 0; j < 2; ++j) mu.push_back(kernels[j].mu().to_dense());
  const FeatureClass F =
      FeatureClass::product({kShape.actions, kShape.rank, kernels[0].nu()}, phi, mu);
  REQUIRE(F.size() == 6);
  std::vector<Kernel> pairs;
  for (const Matrix& f : phi) {
    for (const Matrix& m : mu) pairs.emplace_back(kShape.actions, f, m, kernels[0].nu());
  }
  check_values(F, pairs);
  CHECK(F.kernel(5).dense() == pairs[5].dense());
}

TEST_CASE("FeatureClass: in single precision every candidate is a kernel and the anchor is exact",
          "[class]") {
  const auto kernels = some_kernels(6, false);
  const Index anchor = 2;
  FeatureClassBuilder builder({kShape.actions, kShape.rank, kernels[0].nu()}, 6, kernels[anchor]);
  std::vector<Kernel> snapped;
  for (Index c = 0; c < 6; ++c) {
    Matrix phi = kernels[static_cast<std::size_t>(c)].phi().to_dense();
    Matrix mu = kernels[static_cast<std::size_t>(c)].mu().to_dense();
    const Matrix before = phi;
    builder.snap(phi, mu);
    // One unit of the grid, and the sub-grid digits that are the anchor's.
    CHECK((phi - before).cwiseAbs().maxCoeff() <= 2 * kClassGrid);
    builder.put(c, {&phi, 1}, {&mu, 1});
    snapped.emplace_back(kShape.actions, phi, mu, kernels[0].nu());
  }
  const FeatureClass F = std::move(builder).finish();
  CHECK(F.precision() == ClassPrecision::kFloat);
  check_values(F, snapped);
  for (Index c = 0; c < 6; ++c) CHECK_NOTHROW(F.kernel(c));
  const Kernel& truth = kernels[anchor];
  CHECK((F.phi(anchor) - truth.phi().to_dense()).cwiseAbs().maxCoeff() <= tol::kUnit);
  CHECK((F.mu(anchor) - truth.mu().to_dense()).cwiseAbs().maxCoeff() <= 4 * tol::kUnit);
}

TEST_CASE("snap_distribution: a point of the grid, same total, zeros stay zeros", "[class]") {
  Rng rng = kSeeds.stream("snap");
  for (int trial = 0; trial < 200; ++trial) {
    const Index n = 1 + rng.index(40);
    const Matrix anchor = dirichlet(n, 0.3, rng);
    const Vector offset = grid_offset(anchor).col(0);
    Vector p = dirichlet(n, trial % 2 == 0 ? 0.05 : 2.0, rng);
    snap_distribution(p, offset);
    CHECK(p.minCoeff() >= 0);
    CHECK_THAT(p.sum(), WithinAbs(1.0, static_cast<double>(n) * tol::kUnit + tol::kSimplex));
    const Vector units = (p - offset) / kClassGrid;
    CHECK((units - units.array().round().matrix()).cwiseAbs().maxCoeff() < 1e-6);
    Vector itself = anchor.col(0);
    snap_distribution(itself, offset);
    CHECK((itself - anchor.col(0)).cwiseAbs().maxCoeff() <= tol::kUnit);
  }
  Vector vertex = Vector::Unit(5, 3);
  snap_distribution(vertex, Vector::Zero(5));
  CHECK(vertex == Vector::Unit(5, 3));
}

TEST_CASE("FeatureClass: what is not a class is refused", "[class]") {
  const auto kernels = some_kernels(2, false);
  CHECK_THROWS_WITH(FeatureClass::of({}), Contains("at least one candidate"));
  Rng rng = kSeeds.stream("other");
  std::vector<Kernel> mixed = {kernels[0], test::simplex_kernel({7, 3, 4}, rng)};
  CHECK_THROWS_WITH(FeatureClass::of(mixed), Contains("share one base measure"));
  const Kernel rank_one(3, Matrix(Matrix::Ones(21, 1)),
                        Matrix(Matrix::Constant(7, 1, 1 / kernels[0].nu().sum())), kernels[0].nu());
  CHECK_THROWS_WITH(FeatureClass::of(std::vector<Kernel>{kernels[0], rank_one}),
                    Contains("candidate 1 has phi 21×1"));
  FeatureClassBuilder builder({kShape.actions, kShape.rank, kernels[0].nu()}, 2);
  Matrix phi = kernels[0].phi().to_dense();
  const Matrix mu = kernels[0].mu().to_dense();
  phi(4, 0) += 0.1;
  CHECK_THROWS_WITH(builder.put(1, {&phi, 1}, {&mu, 1}),
                    Contains("candidate 1") && Contains("sums to"));
  CHECK_THROWS_WITH(FeatureClassBuilder({3, 0, kernels[0].nu()}, 1), Contains("rank"));
  CHECK_THROWS_WITH(FeatureClass::of(kernels).kernel(2), Contains("no such candidate"));
}

}  // namespace feature_class_test
