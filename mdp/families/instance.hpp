#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "speder/core/types.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"

namespace speder {

inline constexpr Index kAnySize = std::numeric_limits<std::int32_t>::max();  // |S|, |A|, |S||A|

/// What to make. A size of 0 means the family's own.
struct InstanceSpec {
  std::string family;
  Index states = 0;
  Index actions = 0;
  Index rank = 0;
  double gamma = 0.99;
  std::uint64_t seed = 1;
  std::map<std::string, double> knobs = {};  // absent ones take the family's default
  std::string path = {};                     // family "file" only

  [[nodiscard]] double knob(const std::string& name) const { return knobs.at(name); }
};

/// A generator's product under the counting measure ν = 1; assemble() moves it to ν = v/|S|.
struct Blueprint {
  Factor phi;     // (SA × d)
  Factor mu;      // (S × d)
  Vector theta;   // (d)
  Vector rho;     // (S)
  Vector reward;  // (SA), or empty for ⟨φ, θ_r⟩
};

/// The MDP of a blueprint with ν = volume/|S| (knob `volume`; 0: counting measure). Rescaling ν by
/// c rescales μ by 1/c and changes nothing else.
[[nodiscard]] TabularMdp assemble(const InstanceSpec& spec, Blueprint blueprint);

/// `given` when it is allowed, otherwise an InputError that says what is.
[[nodiscard]] Index size_in_range(const InstanceSpec& spec, std::string_view what, Index given,
                                  Index low, Index high);
/// A size the family derives itself: `given` must be 0 (not said) or agree.
[[nodiscard]] Index derived_size(const InstanceSpec& spec, std::string_view what, Index given,
                                 Index value);
/// A knob that must be a whole number.
[[nodiscard]] Index whole_knob(const InstanceSpec& spec, const std::string& name);
/// Refuses dense tables beyond what a file may hold, before anything is allocated.
void require_table_size(const InstanceSpec& spec, Index rows, Index columns);

[[nodiscard]] Vector uniform_distribution(Index n);

}  // namespace speder
