#pragma once

#include <functional>
#include <span>
#include <vector>

#include "speder/learning/bonus.hpp"
#include "speder/learning/dataset.hpp"
#include "speder/learning/needle_estimator.hpp"
#include "speder/learning/needle_planner.hpp"
#include "speder/mdp/classes/needle_class.hpp"

namespace speder {

/// The steps of a data set by their kind.
[[nodiscard]] std::vector<NeedleCount> needle_counts(const NeedleShape& shape,
                                                     std::span<const Step> steps);

/// Algorithm 2 on a needle class: what offline_speder does on the members written out, in a time
/// that depends on neither n nor |F|. One estimate can be planned on with several penalties.
///                                                                      [alg:offline_algorithm]
class NeedleOffline {
 public:
  explicit NeedleOffline(const NeedleClass& F);

  /// Lines 2 and 3: P̂ and Σ̂ from all the data so far.
  void add(std::span<const NeedleCount> fresh);
  [[nodiscard]] const NeedleMember& member() const { return estimator_.best(); }

  struct Plan {
    const std::vector<std::int32_t>& policy;  // (groups)
    double value = 0;                         // V_{P̂, r−b̂} at the lobby
  };
  /// Lines 4 and 5 with b̂ = α‖φ̂‖ in Σ̂⁻¹. α < 0 adds the penalty, which is a mutation.
  Plan plan(double alpha, double lambda);

 private:
  Index pairs_;
  NeedleEstimator estimator_;
  NeedlePlanner planner_;
};

/// λ and α of [lem:pessimism] for the class: κ = ω. DEVIATION-3.
[[nodiscard]] BonusSchedule offline_schedule(const NeedleClass& F, BonusConstants constants,
                                             double delta, double omega);

}  // namespace speder
