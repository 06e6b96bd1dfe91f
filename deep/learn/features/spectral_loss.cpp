#include "speder/deep/learn/features/spectral_loss.hpp"

#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <numbers>

#include "speder/core/check.hpp"
#include "speder/deep/learn/nn/product.hpp"

namespace speder::deep {
namespace {

Tensor rowwise(const Tensor& a, const Tensor& b) { return (a * b).sum(-1); }

/// E x² over all entries, as one node: its gradient 2x/n is one pass, that of square().mean() is four.
struct MeanSquare : torch::autograd::Function<MeanSquare> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x) {
    context->save_for_backward({x});
    const Tensor flat = x.reshape({-1});
    return at::dot(flat, flat) / static_cast<double>(x.numel());
  }
  static std::vector<Tensor> backward(torch::autograd::AutogradContext* context,
                                      const std::vector<Tensor>& outputs) {
    const Tensor x = context->get_saved_variables()[0];
    return {x * (outputs[0] * (2.0 / static_cast<double>(x.numel())))};
  }
};

/// The mean of x_ij² over i ≠ j of a square matrix, as one node for the same reason.
struct OffDiagonalMeanSquare : torch::autograd::Function<OffDiagonalMeanSquare> {
  static double pairs(const Tensor& x) {
    return static_cast<double>(x.size(0)) * static_cast<double>(x.size(0) - 1);
  }
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x) {
    context->save_for_backward({x});
    const Tensor flat = x.reshape({-1});
    const Tensor own = x.diagonal();
    return (at::dot(flat, flat) - at::dot(own, own)) / pairs(x);
  }
  static std::vector<Tensor> backward(torch::autograd::AutogradContext* context,
                                      const std::vector<Tensor>& outputs) {
    const Tensor x = context->get_saved_variables()[0];
    const Tensor gradient = x * (outputs[0] * (2.0 / pairs(x)));
    gradient.diagonal().zero_();
    return {gradient};
  }
};

Tensor weighted_mean(const Tensor& values, const Tensor& weight) {
  return weight.defined() ? (values * weight).mean() : values.mean();
}

SpectralTerms dual_loss(const SpectralBatch& b, const SpectralWeights& weights) {
  SpectralTerms t{.paired = paired_product(b.phi, b.mu_next),
                  .quadratic = dual_quadratic(b.mu_base.defined() ? b.mu_base : b.mu_next),
                  .ortho = ortho_u_statistic(b.phi)};
  t.loss = t.quadratic - t.paired + weights.ortho * t.ortho;
  return t;
}

SpectralTerms exact_loss(const SpectralBatch& b) {
  SpectralTerms t{.paired = paired_product(b.phi, b.mu_next),
                  .quadratic = b.mu_base.defined() ? exact_quadratic(b.phi, b.mu_base)
                                                   : in_batch_quadratic(b.phi, b.mu_next)};
  t.loss = t.quadratic - 2 * t.paired;
  return t;
}

SpectralTerms literal_loss(const SpectralBatch& b, const SpectralWeights& weights) {
  SpectralTerms t{.paired = paired_product(b.phi, b.mu_next, b.p_next),
                  .quadratic = dual_quadratic(b.mu_base, b.p_base),
                  .ortho = ortho_v_statistic(b.phi)};
  t.loss = t.quadratic - t.paired + weights.ortho * t.ortho;
  return t;
}

}  // namespace

std::string_view to_string(Objective objective) {
  switch (objective) {
    case Objective::kDual:
      return "dual";
    case Objective::kExact:
      return "exact";
    case Objective::kLiteral:
      return "literal";
  }
  return "unknown";
}

Objective objective_named(std::string_view name) {
  for (const Objective o : {Objective::kDual, Objective::kExact, Objective::kLiteral}) {
    if (to_string(o) == name) return o;
  }
  throw std::invalid_argument(
      fmt::format("no objective is called '{}'; there are: dual exact literal", name));
}

Tensor paired_product(const Tensor& phi, const Tensor& mu_next, const Tensor& density) {
  return weighted_mean(rowwise(phi, mu_next), density);
}

Tensor dual_quadratic(const Tensor& mu_base, const Tensor& density) {
  const auto d = static_cast<double>(mu_base.size(-1));
  return weighted_mean(rowwise(mu_base, mu_base), density) / (2 * d);
}

