// file: the user's own MDP (docs/mdp-files.md). Sizes, rank and discount are the file's.
#include "speder/core/check.hpp"
#include "speder/mdp/families/generators.hpp"
#include "speder/mdp/file/mdp_file.hpp"

namespace speder {

TabularMdp make_file(const InstanceSpec& spec, const SeedTree&) {
  if (spec.path.empty()) throw InputError("family file needs the path of an MDP file");
  TabularMdp mdp = load_mdp(spec.path);
  (void)derived_size(spec, "the number of states", spec.states, mdp.states());
  (void)derived_size(spec, "the number of actions", spec.actions, mdp.actions());
  (void)derived_size(spec, "rank", spec.rank, mdp.rank());
  return mdp;
}

}  // namespace speder
