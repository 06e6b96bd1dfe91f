// coin: |mean of n fair coins − ½|. Mutation: one coin thrown once, counted n times.
#include "speder/experiments/rates/experiment.hpp"

#include <cmath>

namespace speder {
namespace {

std::vector<Measure> run_coin(const RunContext& context) {
  const int n = static_cast<int>(context.cell.number("n"));
  const bool stuck = context.cell.text("variant") == "stuck";
  Rng rng = context.seeds.child(context.cell.key()).stream("coins");
  const double first = rng.bernoulli(0.5) ? 1 : 0;
  double heads = first;
  for (int i = 1; i < n; ++i) heads += stuck ? first : (rng.bernoulli(0.5) ? 1 : 0);
  return {{"error", n, std::abs(heads / n - 0.5)}};
}

}  // namespace

SweepPlan plan_coin(const ConfigTable& table) {
  std::vector<int> sizes = {16, 64};
  Settings settings(table);
  settings.read("n", sizes);
  SweepPlan plan;
  for (const char* variant : {"fair", "stuck"}) {
    for (const int n : sizes) plan.cells.push_back(GridCell().set("n", n).set("variant", variant));
  }
  plan.config = settings.text();
  plan.run = run_coin;
  return plan;
}

}  // namespace speder
