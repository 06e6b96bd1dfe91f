// leaves: a tree of moves whose leaves are bandits with one better arm among all of them: the hard
// instances of lower bounds (mdp/classes/leaf_class.hpp has the process and its sources). r = ⟨φ, e_paid⟩:
// the prize pays whatever is done there. ρ = the root's emission.
#include "speder/mdp/classes/leaf_class.hpp"

#include "speder/mdp/families/generators.hpp"
#include "speder/mdp/families/latent.hpp"
#include "speder/mdp/families/own_class.hpp"

namespace speder {

LeafShape leaves_shape(const InstanceSpec& spec) {
  const Index d = size_in_range(spec, "rank", spec.rank, 6, kAnySize / 64);
  Index depth = 1;
  while (2 * (Index{1} << depth) + 2 < d) ++depth;
  LeafShape shape{.depth = depth,
                  .actions = spec.actions,
                  .copies = whole_knob(spec, "copies"),
                  .lead = spec.knob("lead")};
  if (shape.rank() != d) shape.depth = 0;  // refused below
  require_valid(shape);
  return shape;
}

TabularMdp make_leaves(const InstanceSpec& spec, const SeedTree& seeds) {
  const LeafShape shape = leaves_shape(spec);
  require_observations(spec, shape.states());
  const LeafMember truth = draw_leaf(shape, seeds);
  Vector theta = Vector::Zero(shape.rank());
  theta[shape.paid()] = 1;
  return emit_latent(
      spec,
      {leaf_phi(shape, truth), leaf_emission(shape, truth), std::move(theta), LeafShape::kRoot},
      seeds);
}

}  // namespace speder
