// needle: doors that must be entered on purpose, one winning action behind every second one, seen
// through overlapping emissions (mdp/classes/needle_class.hpp has the process). d and |A| move alone:
// depth, gaps and values are the same for all of them. r = ⟨φ, e_paid⟩: the prize pays whatever is
// done there, so the known reward does not tell where the needles are.
#include "speder/mdp/classes/needle_class.hpp"

#include "speder/mdp/families/generators.hpp"
#include "speder/mdp/families/latent.hpp"

namespace speder {

TabularMdp make_needle(const InstanceSpec& spec, const SeedTree& seeds) {
  const Index d = size_in_range(spec, "rank", spec.rank, 8, kAnySize / 64);
  const NeedleShape shape{.doors = d % 2 == 0 ? d / 2 - 2 : 1,  // an odd rank is refused below
                          .actions = spec.actions,
                          .copies = whole_knob(spec, "copies"),
                          .gamma = spec.gamma,
                          .overlap = spec.knob("overlap"),
                          .lead = spec.knob("lead"),
                          .one_key = whole_knob(spec, "one_key") == 1};
  require_valid(shape);
  require_observations(spec, shape.states());
  const NeedleMember truth = draw_needles(shape, seeds);
  Vector theta = Vector::Zero(d);
  theta[NeedleShape::kPaid] = 1;
  return emit_latent(spec,
                     {needle_phi(shape, truth), needle_emission(shape, truth), std::move(theta),
                      NeedleShape::kLobby},
                     seeds);
}

}  // namespace speder
