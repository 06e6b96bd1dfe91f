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
  const Index S = derived_size(spec, "states", spec.states, shape.states());
  require_table_size(spec, S * shape.actions, 2);
  const LeafMember truth = draw_leaf(shape, seeds);
  Vector theta = Vector::Zero(shape.rank());
  theta[shape.paid()] = 1;
  SparseMatrix emission = leaf_emission(shape, truth);
  Vector rho = Vector(emission.col(LeafShape::kRoot));
  return assemble_latent(spec,
                         {.phi = leaf_phi(shape, truth),
                          .mu = std::move(emission),
                          .theta = std::move(theta),
                          .rho = std::move(rho),
                          .reward = {}},
                         seeds);
}

}  // namespace speder
