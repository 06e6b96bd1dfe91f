// Uses an installed speder: a chain whose optimal value is known in closed form, solved, written
// to a file and read back.
#include <cmath>
#include <cstdio>

#include "speder/core/tolerance.hpp"
#include "speder/learning/bonus.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/file/mdp_file.hpp"
#include "speder/oracle/exact.hpp"

int main(int, char** argv) {
  constexpr double gamma = 0.9;
  constexpr double eps = 0.1;
  const speder::TabularMdp made = speder::generate(
      {.family = "two-state", .actions = 3, .gamma = gamma, .knobs = {{"eps", eps}}});
  speder::save_mdp(argv[1], made);
  const speder::TabularMdp mdp = speder::load_mdp(argv[1]);
  // A wrong action reaches the good state with p = 1 − γ: V = p / ((1−γ)(1 − γ(γ−p))); the best
  // action is worth eps more (mdp/families/two_state.cpp).
  const double p = 1 - gamma;
  const double expected = p / ((1 - gamma) * (1 - gamma * (gamma - p))) + eps;
  const double value = mdp.rho().dot(speder::exact_optimum(mdp).value);
  std::printf("J* = %.12g, expected %.12g\n", value, expected);
  const bool same = std::abs(value - expected) <= speder::tol::kAgreement / (1 - gamma);
  return same && speder::BonusConstants{}.alpha > 0 ? 0 : 1;
}
