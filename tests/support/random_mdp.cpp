#include "tests/support/random_mdp.hpp"
#include "speder/core/spectral.hpp"

#include <Eigen/QR>
#include <numeric>

namespace speder::test {
namespace {

Vector random_nu(Index states, Rng& rng) {
  Vector nu(states);
  for (double& x : nu) x = rng.uniform(0.5, 1.5);
  return nu;
}

struct Tables {
  Matrix phi;  // (SA × d)
  Matrix mu;   // (S × d)
};

Tables simplex_tables(const Shape& shape, const Vector& nu, Rng& rng) {
  Tables t{Matrix(shape.states * shape.actions, shape.rank), Matrix(shape.states, shape.rank)};
  for (Index i = 0; i < t.phi.rows(); ++i) t.phi.row(i) = dirichlet(shape.rank, 1, rng).transpose();
  for (Index k = 0; k < shape.rank; ++k)
    t.mu.col(k) = dirichlet(shape.states, 1, rng).cwiseQuotient(nu);
  return t;
}

Matrix random_rotation(Index n, Rng& rng) {
  Matrix X(n, n);
  for (Index i = 0; i < n; ++i) X.row(i) = unit_vector(n, rng).transpose();
  return thin_q(Eigen::HouseholderQR<Eigen::MatrixXd>(X), n);
}

// n − entries coordinates set to zero, the others scaled back to total mass one.
Vector thinned(Vector p, Index entries, Rng& rng) {
  for (Index zeros = std::max<Index>(p.size() - entries, 0); zeros > 0;) {
    const Index i = rng.index(p.size());
    if (p[i] == 0) continue;
    p[i] = 0;
    --zeros;
  }
  return p / p.sum();
}

}  // namespace

Kernel simplex_kernel(const Shape& shape, Rng& rng) {
  const Vector nu = random_nu(shape.states, rng);
  Tables t = simplex_tables(shape, nu, rng);
  return {shape.actions, std::move(t.phi), std::move(t.mu), nu};
}

Kernel sparse_kernel(const Shape& shape, Index entries, Rng& rng) {
  const Vector nu = random_nu(shape.states, rng);
  Tables t = simplex_tables(shape, nu, rng);
  for (Index i = 0; i < t.phi.rows(); ++i)
    t.phi.row(i) = thinned(t.phi.row(i).transpose(), entries, rng).transpose();
  for (Index k = 0; k < shape.rank; ++k)
    t.mu.col(k) = thinned(t.mu.col(k).cwiseProduct(nu), entries, rng).cwiseQuotient(nu);
  return {shape.actions, SparseMatrix(t.phi.sparseView()), SparseMatrix(t.mu.sparseView()), nu};
}

Kernel signed_kernel(const Shape& shape, Rng& rng) {
  const Vector nu = random_nu(shape.states, rng);
  const Tables t = simplex_tables(shape, nu, rng);
  const Matrix R = random_rotation(shape.rank, rng);
  return {shape.actions, Matrix(t.phi * R), Matrix(t.mu * R), nu};
}

TabularMdp with_random_reward(Kernel kernel, double gamma, Rng& rng) {
  // Dirichlet rows reach every reward ⟨φ, θ⟩ through E_P[f] = ⟨φ, ∫μf⟩ with f in [0,1]^S, whatever
  // the signs of the factors.
  Vector f(kernel.states());
  for (double& x : f) x = rng.uniform();
  const Vector theta = kernel.project(f);
  Rewards rewards{kernel.phi().times(theta), theta};
  const Vector rho = dirichlet(kernel.states(), 1, rng);
  return {std::move(kernel), std::move(rewards), rho, gamma};
}

TabularMdp random_mdp(const Shape& shape, double gamma, Rng& rng) {
  return with_random_reward(simplex_kernel(shape, rng), gamma, rng);
}

TabularMdp two_state(double p, double gamma) {
  Matrix phi(4, 2);
  phi << 1, 0, 1 - p, p, 0, 1, p, 1 - p;
  Kernel kernel(2, std::move(phi), Matrix(Matrix::Identity(2, 2)), Vector::Ones(2));
  Vector reward(4);
  reward << 0, 0, 1, 1;
  return {std::move(kernel), {reward, Vector()}, Vector::Unit(2, 0), gamma};
}

Policy random_policy(const Shape& shape, Rng& rng) {
  Matrix table(shape.states, shape.actions);
  for (Index s = 0; s < shape.states; ++s)
    table.row(s) = dirichlet(shape.actions, 1, rng).transpose();
  return Policy::stochastic(std::move(table));
}

Policy random_deterministic_policy(const Shape& shape, Rng& rng) {
  std::vector<std::int32_t> choice(static_cast<std::size_t>(shape.states));
  for (auto& a : choice) a = static_cast<std::int32_t>(rng.index(shape.actions));
  return Policy::deterministic(std::move(choice), shape.actions);
}

}  // namespace speder::test
