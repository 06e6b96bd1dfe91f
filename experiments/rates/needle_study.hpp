#pragma once

#include <string>
#include <vector>

#include "speder/experiments/rates/experiment.hpp"

// One cell of the scaling study: Algorithm 1 on the family needle. Shared by map, pac-* and calibrate.
namespace speder {

/// What a suite may say about all of its cells.
struct NeedleStudy {
  double gamma = 0.8;
  double lead = 0.4;    // Δ
  double share = 0.25;  // ε as a share of V* − V(refuse every door)
  double delta = 0.1;
  double c_alpha = 3.5e-4;  // the study's one constant; `calibrate` chooses it
  double log_class = 128;   // log |F| that the schedules are told, at least the class's own
  int levels = 8;           // of decoys
  int budget = 12;          // of a run on any curve, in multiples of the schedule's own time
};
inline constexpr Limits kLogClass{1, 700};  // |F| itself must be a number
void read_study(Settings& settings, NeedleStudy& study);

/// A setting of the instance and the learner; cell() and needle_point() are each other's inverse.
struct NeedlePoint {
  int rank = 12;       // d = 2M + 4
  int actions = 4;     // |A|
  double horizon = 5;  // 1/(1−γ)
  double lead = 0.4;
  int levels = 8;
  double log_class = 128;
  std::string curve = "printed";
  double scale = 1;   // times the study's c_α
  double budget = 0;  // episodes at most
};
[[nodiscard]] GridCell needle_cell(const NeedlePoint& point);

/// The study's point at (d, |A|), everything else as the suite says, without curve and budget.
[[nodiscard]] NeedlePoint study_point(const NeedleStudy& study, int rank, int actions);
/// Fills in curve and budget: `budget` times the episodes after which the bonus of a door is worth
/// what entering the needle's door is worth (that of the study's c_α at least),
///   n = (α/margin)² · M|A| (1−γ⁴)/(1−γ),
/// since an episode records a given door with the action that enters with probability
/// (1−γ)/((1−γ⁴) M|A|) when every door is entered. A control has the budget of the printed learner: it
/// is seen for as long as any N that the printed one can have.
[[nodiscard]] GridCell curve_cell(const NeedleStudy& study, NeedlePoint point,
                                  const std::string& curve, double scale = 1);
/// ε of a point.
[[nodiscard]] double needle_epsilon(const NeedleStudy& study, const NeedlePoint& point);
/// The Δ at which the point has this ε.
[[nodiscard]] double lead_for_epsilon(const NeedleStudy& study, NeedlePoint point, double epsilon);

/// printed: Algorithm 1 with the printed α_n.    flat: α_n of the reference point at every point.
/// none: α = 0.    uniform: α = 0 and all data from U(A).    Mutations: subtracted (r − b),
/// sigma-of-both (Σ̂ over D and D'), without-second (D' dropped), policy-actions (π in place of U(A)),
/// alpha-without-d, alpha-without-A.
[[nodiscard]] const std::vector<std::string>& needle_curves();
/// Throws unless every name is a curve.
void require_curves(const ConfigTable& table, std::string_view key,
                    const std::vector<std::string>& names);

/// One run. `reference` is where flat's α comes from. Measures, all at n = 0:
///   end        the n from which on the mixture of π₁ … π_n had gap ≤ ε until the run ended; absent
///              when it was above at the end. The run goes on to kHold · end to see that it stays.
///   episodes, gap (of the mixture at the end), epsilon, optimism (share of plans with V̂ ≥ V*),
///   optimistic (1: all of them)
/// and of a printed run premises (1: all hold), premise.<name> and bound.<name>, C, C.least =
/// |A|²/d², states, kernel.rank, log_class (the class's own), certificate (needle_lower_bound), theorem
/// (docs/theory.md, theorem 2).
[[nodiscard]] std::vector<Measure> run_needle(const NeedleStudy& study, const RunContext& context,
                                              const NeedlePoint& reference);
inline constexpr double kHold = 1.25;

}  // namespace speder
