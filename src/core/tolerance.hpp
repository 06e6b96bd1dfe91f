#pragma once

namespace speder::tol {

// unit roundoff of double, 2⁻⁵³
inline constexpr double kUnit = 1.1102230246251565e-16;
// |∑ p − 1|: sums of at most a few thousand doubles
inline constexpr double kSimplex = 1e-12;
// the same for numbers that went through a text file
inline constexpr double kFileSimplex = 1e-9;
// P ≥ −kNonNegative: cancellation in ⟨φ, μ⟩
inline constexpr double kNonNegative = 1e-14;
// ‖TV − V‖∞; value error ≤ kBellman / (1 − γ)
inline constexpr double kBellman = 1e-10;
// two planners on one MDP, relative to 1/(1 − γ)
inline constexpr double kAgreement = 1e-9;
// identities that pass through one linear solve
inline constexpr double kLinearSolve = 1e-10;
// σ_k / σ_1 below this counts as zero
inline constexpr double kRank = 1e-10;
// relative residual of a Lanczos pair: 10⁴ roundings
inline constexpr double kRitz = 1e-12;
// a statistical test may fail by chance this often
inline constexpr double kFalseAlarm = 1e-6;
// log-likelihood still to gain: 1e-6 standard errors
inline constexpr double kLikelihood = 1e-12;
// no point of a fit weighs more than this × the median
inline constexpr double kWeightRatio = 1e3;

}  // namespace speder::tol
