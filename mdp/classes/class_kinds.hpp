#pragma once

#include <optional>

#include "speder/mdp/classes/candidate_direction.hpp"
#include "speder/mdp/classes/realizable_class.hpp"

namespace speder {

/// Everything the makers of planted_class share.
struct PlantedJob {
  const Kernel& kernel;
  const PlantedClassSpec& spec;
  PlantedTruth truth;
  ClassShape shape;
  SeedTree seeds;
  double base = 0;
};

/// Double or single precision, as the spec and the memory limit say.
[[nodiscard]] FeatureClassBuilder make_builder(const PlantedJob& job);
/// Candidates at base·2⁻ʲ in turn; P* at index `truth`, if any.
[[nodiscard]] PlantedClass ladder(const PlantedJob& job, std::optional<Index> truth);
[[nodiscard]] PlantedClass packing(const PlantedJob& job);
[[nodiscard]] PlantedClass product_ladder(const PlantedJob& job);

}  // namespace speder
