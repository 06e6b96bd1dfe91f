#pragma once

#include <memory>

#include "speder/core/rng.hpp"
#include "speder/mdp/classes/candidate_class.hpp"
#include "speder/mdp/file/class_file.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"

namespace speder {

/// A true MDP and the class the learner is given.
struct LearnProblem {
  std::shared_ptr<const TabularMdp> mdp;
  CandidateClass model_class;
};

/// The class that the spec makes around the MDP's kernel.
[[nodiscard]] LearnProblem make_problem(std::shared_ptr<const TabularMdp> mdp,
                                        const ClassSpec& spec, const SeedTree& seeds);

/// A class from a file instead. InputError when it is for another MDP.
[[nodiscard]] LearnProblem stored_problem(std::shared_ptr<const TabularMdp> mdp, StoredClass stored,
                                          const Vector& weights);

/// Throws InputError unless the class is for this MDP and, where it claims to hold P*, holds it
/// (largest difference of an entry at most tol::kSimplex).
void check_problem(const LearnProblem& problem);

}  // namespace speder
