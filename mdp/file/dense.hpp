#pragma once

#include <filesystem>
#include <optional>

#include "speder/mdp/file/tables.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"

namespace speder {

/// An MDP given as tables, before any factorisation. Rows of P are probabilities (they sum to one
/// without ν) and have been checked.
struct DenseMdp {
  Matrix P;       // (SA × S)
  Vector reward;  // (SA)
  Vector rho;     // (S)
  Vector nu;      // (S)
  double gamma = 0;
  RewardUnits reward_units = {};
  bool rho_assumed = false;  // the file has none: uniform
  [[nodiscard]] Index states() const { return P.cols(); }
  [[nodiscard]] Index actions() const { return P.rows() / P.cols(); }
};

struct ReadDenseOptions {
  std::optional<double> gamma = {};   // overrides the file's
  std::optional<Index> start = {};    // ρ is this state alone, whatever the file says
  std::filesystem::path reward = {};  // .npy of r (S, A); only beside a .npy of P
  bool rescale_rewards = false;       // rewards outside [0,1] are moved into it, see below
};

/// Tables P (S, A, S), r (S, A), rho (S), optionally nu (S) and gamma, from HDF5 or, by the ending
/// of the name, from text (.csv, .txt) or NumPy (.npz, .npy) (docs/mdp-files.md). Transitions and
/// NumPy files may lack rho: then it is uniform. Rows may be off by tol::kFileSimplex and are then
/// divided by their sum; anything worse is a ConfigError naming file, dataset, index and value.
/// rescale_rewards: when a reward lies outside [0,1], r ← (r − min r) / (max r − min r), and the
/// units say how to come back.
[[nodiscard]] DenseMdp read_dense(const std::filesystem::path& path,
                                  const ReadDenseOptions& options = {});
/// The same from tables in memory; without rho it is uniform. Messages name the tables' path.
[[nodiscard]] DenseMdp dense_of(const file::NamedTables& tables,
                                const ReadDenseOptions& options = {});

struct FactoriseOptions {
  Index rank = 0;       // 0: the numerical rank of P, an exact factorisation
  bool shrink = false;  // for rank below that of P: see factorise()
};

struct Factorised {
  TabularMdp mdp;
  Index true_rank = 0;  // singular values above tol::kRank σ₁
  double best_error = 0;  // ‖P − P_k‖ of the best rank-k operator in L²(ν), Frobenius over pairs
  double error = 0;       // the same norm for the kernel in `mdp`
  double shrink = 1;  // t below
};

/// SVD of P̃ = P N^{−½} (SA × S), N = diag ν: with V the first k right singular vectors,
///   φ = P̃ V / c,   μ = c N^{−½} V,   c = max |P̃ V|, so that max |φ| = 1.
/// θ_r is the least-squares fit when it is exact, otherwise empty. For k below the rank of P the
/// truncation usually is no kernel any more (rows off, negative entries): an InputError saying
/// where and by how much, unless `shrink`: then 1qᵀ + t R_{k−1}, where q is the mean row, R_{k−1}
/// the best rank k − 1 part of P − 1qᵀ (its rows sum to zero) and t ≤ 1 the largest factor that
/// keeps every entry non-negative.
[[nodiscard]] Factorised factorise(const DenseMdp& dense, const FactoriseOptions& options = {});

}  // namespace speder
