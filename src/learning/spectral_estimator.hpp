#pragma once

#include <vector>

#include "speder/core/types.hpp"
#include "speder/learning/dataset.hpp"

namespace speder {

/// What a learner of rank d is told beforehand; a finite class says it by the shape of its members.
struct SpectralShape {
  Index actions = 0;
  Index rank = 0;  // d
  Vector nu;       // (S)  base measure
  [[nodiscard]] Index states() const { return nu.size(); }
  [[nodiscard]] Index pairs() const { return nu.size() * actions; }
};

/// The factors of least loss, and the kernel nearest to their product.
struct SpectralFit {
  Matrix Phi;  // (SA × d)  ‖φ(x)‖ ≤ 1; 0 where x was not seen: any φ(x) has the same loss
  Matrix Mu;   // (S × d)
  Matrix P;    // (SA × S)  probabilities, see project_row
  Vector spectrum;  // (d)       σ₁² ≥ … ≥ σ_d² of A
  double loss = 0;  // ∑ᵢ −2f(xᵢ,yᵢ) + ∑_y f²(xᵢ,y)ν(y) = −∑_k σ_k²          [eq:objective_f]
  Index steps = 0;  // of the block power iteration; 0: solved from scratch
};

/// Least squares over all functions of rank d, by the SVD of the empirical kernel. With the counts
/// N(x,y) and N(x) = ∑_y N(x,y),
///
///   [eq:objective_f] = const + ∑_x N(x) ‖p̂(x,·) − φ(x)ᵀμ‖²_{L²(ν)},  p̂(x,y) = N(x,y)/(N(x)ν(y)),
///   A(x,y) = √N(x) p̂(x,y) √ν(y) ≈ A V Vᵀ,   V (S × d): leading right singular vectors of A,
///   μ(y) = c V(y)/√ν(y),   φ(x) = ∑_y p̂(x,y) √ν(y) V(y) / c,   c such that max_x ‖φ(x)‖ = 1.
///
/// V is found from G = AᵀA (S × S), of which a new transition changes one row's share, by block
/// power iteration from the last V until ‖Gv − σ²v‖ ≤ kResidual σ₁²; where that takes too long, and
/// whenever the data have doubled, from scratch (src/core/spectral). A function of the data and of
/// when fit() was called.
class SpectralEstimator {
 public:
  /// Throws InputError beyond kMaxStates, or when the tables of |S||A| × |S| numbers would not fit
  /// kMaxBytes.
  explicit SpectralEstimator(SpectralShape shape);

  void add(const Step& step, double count = 1);
  /// Brings the factors up to date. Nothing seen: φ = 0 and every row is ν/ν(S).
  const SpectralFit& fit();
  [[nodiscard]] const SpectralFit& last() const { return fit_; }  // as fit() left it
  [[nodiscard]] double visits(Index x) const { return visits_[x]; }
  [[nodiscard]] double data() const { return visits_.sum(); }
  [[nodiscard]] Index rank() const { return rank_; }

  static constexpr Index kMaxStates = 2048;
  static constexpr std::size_t kMaxBytes = std::size_t{4} << 30U;
  /// A Ritz value's error is the square of its vector's: the loss is off by about 1e-18 σ₁⁴/gap.
  static constexpr double kResidual = 1e-9;

 private:
  void add_share(Index x, double sign);  // of row x in G
  void rebuild();
  bool power_iteration();
  void solve_from_scratch();
  void make_factors();

  SpectralShape shape_;
  Index rank_;                  // min(d, |S|)
  Vector inverse_;              // (S)  1/√ν
  Matrix counts_;               // (SA × S)
  Vector visits_;               // (SA)
  Matrix G_;                    // (S × S)
  std::vector<Index> changed_;  // rows whose share is out of G
  std::vector<char> is_changed_;
  double rebuilt_at_ = 0;  // data when G was last summed up anew
  Eigen::MatrixXd basis_;  // (S × (d + guard))  orthonormal, by descending Ritz value
  Vector share_;           // (S)  work
  SpectralFit fit_;
};

/// The kernel nearest to f in L²(ν), row by row: masses q = fν become max(q − τν, 0) with the τ
/// that makes them sum to one. The nearest point of a convex set: the distance to P*, which lies in
/// it, never grows.
void project_row(Eigen::Ref<Eigen::RowVectorXd> q, const Vector& nu);

}  // namespace speder
