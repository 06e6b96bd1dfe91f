#include "speder/oracle/representation_gap.hpp"

#include <algorithm>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "speder/oracle/kernel_svd.hpp"
#include "speder/oracle/linear_fit.hpp"
#include "speder/oracle/representations.hpp"

namespace speder {
namespace {

struct Targets {
  Vector q;              // (SA)
  Vector v;              // (S)
  Vector state_weights;  // (S)  of the fit of v: sum of the pair weights
};

Targets targets_of(const RepresentationGapRequest& request, bool subtract_reward) {
  const TabularMdp& mdp = request.mdp;
  const Evaluation e = evaluate({mdp.kernel(), mdp.reward(), mdp.gamma()}, request.target);
  Targets t{e.q, e.value, Vector(mdp.states())};
  if (subtract_reward) {
    t.q -= mdp.reward();
    t.v -= request.target.average(mdp.reward());
  }
  for (Index s = 0; s < mdp.states(); ++s)
    t.state_weights[s] = request.pair_weights.segment(s * mdp.actions(), mdp.actions()).sum();
  return t;
}

// Is r = E_P[g] for some g? Asked of every triplet, whatever the dimension of the comparison.
bool reward_in_range(const RepresentationGapRequest& request, const Matrix& all_left) {
  const LinearFit fit = best_linear_fit(request.mdp.reward(), all_left, request.pair_weights);
  return fit.relative_l2 <= tol::kAgreement;
}

// The basis beside a column of ones.
Matrix with_constant(const Matrix& basis) {
  Matrix out(basis.rows(), basis.cols() + 1);
  out << basis, Vector::Ones(basis.rows());
  return out;
}

RepresentationGap gap_of_kernel_svd(const RepresentationGapRequest& request, const Matrix& f,
                                    const Targets& t) {
  Matrix averaged(request.mdp.states(), f.cols());  // E_{π'} f(s,·)
  for (Index i = 0; i < f.cols(); ++i) averaged.col(i) = request.target.average(f.col(i));
  const double q = best_linear_fit(t.q, with_constant(f), request.pair_weights).unexplained;
  const double v = best_linear_fit(t.v, with_constant(averaged), t.state_weights).unexplained;
  return {"SVD of P(s'|s,a)", f.cols(), q, q, v};
}

RepresentationGap gap_of_state_features(StateRepresentation kind,
                                        const RepresentationGapRequest& request, const Targets& t) {
  const Matrix psi = state_representation(kind, request.mdp, request.behaviour,
                                          request.state_weights, request.dimension);
  const Index few = std::max<Index>(1, request.dimension / request.mdp.actions());
  const Matrix head = psi.leftCols(std::min(few, psi.cols()));
  return {std::string(to_string(kind)), psi.cols(),
          best_lifted_fit(t.q, with_constant(head), request.pair_weights).unexplained,
          best_lifted_fit(t.q, with_constant(psi), request.pair_weights).unexplained,
          best_linear_fit(t.v, with_constant(psi), t.state_weights).unexplained};
}

}  // namespace

RepresentationGaps representation_gaps(const RepresentationGapRequest& request) {
  require(request.dimension >= 1, "representation gaps: dimension ≥ 1", request.dimension);
  const Kernel& kernel = request.mdp.kernel();
  const Index all = std::max(request.dimension, std::min(kernel.rank(), kernel.states()));
  const Matrix f = left_functions(kernel, kernel_svd(kernel, request.pair_weights, {.top = all}));
  RepresentationGaps out;
  out.reward_subtracted = !reward_in_range(request, f);
  const Targets t = targets_of(request, out.reward_subtracted);
  out.rows.push_back(
      gap_of_kernel_svd(request, f.leftCols(std::min(f.cols(), request.dimension)), t));
  for (const auto kind : kStateRepresentations)
    out.rows.push_back(gap_of_state_features(kind, request, t));
  return out;
}

}  // namespace speder