Tensor exact_quadratic(const Tensor& phi, const Tensor& mu_base) {
  return MeanSquare::apply(pair_products(phi, mu_base));
}

Tensor in_batch_quadratic(const Tensor& phi, const Tensor& mu_next) {
  require(phi.size(0) > 1, "base states from the batch need two rows or more", phi.size(0));
  return OffDiagonalMeanSquare::apply(pair_products(phi, mu_next));
}

Tensor ortho_u_statistic(const Tensor& phi) {
  const auto n = static_cast<double>(phi.size(0));
  const auto d = static_cast<double>(phi.size(1));
  const Tensor gram = pair_products(phi, phi);  // (B, B)
  const Tensor norms = rowwise(phi, phi);       // (B)  ‖φ_i‖² = gram_ii
  const Tensor cross = gram.square().sum() - norms.square().sum();
  return cross / (n * (n - 1)) - (2 / d) * norms.mean() + 1 / d;
}

Tensor ortho_v_statistic(const Tensor& phi) {
  const auto n = static_cast<double>(phi.size(0));
  const auto d = static_cast<double>(phi.size(1));
  return at::mm(phi, phi.t()).square().sum() / (n * n) - (2 / d) * rowwise(phi, phi).mean() + 1 / d;
}

Tensor masses(const Tensor& phi, const Tensor& mu_base) { return at::mv(phi, mu_base.mean(0)); }

Tensor in_batch_masses(const Tensor& phi, const Tensor& mu_next) {
  const auto n = static_cast<double>(phi.size(0));
  return (at::mv(phi, mu_next.sum(0)) - rowwise(phi, mu_next)) / (n - 1);
}

Tensor normalisation(const Tensor& masses, double floor) {
  const Tensor safe = masses.clamp_min(floor);
  // log Z for Z ≥ floor, log floor + (Z − floor)/floor below: continuous with its slope.
  const Tensor log_z = safe.log() + (masses - safe) / floor;
  return log_z.square().mean();
}

Tensor gaussian_density(const Tensor& states) {
  const double log_norm =
      0.5 * std::log(2 * std::numbers::pi) * static_cast<double>(states.size(-1));
  return (-0.5 * states.square().sum(-1) - log_norm).exp();
}

namespace {

/// C^½ and C^−½ on the range of C = xᵀx/n; eigenvalues below kNullShare of the largest count as zero.
struct Roots {
  Tensor half, inverse;  // (d, d)
};

Roots roots(const Tensor& x) {
  constexpr double kNullShare = 1e-10;  // rounding of n float32 products
  const auto [values, vectors] = at::linalg_eigh(at::mm(x.t(), x) / static_cast<double>(x.size(0)));
  const Tensor kept = values.gt(kNullShare * values.max()).to(at::kDouble);
  const Tensor root = (values.clamp_min(0) * kept).sqrt();
  const Tensor inverse = kept / (root + (1 - kept));
  return {at::mm(vectors * root, vectors.t()), at::mm(vectors * inverse, vectors.t())};
}

}  // namespace

SpectralModes spectral_modes(const Tensor& phi, const Tensor& mu_next) {
  const at::NoGradGuard no_grad;
  const Tensor x = phi.to(at::kCPU, at::kDouble), y = mu_next.to(at::kCPU, at::kDouble);
  const Roots a = roots(x), b = roots(y);
  const auto [u, sigma, v] = at::linalg_svd(at::mm(a.half, b.half), /*full_matrices=*/false);
  const Tensor f = at::mm(at::mm(x, a.inverse), u), g = at::mm(at::mm(y, b.inverse), v.t());
  return {sigma, (f * g).mean(0)};
}

SpectralTerms spectral_loss(Objective objective, const SpectralBatch& batch,
                            const SpectralWeights& weights) {
  SpectralTerms terms = objective == Objective::kDual    ? dual_loss(batch, weights)
                        : objective == Objective::kExact ? exact_loss(batch)
                                                         : literal_loss(batch, weights);
  if (weights.prob != 0) {
    terms.prob = normalisation(batch.mu_base.defined() ? masses(batch.phi, batch.mu_base)
                                                       : in_batch_masses(batch.phi, batch.mu_next));
    terms.loss = terms.loss + weights.prob * terms.prob;
  }
  return terms;
}

}  // namespace speder::deep
