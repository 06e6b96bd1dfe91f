#include "speder/mdp/classes/feature_class.hpp"

#include <algorithm>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"

namespace speder {
namespace {

void require_shape(const ClassShape& shape, Index size) {
  require(size >= 1, "a feature class needs at least one candidate", size);
  require(shape.actions >= 1, "a feature class needs at least one action", shape.actions);
  require(shape.rank >= 1, "a feature class needs rank d ≥ 1", shape.rank);
  require(shape.states() >= 1, "a feature class needs at least one state", shape.states());
  require(shape.nu.allFinite() && shape.nu.minCoeff() > 0, "the base measure must be positive");
}

void require_factors(const ClassShape& shape, const Matrix& phi, const Matrix& mu, Index c) {
  const bool fits = phi.rows() == shape.pairs() && phi.cols() == shape.rank &&
                    mu.rows() == shape.states() && mu.cols() == shape.rank;
  if (fits) return;
  throw std::invalid_argument(
      fmt::format("candidate {} has phi {}×{} and mu {}×{}; the class has phi {}×{} and mu {}×{}",
                  c, phi.rows(), phi.cols(), mu.rows(), mu.cols(), shape.pairs(), shape.rank,
                  shape.states(), shape.rank));
}

void require_kernel(const ClassShape& shape, const Matrix& phi, const Matrix& mu, Index c) {
  require_factors(shape, phi, mu, c);
  try {
    static_cast<void>(Kernel(shape.actions, phi, mu, shape.nu));
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument(fmt::format("candidate {}: {}", c, e.what()));
  }
}

double quadratic_form(const Matrix& G, const double* phi) {
  double total = 0;
  for (Index k = 0; k < G.rows(); ++k) {
    double row = 0;
    for (Index l = 0; l < G.cols(); ++l) row += G(k, l) * phi[l];
    total += phi[k] * row;
  }
  return total;
}

}  // namespace

bool has_mixture_form(const Matrix& phi, const Matrix& mu, const Vector& nu) {
  if (phi.minCoeff() < 0 || mu.minCoeff() < 0) return false;
  const double rows = (phi.rowwise().sum().array() - 1).abs().maxCoeff();
  const double columns = ((mu.transpose() * nu).array() - 1).abs().maxCoeff();
  return rows <= tol::kSimplex && columns <= tol::kSimplex;
}

FeatureClass FeatureClass::of(std::span<const Kernel> kernels) {
  require(!kernels.empty(), "a feature class needs at least one candidate", kernels.size());
  const Kernel& head = kernels.front();
  FeatureClassBuilder builder({head.actions(), head.rank(), head.nu()},
                              static_cast<Index>(kernels.size()));
  for (std::size_t c = 0; c < kernels.size(); ++c) {
    require(kernels[c].nu().size() == head.nu().size() && kernels[c].nu() == head.nu(),
            "all candidates of a class share one base measure; candidate", c);
    const Matrix phi = kernels[c].phi().to_dense();
    const Matrix mu = kernels[c].mu().to_dense();
    builder.put(static_cast<Index>(c), {&phi, 1}, {&mu, 1});
  }
  return std::move(builder).finish();
}

FeatureClass FeatureClass::product(ClassShape shape, std::span<const Matrix> phi,
                                   std::span<const Matrix> mu) {
  require_shape(shape, static_cast<Index>(std::min(phi.size(), mu.size())));
  for (std::size_t i = 0; i < std::max(phi.size(), mu.size()); ++i) {
    const Matrix& f = phi[std::min(i, phi.size() - 1)];
    const Matrix& m = mu[std::min(i, mu.size() - 1)];
    require_factors(shape, f, m, static_cast<Index>(i));
    require(has_mixture_form(f, m, shape.nu),
            "a product class needs phi in the simplex and mu made of densities; factor", i);
  }
  FeatureClass made;
  made.product_ = true;
  made.phi_ = FactorTable::by_candidate(shape.pairs(), shape.rank, static_cast<Index>(phi.size()));
  made.mu_ = FactorTable(shape.states(), shape.rank, static_cast<Index>(mu.size()));
  made.phi_.put(0, phi);
  made.mu_.put(0, mu);
  made.scale_ = Vector::Ones(shape.states());
  made.shape_ = std::move(shape);
  return made;
}

std::size_t FeatureClass::bytes() const {
  return phi_.bytes() + mu_.bytes() + energy_.size() * sizeof(double);
}

Matrix FeatureClass::phi(Index c) const { return phi_.get(product_ ? c / mu_.count() : c); }

Matrix FeatureClass::mu(Index c) const {
  Matrix table = mu_.get(product_ ? c % mu_.count() : c);
  for (Index y = 0; y < table.rows(); ++y) table.row(y) *= scale_[y];
  return table;
}

Kernel FeatureClass::kernel(Index c) const {
  require(0 <= c && c < size(), "no such candidate", c);
  return Kernel(actions(), phi(c), mu(c), nu());
}

void FeatureClass::product_row(Index i, Index x, Index y, Index j, std::span<double> out) const {
  std::vector<double> w(static_cast<std::size_t>(rank()));
  phi_.get_row(i, x, w);
  mu_.dot_with(w, y, j, out);
}

void FeatureClass::densities(Index x, Index y, Index first, std::span<double> out) const {
  if (product_) {
    while (!out.empty()) {  // one φ_i at a time against a run of μ_j
      const Index j = first % mu_.count();
      const auto run = std::min(out.size(), static_cast<std::size_t>(mu_.count() - j));
      product_row(first / mu_.count(), x, y, j, out.first(run));
      out = out.subspan(run);
      first += static_cast<Index>(run);
    }
    return;
  }
  FactorTable::dot(phi_, x, mu_, y, first, out);
  if (precision() == ClassPrecision::kDouble) return;
  for (double& f : out) f *= scale_[y];
}

void FeatureClass::energies(Index x, Index first, std::span<double> out) const {
  if (!product_) {
    const auto begin = static_cast<std::size_t>(x * size() + first);
    std::copy_n(&energy_[begin], out.size(), out.begin());
    return;
  }
  std::vector<double> w(static_cast<std::size_t>(rank()));
  for (std::size_t n = 0; n < out.size(); ++n) {
    const Index c = first + static_cast<Index>(n);
    const Matrix M = mu_.get(c % mu_.count());
    const Matrix G = M.transpose() * nu().asDiagonal() * M;
    phi_.get_row(c / mu_.count(), x, w);
    out[n] = quadratic_form(G, w.data());
  }
}

FeatureClassBuilder::FeatureClassBuilder(ClassShape shape, Index size) {
  require_shape(shape, size);
  class_.phi_ = FactorTable(shape.pairs(), shape.rank, size);
  class_.mu_ = FactorTable(shape.states(), shape.rank, size);
  class_.scale_ = Vector::Ones(shape.states());
  class_.energy_.resize(static_cast<std::size_t>(shape.pairs() * size));
  class_.shape_ = std::move(shape);
}

FeatureClassBuilder::FeatureClassBuilder(ClassShape shape, Index size, const Kernel& anchor) {
  require_shape(shape, size);
  const Matrix phi = anchor.phi().to_dense();
  const Matrix mu = anchor.mu().to_dense();
  require_factors(shape, phi, mu, 0);
  require(has_mixture_form(phi, mu, shape.nu),
          "single precision needs phi in the simplex and mu made of densities");
  phi_offset_ = grid_offset(phi);
  mu_offset_ = grid_offset(shape.nu.asDiagonal() * mu);
  class_.phi_ = FactorTable(shape.pairs(), shape.rank, size, phi_offset_);
  class_.mu_ = FactorTable(shape.states(), shape.rank, size, mu_offset_);
  class_.scale_ = shape.nu.cwiseInverse();
  class_.energy_.resize(static_cast<std::size_t>(shape.pairs() * size));
  class_.shape_ = std::move(shape);
}

void FeatureClassBuilder::snap(Matrix& phi, Matrix& mu) const {
  if (phi_offset_.size() == 0) return;
  for (Index x = 0; x < phi.rows(); ++x) {
    Vector row = phi.row(x).transpose();
    snap_distribution(row, phi_offset_.row(x).transpose());
    phi.row(x) = row.transpose();
  }
  for (Index k = 0; k < mu.cols(); ++k) {
    Vector mass = class_.nu().cwiseProduct(mu.col(k));
    snap_distribution(mass, mu_offset_.col(k));
    mu.col(k) = mass.cwiseProduct(class_.scale_);
  }
}

void FeatureClassBuilder::put(Index first, std::span<const Matrix> phi,
                              std::span<const Matrix> mu) {
  std::vector<Matrix> masses;
  for (std::size_t i = 0; i < phi.size(); ++i) {
    const Index c = first + static_cast<Index>(i);
    require_kernel(class_.shape_, phi[i], mu[i], c);
    // G = ∑_y μ μᵀ ν,   energy(x) = φ(x)ᵀ G φ(x)
    const Matrix G = mu[i].transpose() * class_.nu().asDiagonal() * mu[i];
    for (Index x = 0; x < class_.pairs(); ++x) {
      class_.energy_[static_cast<std::size_t>(x * class_.size() + c)] =
          quadratic_form(G, &phi[i](x, 0));
    }
    if (mu_offset_.size() != 0) masses.emplace_back(class_.nu().asDiagonal() * mu[i]);
  }
  class_.phi_.put(first, phi);
  class_.mu_.put(first, masses.empty() ? mu : std::span<const Matrix>(masses));
}

FeatureClass FeatureClassBuilder::finish() && { return std::move(class_); }

std::size_t FeatureClassBuilder::bytes_needed(const ClassShape& shape, Index size,
                                              ClassPrecision precision) {
  const auto n = static_cast<std::size_t>(size);
  const auto pairs = static_cast<std::size_t>(shape.pairs());
  const auto factors =
      (pairs + static_cast<std::size_t>(shape.states())) * static_cast<std::size_t>(shape.rank);
  const std::size_t width = precision == ClassPrecision::kDouble ? sizeof(double) : sizeof(float);
  return n * (factors * width + pairs * sizeof(double));
}

}  // namespace speder
