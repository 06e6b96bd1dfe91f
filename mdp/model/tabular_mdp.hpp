#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

#include "speder/core/types.hpp"
#include "speder/mdp/model/kernel.hpp"

namespace speder {

using Knob = std::variant<double, std::string>;

/// The rewards as they were given: offset + scale · r(s,a).
struct RewardUnits {
  double scale = 1;
  double offset = 0;
  friend bool operator==(const RewardUnits&, const RewardUnits&) = default;
};

/// Where an MDP came from: enough to make it again.
struct Provenance {
  std::string family = "file";
  std::uint64_t seed = 0;
  std::map<std::string, Knob> knobs;
  RewardUnits reward_units = {};
};

struct Rewards {
  Vector table;  // (SA)  r(s,a) in [0,1]
  Vector theta;  // (d)   r = ⟨φ, θ_r⟩; empty when the reward is not linear in φ
};

/// (S, A, P, r, ρ, γ) with its factorisation and base measure. Immutable. Throws
/// std::invalid_argument unless r ∈ [0,1], r = ⟨φ, θ_r⟩ (when θ_r is given), ρ is a distribution
/// and γ ∈ (0,1).                                                        [sec:prelim]
class TabularMdp {
 public:
  TabularMdp(Kernel kernel, Rewards rewards, Vector rho, double gamma, Provenance provenance = {});

  [[nodiscard]] Index states() const { return kernel_.states(); }
  [[nodiscard]] Index actions() const { return kernel_.actions(); }
  [[nodiscard]] Index pairs() const { return kernel_.pairs(); }
  [[nodiscard]] Index rank() const { return kernel_.rank(); }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const Vector& reward() const { return rewards_.table; }  // (SA)
  [[nodiscard]] const Vector& theta() const { return rewards_.theta; }   // (d) or empty
  [[nodiscard]] const Vector& rho() const { return rho_; }               // (S) probabilities
  [[nodiscard]] double gamma() const { return gamma_; }
  [[nodiscard]] const Provenance& provenance() const { return provenance_; }

 private:
  Kernel kernel_;
  Rewards rewards_;
  Vector rho_;
  double gamma_;
  Provenance provenance_;
};

}  // namespace speder
