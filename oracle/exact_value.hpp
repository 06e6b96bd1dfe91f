#pragma once

#include "speder/mdp/model/policy.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"
#include "speder/mdp/planners/planning.hpp"

namespace speder {

/// V^π and Q^π of the truth, with the residual of the linear system.
[[nodiscard]] Evaluation exact_value(const TabularMdp& mdp, const Policy& policy);
/// A mixture's member is drawn once per episode: V and Q are the weighted means of the members'.
[[nodiscard]] Evaluation exact_value(const TabularMdp& mdp, const MixturePolicy& mixture);
/// J(π) = E_{s~ρ} V^π(s).
[[nodiscard]] double exact_return(const TabularMdp& mdp, const Policy& policy);
[[nodiscard]] double exact_return(const TabularMdp& mdp, const MixturePolicy& mixture);
/// V*, Q*, π* of the truth.
[[nodiscard]] PlanResult exact_optimum(const TabularMdp& mdp, const PlanOptions& options = {});

}  // namespace speder
