#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "speder/deep/sim/env/env.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"
#include "speder/mdp/sampling/simulator.hpp"

namespace speder::deep {

/// An exact MDP as a task: the only place where the deep column meets `mdp`. The agent sees rows of
/// `observations` and rewards; φ*, μ* and P stay here.
struct ExactMdp {
  std::string name;
  std::shared_ptr<const TabularMdp> mdp;
  Simulator simulator;
  Matrix observations;  // (S × n)  one row a state: unit vectors, or fixed Gaussian numbers
};

/// True for "mdp:FILE" (states seen as unit vectors) and "mdp<n>:FILE" (as n Gaussian numbers each, the
/// same in every run).
[[nodiscard]] bool is_exact(std::string_view task);
/// Episodes start from ρ and last kHorizons/(1 − γ) steps; the discount is the MDP's. Throws InputError
/// when the file cannot be read.
[[nodiscard]] std::shared_ptr<const Physics> exact_physics(std::string_view task);
/// The same for an MDP in memory; `size` 0: unit vectors.
[[nodiscard]] std::shared_ptr<const Physics> exact_physics(std::string name,
                                                           std::shared_ptr<const TabularMdp> mdp,
                                                           Index size);
inline constexpr double kHorizons = 5;  // the discounted weight beyond them is e⁻⁵

}  // namespace speder::deep
