#pragma once

#include <string_view>
#include <vector>

#include "speder/core/types.hpp"
#include "speder/learning/dataset.hpp"
#include "speder/mdp/classes/feature_class.hpp"

namespace speder {

enum class Criterion {
  kLeastSquares,  // ∑ᵢ [−2 f(xᵢ,yᵢ) + ∑_y f²(xᵢ,y) ν(y)]  [eq:objective_f]; DEVIATION-6: line 6 of
                  // Algorithm 1 names the constrained [eq:speder-objective]
  kLikelihood,  // −∑ᵢ log f(xᵢ,yᵢ), +∞ where f = 0           [eq:mle], the Rep-UCB oracle
  kConstrained  // as line 6 names it: ∑ᵢ [−2 f(xᵢ,yᵢ) + ∫μᵀμ/d + w ‖E[φφᵀ] − I/d‖²_F], the
                // constraint by a penalty, E over the data    [eq:speder-objective], twice
};
/// The w of kConstrained; at most one member of a class can meet the constraint exactly, and at
/// one n alone.
inline constexpr double kConstraintWeight = 1;
[[nodiscard]] std::string_view to_string(Criterion criterion);

struct Estimate {
  Index candidate = 0;  // lowest index among the exact minimisers
  double loss = 0;
};

/// Empirical risk over a finite class, kept up to date: adding a transition costs O(|F| d) whatever
/// came before. Sums are in double, in candidate order; no draw, no clock, no thread.
/// In a product class the squared term is kept as one d × d sum per φ and multiplied out when the
/// minimiser is asked for, O(|F| d²), because φᵀ G φ has no O(d) form; kConstrained keeps the same
/// sums for its penalty, O(|Φ| d²) a transition.
class Estimator {
 public:
  Estimator(const FeatureClass& candidates, Criterion criterion);

  void add(const Step& step, double count = 1);
  void add(const std::vector<CountedStep>& cells);
  [[nodiscard]] Estimate best() const;
  /// Loss of every candidate.                                               (|F|)
  [[nodiscard]] Vector profile() const;
  [[nodiscard]] double data() const { return data_; }

 private:
  void add_moment(Index x, double count);
  [[nodiscard]] Vector constraint_terms() const;  // (|Φ|)  n w ‖A/n − I/d‖²

  const FeatureClass* class_;
  Criterion criterion_;
  double data_ = 0;
  std::vector<double> loss_;  // (|F|)  without the squared term in a product class
  // kConstrained: A, and the trace of G.  Product class, least squares: ∑ᵢ φ(xᵢ)ᵀ G φ(xᵢ) = ⟨A_φ, G_μ⟩, upper triangles.
  Matrix moment_;  // (|Φ| × d(d+1)/2)  A = ∑ᵢ φ(xᵢ) φ(xᵢ)ᵀ
  Matrix gram_;    // (d(d+1)/2 × |Ψ|)  G = ∑_y μ μᵀ ν, off-diagonal entries doubled
};

}  // namespace speder
