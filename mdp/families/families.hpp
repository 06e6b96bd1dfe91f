#pragma once

#include <string_view>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/mdp/families/instance.hpp"

namespace speder {

struct KnobInfo {
  std::string_view name;
  double fallback;  // taken when the knob is not given
  double low;       // allowed range, both ends included
  double high;
  std::string_view meaning;
};

struct Family {
  std::string_view name;
  std::string_view description;
  std::string_view sizes;  // which states, actions and rank are allowed
  Index states;            // taken when not given; 0: the family derives it
  Index actions;
  Index rank;
  std::vector<KnobInfo> knobs;
  TabularMdp (*make)(const InstanceSpec&, const SeedTree&);
};

/// Every family, in the order of the documentation. --help and docs/mdp-files.md are made from it.
[[nodiscard]] const std::vector<Family>& families();

/// The family of that name, or an InputError listing the names.
[[nodiscard]] const Family& family(std::string_view name);

/// The spec with default sizes and knobs filled in. InputError for an unknown or out-of-range knob
/// (listing the family's knobs), or γ outside (0,1).
[[nodiscard]] InstanceSpec resolve(InstanceSpec spec);

/// The MDP of a spec: a function of (spec, seeds) alone, whatever the platform or thread count.
[[nodiscard]] TabularMdp generate(const InstanceSpec& spec, const SeedTree& seeds);
[[nodiscard]] TabularMdp generate(const InstanceSpec& spec);  // seeds from spec.seed

}  // namespace speder
