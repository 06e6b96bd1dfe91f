#include "speder/experiments/learn/problem.hpp"

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/families/own_class.hpp"

namespace speder {
namespace {

void check_shape(const FeatureClass& F, const Kernel& truth) {
  if (F.states() != truth.states() || F.actions() != truth.actions()) {
    throw InputError(fmt::format("the class is for |S|={}, |A|={}, the MDP has |S|={}, |A|={}",
                                 F.states(), F.actions(), truth.states(), truth.actions()));
  }
  if (F.nu() != truth.nu()) throw InputError("the class and the MDP have different base measures");
}

}  // namespace

LearnProblem make_problem(std::shared_ptr<const TabularMdp> mdp, const ClassSpec& spec,
                          const SeedTree& seeds) {
  if (spec.kind == "own") {
    LearnProblem problem{mdp, own_class(*mdp, spec, seeds)};
    check_problem(problem);
    return problem;
  }
  CandidateClass model_class = make_class(mdp->kernel(), spec, seeds);
  return {std::move(mdp), std::move(model_class)};
}

LearnProblem stored_problem(std::shared_ptr<const TabularMdp> mdp, StoredClass stored,
                            const Vector& weights) {
  check_shape(stored.candidates, mdp->kernel());
  CandidateClass model_class =
      measured_class(std::move(stored.candidates), stored.truth, mdp->kernel(), weights);
  LearnProblem problem{std::move(mdp), std::move(model_class)};
  check_problem(problem);
  return problem;
}

void check_problem(const LearnProblem& problem) {
  const Kernel& truth = problem.mdp->kernel();
  const FeatureClass& F = problem.model_class.candidates;
  check_shape(F, truth);
  if (!problem.model_class.truth) return;  // misspecified, and says so
  const Matrix Phi = F.phi(*problem.model_class.truth);
  const Matrix Mu = F.mu(*problem.model_class.truth);
  for (Index x = 0; x < truth.pairs(); ++x) {
    const Vector row = (Mu * Phi.row(x).transpose()).cwiseProduct(F.nu());
    const double off = (row - truth.dense_row(x)).cwiseAbs().maxCoeff();
    if (off > tol::kSimplex) {
      throw InputError(
          fmt::format("the class does not hold P*: candidate {} differs by {} at pair {}; plant "
                      "the class around "
                      "this MDP, or use a misspecified class",
                      *problem.model_class.truth, off, x));
    }
  }
}

}  // namespace speder
