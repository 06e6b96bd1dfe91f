#include "speder/mdp/conditions/conditions.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include "speder/core/eigen_instances.hpp"
#include "speder/core/rng.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/families/families.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace conditions_test {
namespace {

std::map<std::string, Condition> by_name(const TabularMdp& mdp) {
  std::map<std::string, Condition> out;
  for (const Condition& c : conditions(mdp)) out[c.name] = c;
  return out;
}

Matrix gaussian(Index rows, Index cols, Rng& rng) {
  Matrix m(rows, cols);
  for (double& x : m.reshaped()) x = rng.normal();
  return m;
}

// Every sign pattern, without the Gray code.
double brute_force(const Matrix& mu, const Vector& nu) {
  double best = 0;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << mu.rows(); ++bits) {
    Vector h = Vector::Zero(mu.cols());
    for (Index s = 0; s < mu.rows(); ++s)
      h += ((bits >> s) & 1U ? 1.0 : -1.0) * nu[s] * mu.row(s).transpose();
    best = std::max(best, h.norm());
  }
  return best;
}

}  // namespace

TEST_CASE("conditions: a two-state MDP worked out by hand", "[mdp][conditions]") {
  // φ: (0,0) → (.6, .4), (0,1) → (.2, .8), (1,·) → (0, 1); μ = I; θ = (.5, 1).
  const Matrix phi = (Matrix(4, 2) << 0.6, 0.4, 0.2, 0.8, 0, 1, 0, 1).finished();
  const Vector theta = (Vector(2) << 0.5, 1).finished();
  const TabularMdp m(Kernel(2, phi, Matrix(Matrix::Identity(2, 2)), Vector::Ones(2)),
                     {.table = phi * theta, .theta = theta}, Vector::Unit(2, 0), 0.9);
  const auto c = by_name(m);
  std::vector<std::string> names;
  for (const Condition& condition : conditions(m)) names.push_back(condition.name);
  CHECK(names == std::vector<std::string>{"phi_norm", "theta_norm", "mu_norm",
                                          "representation_normalisation", "reward_normalisation",
                                          "kernel_rows", "kernel_nonnegative", "rank"});
  CHECK(c.at("phi_norm").value == 1);
  CHECK_THAT(c.at("theta_norm").value, WithinAbs(std::sqrt(1.25), tol::kSimplex));
  CHECK_THAT(c.at("mu_norm").value, WithinAbs(std::sqrt(2.0), tol::kSimplex));
  CHECK(c.at("mu_norm").holds == Holds::kYes);  // equality is not a failure
  const double first = std::sqrt(0.52) + std::sqrt(0.68);
  CHECK_THAT(c.at("representation_normalisation").value,
             WithinAbs(first * first + 4, tol::kSimplex));
  CHECK(c.at("representation_normalisation").holds == Holds::kNo);  // 6.4 > d = 2
  // rewards: .7, .9, 1, 1
  CHECK_THAT(c.at("reward_normalisation").value, WithinAbs(1.6 * 1.6 + 4, tol::kSimplex));
  CHECK(c.at("reward_normalisation").holds == Holds::kNo);
  CHECK(c.at("kernel_nonnegative").value == 0);
  CHECK(c.at("rank").value == 2);
  CHECK(c.at("rank").holds == Holds::kYes);
}

TEST_CASE("conditions: the base measure decides the normalisation assumptions",
          "[mdp][conditions]") {
  InstanceSpec spec{.family = "simplex", .states = 40, .actions = 3, .rank = 4};
  const auto counting = by_name(generate(spec));
  // |φ| ≤ 1 and r ≤ 1: both sums are at most |A|² v, so v = d/|A|² is enough.
  spec.knobs["volume"] = 4.0 / 9;
  const auto small = by_name(generate(spec));
  for (const char* name : {"representation_normalisation", "reward_normalisation"}) {
    CHECK(counting.at(name).holds == Holds::kNo);
    CHECK(small.at(name).holds == Holds::kYes);
    CHECK_THAT(small.at(name).value,
               WithinRel(counting.at(name).value * (4.0 / 9) / 40, tol::kSimplex));
  }
  CHECK_THAT(small.at("mu_norm").value, WithinAbs(2.0, tol::kSimplex));  // whatever ν is
  CHECK_THAT(counting.at("mu_norm").value, WithinAbs(2.0, tol::kSimplex));
}

