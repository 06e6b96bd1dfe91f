#include "speder/experiments/rates/experiment.hpp"

#include <cmath>

namespace speder {
namespace {

struct PlantedConfig {
  std::vector<double> x = {1, 2, 4, 8, 16, 32, 64, 128};
  double exponent = 0.5;
  int draws = 100;
};

std::vector<Measure> run(const PlantedConfig& config, const RunContext& context) {
  Rng rng = context.seeds.child(context.cell.key()).stream("noise");
  double total = 0;
  for (int i = 0; i < config.draws; ++i) total += rng.exponential();
  const double scale = std::pow(context.cell.number("x"), config.exponent);
  return {{"value", 0, scale * total / config.draws}, {"theory", 0, scale}};
}

}  // namespace

SweepPlan plan_planted(const ConfigTable& table) {
  constexpr double kLeastX = 1e-6, kLargestX = 1e12, kSteepest = 8;
  PlantedConfig config;
  Settings settings(table);
  settings.read("x", config.x, {kLeastX, kLargestX});
  settings.read("exponent", config.exponent, {-kSteepest, kSteepest});
  settings.read("draws", config.draws);
  SweepPlan plan;
  for (const double x : config.x) plan.cells.push_back(GridCell().set("x", x));
  plan.config = settings.text();
  plan.run = [config](const RunContext& context) { return run(config, context); };
  return plan;
}

}  // namespace speder
