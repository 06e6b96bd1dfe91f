#pragma once

#include "speder/core/types.hpp"
#include "speder/mdp/model/factor.hpp"

namespace speder {

/// P(s'|s,a) = ⟨φ(s,a), μ(s')⟩, a density with respect to the base measure ν on S: the probability
/// of s' is ⟨φ(s,a), μ(s')⟩ ν(s').                                      [assump:low_rank_mdp]
/// Immutable. Throws std::invalid_argument, naming the pair and the value, unless every row is a
/// distribution: ∑_{s'} P ν = 1 up to tol::kSimplex and P ≥ −tol::kNonNegative.
class Kernel {
 public:
  Kernel(Index actions, Factor phi, Factor mu, Vector nu);

  [[nodiscard]] Index states() const { return mu_.rows(); }
  [[nodiscard]] Index actions() const { return actions_; }
  [[nodiscard]] Index pairs() const { return phi_.rows(); }
  [[nodiscard]] Index rank() const { return phi_.cols(); }  // d
  [[nodiscard]] const Factor& phi() const { return phi_; }  // (SA × d)
  [[nodiscard]] const Factor& mu() const { return mu_; }    // (S × d)
  [[nodiscard]] const Vector& nu() const { return nu_; }    // (S)  weight of each state

  /// ∫ μ(s') f(s') ds' = Mᵀ(ν ∘ f): the image of f in feature space.          (d)
  [[nodiscard]] Vector project(const Vector& f) const {
    return mu_.transpose_times(nu_.cwiseProduct(f));
  }
  /// E_{s'~P(·|s,a)} f(s') = Φ Mᵀ(ν ∘ f).                                     (SA)
  [[nodiscard]] Vector expectation(const Vector& f) const { return phi_.times(project(f)); }
  /// ∑_{s'} P(s'|s,a) ν(s'): ones up to rounding.                             (SA)
  [[nodiscard]] Vector row_sums() const;
  /// Probabilities P(s'|s,a) ν(s').                                           (SA × S)
  [[nodiscard]] Matrix dense() const;
  [[nodiscard]] Vector dense_row(Index pair) const;  // (S)
  /// The same in sparse form; entries that are exactly zero are dropped.
  [[nodiscard]] SparseMatrix sparse() const;
  /// Upper bound on the number of entries of sparse(), found without forming it.
  [[nodiscard]] Index sparse_bound() const;

 private:
  Index actions_;
  Factor phi_;
  Factor mu_;
  Vector nu_;
};

/// "(s=3, a=1)", for messages.
[[nodiscard]] std::string pair_name(Index pair, Index actions);

}  // namespace speder