TEST_CASE("conditions: Assumption 1 holds on every family", "[mdp][conditions][families]") {
  for (const Family& f : families()) {
    if (f.name == "file") continue;
    const auto c = by_name(generate({.family = std::string(f.name)}));
    CAPTURE(f.name);
    for (const char* name :
         {"phi_norm", "theta_norm", "mu_norm", "kernel_rows", "kernel_nonnegative"}) {
      CAPTURE(name, c.at(name).value, c.at(name).how);
      CHECK(c.at(name).holds == Holds::kYes);
    }
    const bool wide = f.name == "canonical" || f.name == "river" || f.name == "deepsea";
    CHECK(c.at("rank").holds == (wide ? Holds::kNo : Holds::kYes));
  }
  const auto smooth = by_name(generate({.family = "continuous"}));
  CHECK(smooth.at("representation_normalisation").holds == Holds::kYes);
  CHECK(smooth.at("reward_normalisation").holds == Holds::kYes);
}

TEST_CASE("conditions: the paper's canonical example breaks representation normalisation",
          "[mdp][conditions]") {
  // ∑_s (∑_a 1)² = |S||A|² > d = |S||A| under the counting measure.
  const auto c = by_name(generate({.family = "canonical", .states = 6, .actions = 3}));
  CHECK_THAT(c.at("representation_normalisation").value, WithinAbs(54, tol::kSimplex));
  CHECK(c.at("representation_normalisation").bound == 18);
  CHECK(c.at("representation_normalisation").holds == Holds::kNo);
}

TEST_CASE("mu_norm: enumeration is brute force, bounds enclose it within sqrt(pi/2)",
          "[mdp][conditions][mu_norm]") {
  for (std::uint64_t i = 0; i < 20; ++i) {
    Rng rng = SeedTree(4).stream("mu", i);
    const Index S = 3 + rng.index(10);
    const Index d = 2 + rng.index(4);
    const Matrix mu = gaussian(S, d, rng);
    Vector nu(S);
    for (double& x : nu) x = 0.1 + rng.uniform();
    CAPTURE(i, S, d);
    const double truth = brute_force(mu, nu);
    CHECK_THAT(mu_norm_enumerated(mu, nu), WithinRel(truth, tol::kSimplex));
    const MuNorm exact = mu_norm(mu, nu);
    CHECK(exact.how == "exact (enumeration)");
    CHECK_THAT(exact.upper, WithinRel(truth, tol::kSimplex));
    const MuNorm bounds = mu_norm_bounds(mu, nu);
    CHECK(bounds.lower <= truth * (1 + tol::kSimplex));
    CHECK(bounds.upper >= truth * (1 - tol::kSimplex));
    // Nesterov: the semidefinite bound of the square is at most π/2 of it, if the climb got there.
    CHECK(bounds.upper <= std::sqrt(std::numbers::pi / 2) * truth);
    const Factor sparse = SparseMatrix(mu.sparseView());
    CHECK_THAT(mu_norm_bounds(sparse, nu).upper, WithinRel(bounds.upper, tol::kLinearSolve));
  }
}

TEST_CASE("mu_norm: the exact shortcuts agree with enumeration", "[mdp][conditions][mu_norm]") {
  Rng rng = SeedTree(5).stream("shortcuts");
  const Vector nu = Vector::Constant(9, 0.3);
  const Matrix positive = gaussian(9, 3, rng).cwiseAbs();
  CHECK(mu_norm(positive, nu).how == "exact (mu >= 0)");
  CHECK_THAT(mu_norm(positive, nu).upper, WithinRel(brute_force(positive, nu), tol::kSimplex));
  Matrix flipped = positive;
  flipped.col(1) *= -1;
  CHECK(mu_norm(flipped, nu).how == "exact (one sign per column of mu)");
  CHECK_THAT(mu_norm(flipped, nu).upper, WithinRel(brute_force(flipped, nu), tol::kSimplex));
  const Matrix line = gaussian(9, 1, rng);
  CHECK(mu_norm(line, nu).how == "exact (d = 1)");
  CHECK_THAT(mu_norm(line, nu).upper, WithinRel(brute_force(line, nu), tol::kSimplex));
}

