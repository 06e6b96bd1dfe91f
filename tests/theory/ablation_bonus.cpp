// The bonus and the penalty matter: instances on which the theory says what happens with and
// without them. Every class is ordered so that ties go against the learner (P* comes last).
#include <cmath>

#include "speder/core/tolerance.hpp"
#include "speder/experiments/learn/evaluate.hpp"
#include "speder/learning/offline.hpp"
#include "speder/learning/online.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/stats/statistics.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace ablation_bonus {
namespace {

constexpr double kDelta = 0.1;
const SeedTree kSeeds(41);

// A combination lock with h levels, A actions and a decoy, and the class of locks that break at
// level z = 1, …, h−1 (from there on every action is wrong), in that order, P* last. A lock that
// breaks at z agrees with P* on all levels below z, so that data from those levels cannot tell.
struct LockProblem {
  std::shared_ptr<const TabularMdp> mdp;
  FeatureClass candidates;
};

LockProblem make_lock_problem(Index levels, Index actions) {
  InstanceSpec spec{.family = "lock", .states = levels + 1, .actions = actions, .rank = levels + 1};
  spec.gamma = 0.9;
  spec.knobs = {{"decoy", 0.5}};
  auto mdp = std::make_shared<const TabularMdp>(generate(resolve(spec)));
  const Kernel& truth = mdp->kernel();
  const Matrix mu = truth.mu().to_dense();
  const Matrix emission = truth.nu().asDiagonal() * mu;  // (S × d)  law of the observation
  std::vector<Kernel> candidates;
  for (Index z = 1; z < levels; ++z) {
    Matrix phi = truth.phi().to_dense();
    for (Index s = 0; s < truth.states(); ++s) {
      Index latent = 0;
      emission.row(s).maxCoeff(&latent);             // observations of a lock reveal their latent
      if (latent < z || latent == levels) continue;  // `opened` behaves as level 0
      for (Index a = 0; a < actions; ++a) {
        phi.row(s * actions + a) = Matrix::Identity(levels + 1, levels + 1).row(0);
      }
    }
    candidates.emplace_back(actions, phi, mu, truth.nu());
  }
  candidates.push_back(truth);
  return {mdp, FeatureClass::of(candidates)};
}

// K risky actions and a safe one. From state 0 the safe action leads to 1 (worth 0.5), a risky one to
// 3 (worth 0); every state leads back to 0. Candidate j = 1, …, K claims that risky action j leads to
// 2 (worth 1); P* comes last. The behaviour takes each risky action with probability p.
struct RiskProblem {
  std::shared_ptr<const TabularMdp> mdp;
  FeatureClass candidates;
  Policy behaviour;
};

Kernel risky_kernel(Index actions, Index lucky) {
  Matrix phi = Matrix::Zero(4 * actions, 4);  // one-hot in the next state
  phi.col(0).setOnes();
  for (Index a = 0; a < actions; ++a) {
    phi.row(a).setZero();
    phi(a, a == 0 ? 1 : (a == lucky ? 2 : 3)) = 1;
  }
  return Kernel(actions, phi, Matrix(Matrix::Identity(4, 4)), Vector::Ones(4));
}

RiskProblem make_risk_problem(Index risky, double p) {
  const Index actions = risky + 1;
  std::vector<Kernel> candidates;
  for (Index j = 1; j <= risky; ++j) candidates.push_back(risky_kernel(actions, j));
  candidates.push_back(risky_kernel(actions, 0));
  Vector reward = Vector::Zero(4 * actions);
  reward.segment(actions, actions).setConstant(0.5);
  reward.segment(2 * actions, actions).setOnes();
  auto mdp = std::make_shared<const TabularMdp>(candidates.back(), Rewards{reward, {}},
                                                Vector(Vector::Unit(4, 0)), 0.9);
  Matrix table = Matrix::Constant(4, actions, p);
  table.col(0).setConstant(1 - p * static_cast<double>(risky));
  return {mdp, FeatureClass::of(candidates), Policy::stochastic(table)};
}

}  // namespace

