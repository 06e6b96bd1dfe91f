// First steps with an installed speder, as docs/python.md takes them in Python: an MDP of a family, written to a file
// and read back, solved with a certificate, a policy evaluated exactly, the spectrum of P. The optimal value of this
// family is known in closed form and must be met.
#include <cmath>
#include <cstdio>

#include "speder/core/tolerance.hpp"
#include "speder/learning/bonus.hpp"
#include "speder/mdp/conditions/conditions.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/file/mdp_file.hpp"
#include "speder/mdp/planners/certificate.hpp"
#include "speder/oracle/exact.hpp"
#include "speder/oracle/kernel_svd.hpp"

int main(int argc, char** argv) {
  const char* file = argc > 1 ? argv[1] : "two-state.h5";
  constexpr double gamma = 0.9;
  constexpr double eps = 0.1;
  speder::save_mdp(
      file, speder::generate(
                {.family = "two-state", .actions = 3, .gamma = gamma, .knobs = {{"eps", eps}}}));
  const speder::TabularMdp mdp = speder::load_mdp(file);

  const speder::PlanResult best = speder::exact_optimum(mdp);
  const double error =
      speder::certified_error({mdp.kernel(), mdp.reward(), mdp.gamma()}, best.value);
  const double value = mdp.rho().dot(best.value);
  std::printf("J*       %.12g, |V - V*| <= %.1e\n", value, error);

  const speder::Policy uniform = speder::Policy::uniform(mdp.states(), mdp.actions());
  const double gap = value - speder::exact_return(mdp, uniform);
  std::printf("uniform  gap %.12g, mass of state 0 %.6g\n", gap,
              speder::exact_occupancy(mdp, uniform).state_mass[0]);

  const speder::Vector weights =
      speder::Vector::Constant(mdp.pairs(), 1.0 / static_cast<double>(mdp.pairs()));
  const speder::KernelSvd svd = speder::kernel_svd(mdp.kernel(), weights);
  std::printf("rank     %td, largest singular value %.6g\n", svd.rank, svd.singular_values[0]);
  for (const speder::Condition& c : speder::conditions(mdp))
    std::printf("  %-28s %12.6g  %s\n", c.name.c_str(), c.value,
                std::string(speder::to_string(c.holds)).c_str());

  // A wrong action reaches the good state with p = 1 − γ: V = p / ((1−γ)(1 − γ(γ−p))); the best
  // action is worth eps more (mdp/families/two_state.cpp).
  const double p = 1 - gamma;
  const double expected = p / ((1 - gamma) * (1 - gamma * (gamma - p))) + eps;
  const bool same = std::abs(value - expected) <= speder::tol::kAgreement / (1 - gamma);
  return same && gap > 0 && speder::BonusConstants{}.alpha > 0 ? 0 : 1;
}
