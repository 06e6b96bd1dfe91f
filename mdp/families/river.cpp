// river: RiverSwim (Strehl & Littman 2008). Action 0 swims left and always succeeds; action 1 swims
// right: inner states move right with probability `right`, are carried left with `left`, stay
// otherwise; the left bank is left with probability `end`, the right bank is kept with `end` (else
// one state back). r(0, left) = `small`, r(S−1, right) = 1, all else 0; the start is state 0.
// The same row e_0 earns two rewards, so r is not linear in P's rows: tabular_blueprint.
#include <algorithm>

#include "speder/core/check.hpp"
#include "speder/mdp/families/generators.hpp"
#include "speder/mdp/families/tabular.hpp"

namespace speder {

TabularMdp make_river(const InstanceSpec& spec, const SeedTree&) {
  const Index S = size_in_range(spec, "states", spec.states, 3, kAnySize / 2);
  const Index A = derived_size(spec, "the number of actions", spec.actions, 2);
  (void)derived_size(spec, "rank (= states + 1)", spec.rank, S + 1);
  const double right = spec.knob("right");
  const double left = spec.knob("left");
  const double end = spec.knob("end");
  if (right + left > 1) {
    throw InputError(fmt::format("family river: knobs right + left must be at most 1, got {} + {}",
                                 right, left));
  }
  SparseMatrix P(S * A, S);
  P.reserve(Eigen::VectorXi::Constant(S * A, 3));
  for (Index s = 0; s < S; ++s) {
    P.insert(pair_index(s, 0, A), std::max<Index>(s - 1, 0)) = 1;
    const Index swim = pair_index(s, 1, A);
    if (s == 0) {
      P.insert(swim, 0) = 1 - end;
      P.insert(swim, 1) = end;
    } else if (s == S - 1) {
      P.insert(swim, s - 1) = 1 - end;
      P.insert(swim, s) = end;
    } else {
      P.insert(swim, s - 1) = left;
      P.insert(swim, s) = std::max(0.0, 1 - right - left);
      P.insert(swim, s + 1) = right;
    }
  }
  Vector reward = Vector::Zero(S * A);
  reward[pair_index(0, 0, A)] = spec.knob("small");
  reward[pair_index(S - 1, 1, A)] = 1;
  return assemble(spec, tabular_blueprint(P, std::move(reward), Vector::Unit(S, 0)));
}

}  // namespace speder