TEST_CASE("Bonus (ablation): UCB opens the lock, the same learner without bonus does not",
          "[theory][whp][ablate]") {
  constexpr Index kLevels = 6;
  constexpr Index kActions = 4;
  constexpr int kRuns = 30;
  const LockProblem problem = make_lock_problem(kLevels, kActions);
  const Simulator env(problem.mdp);
  TruthEvaluator truth(problem.mdp);
  const auto opened = [&](double c_alpha) {
    int count = 0;
    for (std::uint64_t i = 0; i < kRuns; ++i) {
      OnlineOptions options;
      options.episodes = 1000;
      options.delta = kDelta;
      options.bonus.alpha = c_alpha;
      const LearnerResult out =
          online_speder(env, problem.candidates, options, kSeeds.child("lock", i));
      count += truth.at(out.policy).value > 0.95 * truth.optimal_value() ? 1 : 0;
    }
    return count;
  };
  // With the bonus of the theory, failures no more frequent than δ.
  const int failures = kRuns - opened(1);
  CAPTURE(failures);
  CHECK(binomial_upper_tail(kRuns, kDelta, failures) > tol::kFalseAlarm);
  // Without: a broken lock makes every wrong action optimal, so that after episode 1 all data come
  // from levels 0 and 1. P* wins only if episode 1, under uniform actions, saw the good action of
  // level h−1: level(s) ≥ h−2 and two good actions, or level(s) = h−1 and one; at most
  // A^{−(h−2)} A^{−2} + A^{−(h−1)} A^{−1} = 2 A^{−h}.
  const int successes = opened(0);
  CAPTURE(successes);
  const double chance = 2 * std::pow(kActions, -kLevels);
  CHECK(binomial_upper_tail(kRuns, chance, successes) > tol::kFalseAlarm);
}

TEST_CASE("Penalty (ablation): under poor coverage LCB keeps to what was seen, greedy does not",
          "[theory][whp][ablate]") {
  constexpr Index kRisky = 10;
  constexpr Index kSamples = 1000;
  constexpr int kRuns = 30;
  const double p = 1.0 / kSamples;
  const RiskProblem problem = make_risk_problem(kRisky, p);
  const Simulator env(problem.mdp);
  TruthEvaluator truth(problem.mdp);
  const auto safe_choices = [&](double c_alpha) {
    int count = 0;
    for (std::uint64_t i = 0; i < kRuns; ++i) {
      Rng rng = kSeeds.stream("risk", i);
      const Dataset data = collect_from_occupancy(env, problem.behaviour, kSamples, rng);
      OfflineOptions options;
      options.delta = kDelta;
      options.omega = 1 / p;
      options.bonus.alpha = c_alpha;
      const LearnerResult out =
          offline_speder(data, problem.candidates, {problem.mdp->reward(), 0.9}, options);
      count += truth.at(out.policy).value > 0.95 * truth.optimal_value() ? 1 : 0;
    }
    return count;
  };
  const int failures = kRuns - safe_choices(1);
  CAPTURE(failures);
  CHECK(binomial_upper_tail(kRuns, kDelta, failures) > tol::kFalseAlarm);
  // A risky action that was never taken leaves its candidate level with P*, and the tie goes to the
  // candidate. Greedy is right only if all were taken: d^{π_b}(0) is at most 1, so
  // each is unseen with probability at least (1−p)^n, and the chance of none unseen is at most
  // (1 − (1−p)^n)^K (negative association of multinomial counts).
  const int lucky = safe_choices(0);
  CAPTURE(lucky);
  const double chance = std::pow(1 - std::pow(1 - p, kSamples), kRisky);
  CHECK(binomial_upper_tail(kRuns, chance, lucky) > tol::kFalseAlarm);
}

}  // namespace ablation_bonus
