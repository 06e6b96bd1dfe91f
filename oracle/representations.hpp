#pragma once

#include <array>
#include <string_view>

#include "speder/core/types.hpp"
#include "speder/mdp/model/policy.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"
#include "speder/oracle/state_dynamics.hpp"

namespace speder {

/// The four policy-dependent representations of the paper's table, as printed. Each is a basis of
/// functions on S, (S × k') with k' ≤ k: fewer when the operator has no more directions.
///
/// "svd(X)" is the SVD of X as an operator on L₂(w), i.e. of diag(√w) X diag(√w)⁻¹; equal weights
/// give the SVD of the matrix itself. The left side is used: Xf lies in the span of the left
/// functions for every f, which is what a value function needs (V = (I − γP^π)⁻¹ r,
/// V − r = γ P^π V). The columns are orthonormal in L₂(w).        [table:spectral_connections]

/// Left functions of svd((I − γP^π)⁻¹), largest singular values first.
[[nodiscard]] Matrix successor_features(const StateDynamics& dynamics, double gamma,
                                        const Vector& weights, Index k);

/// Eigenvectors of ΛP^π + (P^π)ᵀΛ, Λ = diag(w), largest eigenvalues first: the smoothest functions,
/// those of the smallest eigenvalues of the graph Laplacian. Orthonormal in the counting measure.
[[nodiscard]] Matrix proto_value_functions(const StateDynamics& dynamics, const Vector& weights,
                                           Index k);

/// Orthonormal basis in L₂(w) of span{(P^π)^i r^π : i = first_power, …, first_power + k − 1}. The
/// paper prints i = 1, …, k, so r^π itself is left out; Petrik (2007) starts at i = 0. Built by
/// Arnoldi; stops early when the space is invariant (tol::kRank).
struct KrylovOptions {
  Index k = 1;
  int first_power = 1;
};
[[nodiscard]] Matrix krylov_basis(const StateDynamics& dynamics, const Vector& state_reward,
                                  const Vector& weights, const KrylovOptions& options);

/// Left functions of svd(P^π) with singular values above tol::kRank σ_1.
[[nodiscard]] Matrix spectral_aggregation(const StateDynamics& dynamics, const Vector& weights,
                                          Index k);

enum class StateRepresentation { kSuccessor, kProtoValue, kKrylov, kAggregation };
inline constexpr std::array kStateRepresentations = {
    StateRepresentation::kSuccessor, StateRepresentation::kProtoValue, StateRepresentation::kKrylov,
    StateRepresentation::kAggregation};
[[nodiscard]] std::string_view to_string(StateRepresentation kind);

/// Any of the four for an MDP and a behaviour policy; `weights` (S) are positive.
[[nodiscard]] Matrix state_representation(StateRepresentation kind, const TabularMdp& mdp,
                                          const Policy& policy, const Vector& weights, Index k);

}  // namespace speder
