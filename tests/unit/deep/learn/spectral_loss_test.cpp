#include "speder/deep/learn/features/spectral_loss.hpp"

#include <cmath>

#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/deep/learn/nn/adam.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/learn/known_kernel.hpp"

using namespace speder;
using namespace speder::deep;

namespace spectral_loss_test {
namespace {

struct Tables {
  Tensor phi;  // (pairs × d)
  Tensor mu;   // (states × d)
};

Tables random_tables(const KnownKernel& k, Index d, const char* name) {
  Rng rng = SeedTree(5).stream(name);
  return {random_table(k.pairs(), d, rng), random_table(k.states(), d, rng)};
}

/// The population as a batch: the base rows are all successors, hence exactly p.
SpectralBatch population(const KnownKernel& k, const Tables& t) {
  const Tensor mu = t.mu.index_select(0, k.next);
  const Tensor ones = at::ones({mu.size(0)}, mu.options().requires_grad(false));
  return {t.phi.index_select(0, k.pair), mu, mu, ones, ones};
}

double number(const Tensor& t) { return t.item<double>(); }

/// Full-batch Adam with a step that halves eight times.
Tables minimise(const KnownKernel& k, Objective objective, Tables t,
                const SpectralWeights& weights) {
  t.phi.set_requires_grad(true);
  t.mu.set_requires_grad(true);
  for (double rate = 0.02; rate > 1e-4; rate /= 2) {
    Adam adam({t.phi, t.mu}, rate);
    for (int i = 0; i < 400; ++i)
      adam.step(spectral_loss(objective, population(k, t), weights).loss);
  }
  return t;
}

constexpr double kRounding = 1e-12;  // a few thousand double operations on numbers of order one
constexpr Index kTop = 2;            // modes learned in the tests of the span
constexpr double kGap = 3.0 / 16;    // σ₂² − σ₃² = 4/16 − 1/16 of the Walsh kernel
// Loss above the minimum: Adam ends at steps of 1e-4 in 24 entries, on a loss of curvature below 40.
constexpr double kExcess = 1e-5;
// A span at angle θ from the top one costs at least (σ₂² − σ₃²) sin²θ, so sin²θ ≤ excess/gap.
const double kSubspaceAngle = std::asin(std::sqrt(kExcess / kGap));

}  // namespace

TEST_CASE("known kernels: the population has P's frequencies, the spectrum is as stated",
          "[learn]") {
  const KnownKernel k = walsh_kernel();
  REQUIRE(k.pair.size(0) == k.pairs() * 8);
  const std::vector<double> stated = {1, 0.5, 0.25, 0.25};
  for (std::size_t i = 0; i < stated.size(); ++i) {
    CHECK_THAT(k.sigma[static_cast<Index>(i)], WithinAbs(stated[i], kRounding));
  }
  const KnownKernel mixed = mixed_kernel();
  REQUIRE(mixed.pair.size(0) == mixed.pairs() * 16);
  CHECK_THAT(mixed.sigma[0], WithinAbs(1.0, kRounding));  // constants: Pᵀ1 against the marginal
  CHECK(mixed.p.maxCoeff() > 2 * mixed.p.minCoeff());     // uneven, so that its weights matter
}

TEST_CASE("spectral terms equal sums over the known kernel", "[learn][loss]") {
  const KnownKernel k = mixed_kernel();
  constexpr Index d = 4;
  const Tables t = random_tables(k, d, "terms");
  const SpectralBatch b = population(k, t);
  const Eigen::MatrixXd phi = to_eigen(t.phi);
  const Eigen::MatrixXd mu = to_eigen(t.mu);
  const Eigen::MatrixXd f = phi * mu.transpose();  // (pairs × states)
  const double rho = 1.0 / static_cast<double>(k.pairs());
  // E[φᵀμ(s')] = ∑ ρ P φᵀμ;  E E_p[(φᵀμ)²] = ∑ ρ p (φᵀμ)²
  CHECK_THAT(number(paired_product(b.phi, b.mu_next)),
             WithinAbs(rho * (k.P.array() * f.array()).sum(), kRounding));
  CHECK_THAT(number(exact_quadratic(b.phi, b.mu_base)),
             WithinAbs(rho * (f.array().square().matrix() * k.p).sum(), kRounding));
  CHECK_THAT(number(dual_quadratic(b.mu_base)),
             WithinAbs(mu.rowwise().squaredNorm().dot(k.p) / (2 * d), kRounding));
  const Eigen::MatrixXd gram = rho * phi.transpose() * phi - Eigen::MatrixXd::Identity(d, d) / d;
  CHECK_THAT(number(ortho_v_statistic(b.phi)), WithinAbs(gram.squaredNorm(), kRounding));
  const Vector z = f * k.p;
  double expected = 0;
  for (const double value : z) {
    const double l = value >= kLogFloor ? std::log(value)
                                        : std::log(kLogFloor) + (value - kLogFloor) / kLogFloor;
    expected += rho * l * l;
  }
  CHECK_THAT(number(normalisation(masses(b.phi, b.mu_base))), WithinAbs(expected, 1e-9 * expected));
}

TEST_CASE("modes of φᵀμ: their sums are the loss's terms, at the minimum they are P's",
          "[learn][loss]") {
  const KnownKernel k = walsh_kernel();
  const SpectralBatch b = population(k, random_tables(k, 3, "modes"));
  const SpectralModes any = spectral_modes(b.phi, b.mu_next);
  // φᵀμ = ∑ σ_k f_k g_k with f, g orthonormal: ∑ σ_k² = E E_p (φᵀμ)², ∑ σ_k E[f_k g_k] = E[φᵀμ(s')]
  CHECK_THAT(number(any.learned.square().sum()),
             WithinRel(number(exact_quadratic(b.phi, b.mu_next)), 1e-9));
  CHECK_THAT(number((any.learned * any.seen).sum()),
             WithinAbs(number(paired_product(b.phi, b.mu_next)), 1e-9));
  const Tables best = minimise(k, Objective::kExact, random_tables(k, kTop, "exact span"), {});
  const SpectralBatch at_best = population(k, best);
  const SpectralModes modes = spectral_modes(at_best.phi, at_best.mu_next);
  for (Index i = 0; i < kTop; ++i) {  // a loss of ε above its minimum leaves √ε in σ
    CHECK_THAT(modes.learned[i].item<double>(), WithinAbs(k.sigma[i], std::sqrt(kExcess)));
    CHECK_THAT(modes.seen[i].item<double>(), WithinAbs(k.sigma[i], std::sqrt(kExcess)));
  }
  // A direction that φ does not use is no mode, and no division by zero.
  Tensor flat = at_best.phi.clone();
  flat.select(1, 1).zero_();
  CHECK(at::isfinite(spectral_modes(flat, at_best.mu_next).seen).all().item<bool>());
}

TEST_CASE("the exact loss is the L² distance to P/p up to a constant", "[learn][loss]") {
  const KnownKernel k = mixed_kernel();
  const Tables t = random_tables(k, 4, "distance");
  const Eigen::MatrixXd f = to_eigen(t.phi) * to_eigen(t.mu).transpose();
  double distance = 0;  // ∑ ρ p (P/p − φᵀμ)²
  for (Index i = 0; i < k.pairs(); ++i) {
    for (Index s = 0; s < k.states(); ++s) {
      if (k.p[s] > 0)
        distance +=
            k.p[s] * std::pow(k.P(i, s) / k.p[s] - f(i, s), 2) / static_cast<double>(k.pairs());
    }
  }
  const double loss = number(spectral_loss(Objective::kExact, population(k, t), {}).loss);
  CHECK_THAT(loss + k.sigma.squaredNorm(), WithinAbs(distance, kRounding));
}

TEST_CASE("U-statistic is unbiased and the V-statistic is not", "[learn][loss]") {
  // Every sample of two rows out of a population of three: the average is the expectation.
  Rng rng = SeedTree(5).stream("statistics");
  constexpr Index d = 2;
  const Tensor rows = random_table(3, d, rng);
  const Eigen::MatrixXd x = to_eigen(rows);
  const double truth = (x.transpose() * x / 3 - Eigen::MatrixXd::Identity(d, d) / d).squaredNorm();
  double u = 0;
  double v = 0;
  for (const std::int64_t i : {0, 1, 2}) {
    for (const std::int64_t j : {0, 1, 2}) {
      const Tensor sample = rows.index_select(0, at::tensor({i, j}, at::kLong));
      u += number(ortho_u_statistic(sample)) / 9;
      v += number(ortho_v_statistic(sample)) / 9;
    }
  }
  CHECK_THAT(u, WithinAbs(truth, kRounding));
  // bias of the V-statistic: (E‖φ‖⁴ − ‖E φφᵀ‖²)/n
  const double fourth = x.rowwise().squaredNorm().array().square().mean();
  const double bias = (fourth - (x.transpose() * x / 3).squaredNorm()) / 2;
  CHECK(bias > 0);
  CHECK_THAT(v, WithinAbs(truth + bias, kRounding));
}

TEST_CASE("base states from the batch: unbiased without i = j, biased with it", "[learn][loss]") {
  // Every sample of two rows out of a population of three: the average is the expectation.
  Rng rng = SeedTree(5).stream("in batch");
  const Tensor phi = random_table(3, 2, rng), mu = random_table(3, 2, rng);
  double own = 0, all = 0, mass = 0;
  for (const std::int64_t i : {0, 1, 2}) {
    for (const std::int64_t j : {0, 1, 2}) {
      const Tensor rows = at::tensor({i, j}, at::kLong);
      const Tensor f = phi.index_select(0, rows), m = mu.index_select(0, rows);
      own += number(in_batch_quadratic(f, m)) / 9;
      all += number(exact_quadratic(f, m)) / 9;
      mass += number(in_batch_masses(f, m).mean()) / 9;
    }
  }
  const double truth = number(exact_quadratic(phi, mu));
  CHECK_THAT(own, WithinAbs(truth, kRounding));
  CHECK_THAT(mass, WithinAbs(number(masses(phi, mu).mean()), kRounding));
  CHECK(std::abs(all - truth) > 0.01 * truth);
  // The node's gradient is that of its formula.
  const auto gradients = [&](const auto& term) {
    const Tensor x = phi.clone().set_requires_grad(true), y = mu.clone().set_requires_grad(true);
    return torch::autograd::grad({3 * term(x, y)}, {x, y});
  };
  const auto node = gradients(in_batch_quadratic);
  const auto plain = gradients([](const Tensor& x, const Tensor& y) {
    const Tensor a = at::mm(x, y.t());
    return (a.square().sum() - a.diagonal().square().sum()) / 6;
  });
  CHECK(at::allclose(node[0], plain[0]));
  CHECK(at::allclose(node[1], plain[1]));
  CHECK_THROWS_AS(in_batch_quadratic(phi.narrow(0, 0, 1), mu.narrow(0, 0, 1)),
                  std::invalid_argument);
}

TEST_CASE("without base rows each objective takes those of the batch", "[learn][loss]") {
  const KnownKernel k = mixed_kernel();
  SpectralBatch b = population(k, random_tables(k, 3, "sums"));
  b.mu_base = Tensor();
  const SpectralWeights weights{.ortho = 2.5, .prob = 0.5};
  const double paired = number(paired_product(b.phi, b.mu_next));
  const double prob = 0.5 * number(normalisation(in_batch_masses(b.phi, b.mu_next)));
  const auto loss = [&](Objective o) { return number(spectral_loss(o, b, weights).loss); };
  CHECK_THAT(
      loss(Objective::kExact),
      WithinAbs(-2 * paired + number(in_batch_quadratic(b.phi, b.mu_next)) + prob, kRounding));
  CHECK_THAT(loss(Objective::kDual), WithinAbs(-paired + number(dual_quadratic(b.mu_next)) +
                                                   2.5 * number(ortho_u_statistic(b.phi)) + prob,
                                               kRounding));
}

TEST_CASE("objectives are the stated sums of terms", "[learn][loss]") {
  const KnownKernel k = mixed_kernel();
  const Tables t = random_tables(k, 3, "sums");
  SpectralBatch b = population(k, t);
  const SpectralWeights weights{.ortho = 2.5, .prob = 0.5};
  const double prob = 0.5 * number(normalisation(masses(b.phi, b.mu_base)));
  const double paired = number(paired_product(b.phi, b.mu_next));
  const auto loss = [&](Objective o) { return number(spectral_loss(o, b, weights).loss); };
  CHECK_THAT(loss(Objective::kDual), WithinAbs(-paired + number(dual_quadratic(b.mu_base)) +
                                                   2.5 * number(ortho_u_statistic(b.phi)) + prob,
                                               kRounding));
  CHECK_THAT(loss(Objective::kExact),
             WithinAbs(-2 * paired + number(exact_quadratic(b.phi, b.mu_base)) + prob, kRounding));
  // With p ≡ 1 the printed loss is the dual with the V-statistic; p weights its first two terms.
  const double with_v =
      -paired + number(dual_quadratic(b.mu_base)) + 2.5 * number(ortho_v_statistic(b.phi)) + prob;
  CHECK_THAT(loss(Objective::kLiteral), WithinAbs(with_v, kRounding));
  b.p_next = b.p_next * 0.25;
  b.p_base = b.p_base * 0.25;
  CHECK_THAT(loss(Objective::kLiteral),
             WithinAbs(with_v + 0.75 * (paired - number(dual_quadratic(b.mu_base))), kRounding));
}

TEST_CASE("the quadratic term's gradient in φ is 2/(nm) ∑_j (φ_iᵀμ_j) μ_j", "[learn][loss]") {
  const Tensor phi = at::tensor({1.0, 2.0, -1.0, 0.5, 0.0, 3.0}, at::kDouble).view({3, 2});
  const Tensor mu = at::tensor({0.5, 1.0, -2.0, 1.5}, at::kDouble).view({2, 2});
  const Tensor x = phi.clone().set_requires_grad(true);
  const Tensor gradient = torch::autograd::grad({3 * exact_quadratic(x, mu)}, {x})[0];
  const Tensor expected = 3 * 2.0 / 6 * at::mm(at::mm(phi, mu.t()), mu);
  CHECK(at::allclose(gradient, expected));
}

TEST_CASE("the logarithm of Z continues with its slope below the floor", "[learn][loss]") {
  const auto at_z = [](double z) { return number(normalisation(at::full({1}, z, at::kDouble))); };
  constexpr double h = 1e-6;
  const double above = (at_z(kLogFloor + 2 * h) - at_z(kLogFloor)) / (2 * h);
  const double below = (at_z(kLogFloor) - at_z(kLogFloor - 2 * h)) / (2 * h);
  CHECK_THAT(at_z(1.0), WithinAbs(0, kRounding));
  CHECK_THAT(above, WithinRel(below, 1e-3));  // slopes differ by h times the curvature, 1/floor²
  CHECK(at_z(-1.0) > at_z(-0.5));             // a negative mass is pushed up
}

TEST_CASE("Gaussian density: one-dimensional integral is one, dimensions multiply",
          "[learn][loss]") {
  const Tensor grid = at::arange(-8.0, 8.0, 0.001, at::kDouble).unsqueeze(1);
  CHECK_THAT(number(gaussian_density(grid).sum()) * 0.001, WithinAbs(1.0, 1e-9));
  const Tensor x = at::tensor({0.3, -1.2}, at::kDouble);
  const Tensor each = gaussian_density(x.unsqueeze(1));
  CHECK_THAT(number(gaussian_density(x.unsqueeze(0)).sum()),
             WithinAbs(number(each.prod()), kRounding));
}

TEST_CASE("exact objective: learned span is the top singular subspace", "[learn][span]") {
  const KnownKernel k = walsh_kernel();
  constexpr Index d = kTop;
  const Tables t = minimise(k, Objective::kExact, random_tables(k, d, "exact span"), {});
  const double loss = number(spectral_loss(Objective::kExact, population(k, t), {}).loss);
  CHECK_THAT(loss, WithinAbs(-k.sigma.head(d).squaredNorm(), kExcess));  // Eckart–Young
  CHECK(principal_angle(to_eigen(t.phi), k.left.leftCols(d)) < kSubspaceAngle);
}

TEST_CASE("dual objective: top singular subspace, and the scale that a soft constraint leaves",
          "[learn][span]") {
  const KnownKernel k = walsh_kernel();
  constexpr Index d = kTop;
  const double ortho = 4.0;
  const Tables t =
      minimise(k, Objective::kLiteral, random_tables(k, d, "dual span"), {.ortho = ortho});
  const Eigen::MatrixXd phi = to_eigen(t.phi);
  // At this objective's minimum the angle costs (d/2)(σ₂² − σ₃²) g sin²θ with g ≥ 1/d.
  CHECK(principal_angle(phi, k.left.leftCols(d)) < std::asin(std::sqrt(2 * kExcess / kGap)));
  // The penalty λ‖E[φφᵀ] − …‖² turns an excess ε into an error of at most √(ε/λ) in E[φφᵀ], whose
  // eigenvalues are 1/d + d σ_k²/(4 λ): the constraint holds only for λ ≫ d².
  const Eigen::MatrixXd gram = phi.transpose() * phi / static_cast<double>(k.pairs());
  const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram).eigenvalues();
  for (Index i = 0; i < d; ++i) {
    const double sigma = k.sigma[d - 1 - i];
    CHECK_THAT(eigenvalues[i],
               WithinAbs(1.0 / d + d * sigma * sigma / (4 * ortho), std::sqrt(kExcess / ortho)));
  }
}

}  // namespace spectral_loss_test
