#pragma once

#include "speder/mdp/classes/candidate_class.hpp"
#include "speder/mdp/classes/chain_class.hpp"
#include "speder/mdp/classes/leaf_class.hpp"
#include "speder/mdp/classes/lock_class.hpp"
#include "speder/mdp/families/instance.hpp"

namespace speder {

/// Whether a family has a class of its own.
[[nodiscard]] bool has_own_class(std::string_view family);
/// The class kind `own`: members of the MDP's family that differ in what the code is (comblock) or which
/// arm is better (leaves, chain), and in who emits what. Throws InputError for a family that has none, and unless the MDP is one that the
/// family made.
[[nodiscard]] CandidateClass own_class(const TabularMdp& mdp, const ClassSpec& spec,
                                       const SeedTree& seeds);

/// The shape of a comblock of these sizes and knobs; InputError when there is none.
[[nodiscard]] LockShape comblock_shape(const InstanceSpec& spec);
[[nodiscard]] LeafShape leaves_shape(const InstanceSpec& spec);
[[nodiscard]] ChainShape chain_shape(const InstanceSpec& spec);

}  // namespace speder
