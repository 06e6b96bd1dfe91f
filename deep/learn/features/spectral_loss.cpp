#include "speder/deep/learn/features/spectral_loss.hpp"

#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <numbers>

#include "speder/core/check.hpp"

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

Tensor weighted_mean(const Tensor& values, const Tensor& weight) {
  return weight.defined() ? (values * weight).mean() : values.mean();
}

SpectralTerms dual_loss(const SpectralBatch& b, const SpectralWeights& weights) {
  SpectralTerms t{.paired = paired_product(b.phi, b.mu_next),
                  .quadratic = dual_quadratic(b.mu_base),
                  .ortho = ortho_u_statistic(b.phi)};
  t.loss = t.quadratic - t.paired + weights.ortho * t.ortho;
  return t;
}

SpectralTerms exact_loss(const SpectralBatch& b) {
  SpectralTerms t{.paired = paired_product(b.phi, b.mu_next),
                  .quadratic = exact_quadratic(b.phi, b.mu_base)};
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
  return MeanSquare::apply(at::mm(phi, mu_base.t()));
}

Tensor ortho_u_statistic(const Tensor& phi) {
  const auto n = static_cast<double>(phi.size(0));
  const auto d = static_cast<double>(phi.size(1));
  const Tensor gram = at::mm(phi, phi.t());  // (B, B)
  const Tensor norms = rowwise(phi, phi);    // (B)  ‖φ_i‖² = gram_ii
  const Tensor cross = gram.square().sum() - norms.square().sum();
  return cross / (n * (n - 1)) - (2 / d) * norms.mean() + 1 / d;
}

Tensor ortho_v_statistic(const Tensor& phi) {
  const auto n = static_cast<double>(phi.size(0));
  const auto d = static_cast<double>(phi.size(1));
  return at::mm(phi, phi.t()).square().sum() / (n * n) - (2 / d) * rowwise(phi, phi).mean() + 1 / d;
}

Tensor masses(const Tensor& phi, const Tensor& mu_base) { return at::mv(phi, mu_base.mean(0)); }

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

SpectralTerms spectral_loss(Objective objective, const SpectralBatch& batch,
                            const SpectralWeights& weights) {
  SpectralTerms terms = objective == Objective::kDual    ? dual_loss(batch, weights)
                        : objective == Objective::kExact ? exact_loss(batch)
                                                         : literal_loss(batch, weights);
  if (weights.prob != 0) {
    terms.prob = normalisation(masses(batch.phi, batch.mu_base));
    terms.loss = terms.loss + weights.prob * terms.prob;
  }
  return terms;
}

}  // namespace speder::deep
