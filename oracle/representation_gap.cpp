#include "oracle/representation_gap.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "mdp/model/planning.hpp"
#include "oracle/kernel_svd.hpp"
#include "oracle/linear_fit.hpp"
#include "oracle/representations.hpp"

namespace speder {
namespace {

struct Targets {
  Vector q;              // (SA)
  Vector v;              // (S)
  Vector state_weights;  // (S)  of the fit of v: sum of the pair weights
};

Targets targets_of(const RepresentationGapRequest& request) {
  const TabularMdp& mdp = request.mdp;
  const Evaluation e = evaluate({mdp.kernel(), mdp.reward(), mdp.gamma()}, request.target);
  Targets t{e.q, e.value, Vector(mdp.states())};
  if (mdp.theta().size() == 0) {
    t.q -= mdp.reward();
    t.v -= request.target.average(mdp.reward());
  }
  for (Index s = 0; s < mdp.states(); ++s)
    t.state_weights[s] = request.pair_weights.segment(s * mdp.actions(), mdp.actions()).sum();
  return t;
}

RepresentationGap gap_of_kernel_svd(const RepresentationGapRequest& request, const Targets& t) {
  const KernelSvd svd =
      kernel_svd(request.mdp.kernel(), request.pair_weights, {.top = request.dimension});
  const Matrix f = left_functions(request.mdp.kernel(), svd);
  Matrix averaged(request.mdp.states(), f.cols());  // E_{π'} f(s,·)
  for (Index i = 0; i < f.cols(); ++i) averaged.col(i) = request.target.average(f.col(i));
  const double q = best_linear_fit(t.q, f, request.pair_weights).relative_l2;
  const double v = best_linear_fit(t.v, averaged, t.state_weights).relative_l2;
  return {"SVD of P(s'|s,a)", f.cols(), q, q, v};
}

RepresentationGap gap_of_state_features(StateRepresentation kind,
                                        const RepresentationGapRequest& request, const Targets& t) {
  const Matrix psi = state_representation(kind, request.mdp, request.behaviour,
                                          request.state_weights, request.dimension);
  const Index few = std::max<Index>(1, request.dimension / request.mdp.actions());
  const Matrix head = psi.leftCols(std::min(few, psi.cols()));
  return {std::string(to_string(kind)), psi.cols(),
          best_lifted_fit(t.q, head, request.pair_weights).relative_l2,
          best_lifted_fit(t.q, psi, request.pair_weights).relative_l2,
          best_linear_fit(t.v, psi, t.state_weights).relative_l2};
}

}  // namespace

std::vector<RepresentationGap> representation_gaps(const RepresentationGapRequest& request) {
  require(request.dimension >= 1, "representation gaps: dimension ≥ 1", request.dimension);
  const Targets t = targets_of(request);
  std::vector<RepresentationGap> rows = {gap_of_kernel_svd(request, t)};
  for (const auto kind : kStateRepresentations)
    rows.push_back(gap_of_state_features(kind, request, t));
  return rows;
}

}  // namespace speder
