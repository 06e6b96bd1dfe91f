#include "speder/learning/lock_learner.hpp"

#include <cmath>

#include "speder/core/check.hpp"
#include "speder/learning/model_loop.hpp"
#include "speder/mdp/planners/factored_planner.hpp"

namespace speder {
namespace {

class LockModel {
 public:
  LockModel(const Simulator& env, const LockClass& F, const OnlineOptions& options)
      : F_(&F),
        reward_(env.reward()),
        nu_(Vector::Ones(env.states())),
        schedule_{options.bonus, F.shape().rank(), std::exp(F.log_size()),
                  options.delta, env.gamma(),      static_cast<double>(env.actions())},
        estimator_(F, 1),
        covariance_(env.states() * env.actions(), F.shape().rank()),
        planner_(env.states(), env.actions(), F.shape().rank()) {}

  void add(const Step& step, double count) {  // (s,a,s') ∈ D
    estimator_.add(step, count);
    covariance_.visit(step.pair, count);
  }
  void add_next(const Step& step) { estimator_.add(step); }  // (s',a',s̃) ∈ D'
  [[nodiscard]] const Vector& visits() const { return covariance_.counts(); }

  const ModelPlan& plan(double n) {
    // Lines 6 and 7: φ̂ from D ∪ D', Σ̂ in it.
    if (const LockMember& best = estimator_.best(); !chosen_ || member_ != best) {
      chosen_ = true;
      member_ = best;
      Phi_ = Matrix(lock_phi(F_->shape(), member_));
      Mu_ = Matrix(lock_emission(F_->shape(), member_));
      covariance_.set_features(Phi_);
    }
    // Lines 8 and 9.
    plan_.alpha = schedule_.alpha(n);
    plan_.lambda = schedule_.lambda(n);
    plan_.bonus = covariance_.bonus(plan_.alpha, plan_.lambda);
    const PlanResult& planned =
        planner_.plan({Phi_, Mu_, nu_, reward_ + plan_.bonus, schedule_.gamma});
    if (planned.termination != Termination::kConverged)
      throw std::runtime_error(fmt::format("planning in a lock ended with {} (residual {})",
                                           to_string(planned.termination), planned.residual));
    plan_.policy = planned.policy;
    plan_.value = planned.value;
    return plan_;
  }

 private:
  const LockClass* F_;
  Vector reward_;
  Vector nu_;
  BonusSchedule schedule_;
  LockEstimator estimator_;
  EllipticalBonus covariance_;
  FactoredPlanner planner_;
  bool chosen_ = false;
  LockMember member_;
  Matrix Phi_;  // (SA × d)
  Matrix
      Mu_;  // (S × d)  probabilities: losses, bonuses and plans do not depend on the base measure
  ModelPlan plan_;
};

}  // namespace

LearnerResult lock_speder(const Simulator& env, const LockClass& F, const OnlineOptions& options,
                          const SeedTree& seeds, const LearnerObserver& observe) {
  const LockShape& shape = F.shape();
  require(env.states() == shape.states() && env.actions() == shape.actions,
          "the class is for another environment");
  require(options.criterion == Criterion::kLeastSquares, "all locks are learned by least squares");
  require_valid(options);
  LockModel model(env, F, options);
  return explore(env, model, options, seeds, observe);
}

}  // namespace speder