TEST_CASE("mu_norm: yes, no and unknown when there are only bounds", "[mdp][conditions][mu_norm]") {
  // 50 states, too many to enumerate. A rotated simplex has sup = √d exactly, and there the bounds
  // meet: the certificate is exact.
  const TabularMdp m = generate({.family = "signed", .states = 50, .rank = 5});
  CHECK(by_name(m).at("mu_norm").how == "exact (bounds meet)");
  CHECK_THAT(by_name(m).at("mu_norm").value, WithinRel(std::sqrt(5.0), tol::kSimplex));
  // The same kernel in coordinates B that mix signs, φB⁻ᵀ and μB: the sup is known between bounds
  // only. Scaled (φ/c, μc) so that √d lies above both, between them, or below both.
  Rng rng = SeedTree(6).stream("mix");
  const Matrix B = gaussian(5, 5, rng);
  const Matrix mu = m.kernel().mu().dense() * B;
  const Matrix phi = m.kernel().phi().dense() * B.inverse().transpose();
  const Vector theta = B.transpose() * m.theta();
  const MuNorm bounds = mu_norm(mu, m.kernel().nu());
  REQUIRE(bounds.lower * 1.001 < bounds.upper);
  const auto verdict = [&](double target) {  // √d = target in the old scale
    const double c = std::sqrt(5.0) / target;
    const TabularMdp scaled(Kernel(m.actions(), Matrix(phi / c), Matrix(mu * c), m.kernel().nu()),
                            {.table = m.reward(), .theta = theta * c}, m.rho(), m.gamma());
    return by_name(scaled).at("mu_norm").holds;
  };
  CHECK(verdict(1.01 * bounds.upper) == Holds::kYes);
  CHECK(verdict(0.5 * (bounds.lower + bounds.upper)) == Holds::kUnknown);
  CHECK(verdict(0.99 * bounds.lower) == Holds::kNo);
}

TEST_CASE("conditions: a reward that is not linear is said to be so", "[mdp][conditions]") {
  const TabularMdp m = generate({.family = "garnet", .states = 5, .actions = 3});
  const TabularMdp other(m.kernel(), {.table = Vector::Unit(15, 3), .theta = {}}, m.rho(), 0.9);
  const Condition theta = by_name(other).at("theta_norm");
  CHECK(theta.holds == Holds::kNo);
  CHECK(std::isnan(theta.value));
  CHECK(theta.how == "the reward is not linear in phi");
}

TEST_CASE("rank: deficient factors are found, ill-conditioned ones are not mistaken",
          "[mdp][conditions][rank]") {
  const TabularMdp m = generate({.family = "simplex", .states = 12, .actions = 2, .rank = 3});
  const Matrix& phi = m.kernel().phi().dense();
  const Matrix& mu = m.kernel().mu().dense();
  Matrix phi4(24, 4);
  Matrix mu4(12, 4);
  phi4 << phi.leftCols(2), 0.5 * phi.col(2), 0.5 * phi.col(2);  // one latent split in two halves
  mu4 << mu, mu.col(2);
  CHECK(kernel_rank(Kernel(2, phi4, mu4, m.kernel().nu())).rank == 3);
  // The same latent split into two that differ by 1e-9: a Gram matrix would not see it.
  Matrix mu_close = mu4;
  mu_close(0, 3) += 1e-9;
  mu_close(1, 3) -= 1e-9;
  Matrix phi_close = phi4;
  phi_close(0, 2) += phi_close(0, 3);
  phi_close(0, 3) = 0;
  const RankResult close = kernel_rank(Kernel(2, phi_close, mu_close, m.kernel().nu()));
  CHECK(close.rank == 4);
  CHECK(close.how == "singular values of P, through the factors");
}

TEST_CASE("conditions: what would need huge tables is not computed and says why",
          "[mdp][conditions]") {
  for (const char* family : {"garnet", "canonical"}) {
    const auto report =
        by_name(generate({.family = family, .states = kLargestGram + 1, .actions = 2}));
    const Condition& rank = report.at("rank");
    CHECK(std::isnan(rank.value));
    CHECK(rank.holds == Holds::kUnknown);
    CHECK(rank.how == "not computed: needs 2049 x 2049 tables, the limit is 2048 x 2048");
    CHECK(report.at("kernel_rows").holds == Holds::kYes);
  }
  SparseMatrix mu(2, kLargestGram + 1);  // both signs in one column
  mu.insert(0, 0) = 1;
  mu.insert(1, 0) = -1;
  const MuNorm norm = mu_norm(mu, Vector::Ones(2));
  CHECK(std::isnan(norm.upper));
  CHECK(norm.how == "not computed: mu has both signs and d = 2049 exceeds 2048");
}

}  // namespace conditions_test
