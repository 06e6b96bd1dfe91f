#pragma once

#include <memory>

#include "core/rng.hpp"
#include "mdp/generate/planted_class.hpp"
#include "mdp/model/tabular_mdp.hpp"

namespace speder {

/// A true MDP and the class the learner is given.
struct LearnProblem {
  std::shared_ptr<const TabularMdp> mdp;
  PlantedClass planted;
};

/// Plants the class of the spec around the MDP's kernel.
[[nodiscard]] LearnProblem make_problem(std::shared_ptr<const TabularMdp> mdp,
                                        const PlantedClassSpec& spec, const SeedTree& seeds);

/// Throws InputError unless the class is for this MDP and, where it claims to hold P*, holds it
/// (largest difference of an entry at most tol::kSimplex).
void check_problem(const LearnProblem& problem);

}  // namespace speder
