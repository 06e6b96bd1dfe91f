#pragma once

#include <optional>

#include "speder/mdp/classes/candidate_class.hpp"
#include "speder/mdp/classes/candidate_direction.hpp"

namespace speder {

/// Everything the makers of make_class share.
struct ClassJob {
  const Kernel& kernel;
  const ClassSpec& spec;
  KnownKernel truth;
  ClassShape shape;
  SeedTree seeds;
  double base = 0;
};

/// Double or single precision, as the spec and the memory limit say.
[[nodiscard]] FeatureClassBuilder make_builder(const ClassJob& job);
/// Candidates at base·2⁻ʲ in turn; P* at index `truth`, if any.
[[nodiscard]] CandidateClass ladder(const ClassJob& job, std::optional<Index> truth);
[[nodiscard]] CandidateClass packing(const ClassJob& job);
[[nodiscard]] CandidateClass product_ladder(const ClassJob& job);

}  // namespace speder
