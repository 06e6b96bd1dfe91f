#pragma once

#include "speder/core/rng.hpp"
#include "speder/mdp/families/instance.hpp"

namespace speder {

// One generator per family, each in the file of its name. They expect a resolved spec (every knob
// present, sizes not yet checked against each other); generate() in families.hpp is the entrance.
[[nodiscard]] TabularMdp make_simplex(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp make_signed(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp make_block(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp make_lock(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp make_canonical(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp make_garnet(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp make_river(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp make_deepsea(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp make_two_state(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp make_continuous(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp make_latent(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp make_needle(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp make_comblock(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp make_leaves(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp make_chain_family(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp make_file(const InstanceSpec& spec, const SeedTree& seeds);

}  // namespace speder
