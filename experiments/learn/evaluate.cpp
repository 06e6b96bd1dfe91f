#include "speder/experiments/learn/evaluate.hpp"

#include "speder/core/check.hpp"

namespace speder {
namespace {

constexpr std::size_t kRemembered = 10'000;  // policies

}  // namespace

TruthEvaluator::TruthEvaluator(std::shared_ptr<const TabularMdp> mdp)
    : mdp_(std::move(mdp)), method_(choose_method(mdp_->kernel())) {
  optimal_ = plan({mdp_->kernel(), mdp_->reward(), mdp_->gamma()});
  optimal_value_ = at(Policy::deterministic(optimal_.policy, mdp_->actions())).value;
}

std::size_t TruthEvaluator::Hash::operator()(const std::vector<std::int32_t>& policy) const {
  std::uint64_t h = 0xcbf29ce484222325ULL;  // FNV-1a over the actions
  for (const std::int32_t a : policy) h = (h ^ static_cast<std::uint64_t>(a)) * 0x100000001b3ULL;
  return h;
}

PolicyTruth TruthEvaluator::compute(const Policy& policy) const {
  PolicyTruth truth;
  truth.mass =
      visitation({mdp_->kernel(), mdp_->reward(), mdp_->gamma()}, mdp_->rho(), policy, method_)
          .mass;
  truth.value = truth.mass.dot(policy.average(mdp_->reward())) / (1 - mdp_->gamma());
  return truth;
}

const PolicyTruth& TruthEvaluator::at(const Policy& policy) {
  if (!policy.is_deterministic()) return last_ = compute(policy);
  const auto found = seen_.find(policy.choice());
  if (found != seen_.end()) return found->second;
  if (seen_.size() >= kRemembered) seen_.clear();
  return seen_.emplace(policy.choice(), compute(policy)).first->second;
}

Vector TruthEvaluator::next_mass(const Vector& mass) const {
  const Kernel& P = mdp_->kernel();
  const Vector pairs = Policy::uniform(P.states(), P.actions()).joint(mass);
  return P.mu().times(P.phi().transpose_times(pairs)).cwiseProduct(P.nu());
}

}  // namespace speder
