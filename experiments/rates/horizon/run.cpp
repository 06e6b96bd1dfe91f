#include "speder/experiments/rates/experiment.hpp"

#include <algorithm>
#include <cmath>

#include "speder/learning/dataset.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "speder/stats/statistics.hpp"

namespace speder {
namespace {

struct HorizonConfig {
  std::vector<int> horizon = {2, 5, 10, 20, 50, 100};  // 1/(1−γ)
  int episodes = 1000;
  int states = 20;
  int actions = 4;
  int rank = 4;
};

constexpr int kTails = 12;  // Pr(length > j/2 · 1/(1−γ)), j = 1 … kTails
constexpr int kBins = 16;   // of the χ² test of lengths, equally likely as far as integers allow

// Lengths (states visited) against Pr(length > k) = γᵏ.
double length_p_value(const std::vector<Index>& lengths, double gamma) {
  std::vector<Index> edges = {0};  // bin b holds edges[b] < length ≤ edges[b+1]
  for (int b = 1; b < kBins; ++b) {
    const double k = std::log(1 - static_cast<double>(b) / kBins) / std::log(gamma);
    const auto edge = static_cast<Index>(std::ceil(k));
    if (edge > edges.back()) edges.push_back(edge);
  }
  std::vector<std::int64_t> counts(edges.size(), 0);
  for (const Index length : lengths) {
    const auto above = std::ranges::lower_bound(edges, length);
    ++counts[static_cast<std::size_t>(above - edges.begin()) - 1];
  }
  Vector probabilities(static_cast<Index>(edges.size()));
  for (std::size_t b = 0; b < edges.size(); ++b) {
    const double beyond =
        b + 1 < edges.size() ? std::pow(gamma, static_cast<double>(edges[b + 1])) : 0;
    probabilities[static_cast<Index>(b)] = std::pow(gamma, static_cast<double>(edges[b])) - beyond;
  }
  return chi_square_test(counts, probabilities).p_value;
}

void add_tails(std::vector<Measure>& out, const std::vector<Index>& lengths, double horizon) {
  for (int j = 1; j <= kTails; ++j) {
    const double k = std::floor(j * horizon / 2);
    const auto longer = std::ranges::count_if(
        lengths, [&](Index length) { return static_cast<double>(length) > k; });
    const auto n = static_cast<double>(lengths.size());
    out.push_back({"tail", j, static_cast<double>(longer) / n});
    out.push_back({"tail_theory", j, std::pow(1 - 1 / horizon, k)});
  }
}

std::vector<Measure> run(const HorizonConfig& config, const RunContext& context) {
  const double horizon = context.cell.number("horizon");
  const double gamma = 1 - 1 / horizon;
  // The mutation stops with half the probability and is judged as if it did not.
  const bool late = context.cell.text("variant") == "late";
  const SeedTree seeds = context.seeds.child(context.cell.key());
  InstanceSpec spec{.family = "simplex",
                    .states = config.states,
                    .actions = config.actions,
                    .rank = config.rank,
                    .gamma = late ? 1 - 0.5 / horizon : gamma};
  const auto mdp = std::make_shared<const TabularMdp>(generate(spec, context.seeds.child("mdp")));
  const Simulator env(mdp);
  const Policy policy = Policy::uniform(mdp->states(), mdp->actions());
  Rng rng = seeds.stream("rollout");
  std::vector<Index> lengths;
  std::vector<std::int64_t> ends(static_cast<std::size_t>(mdp->states()), 0);
  RunningMean mean;
  for (int e = 0; e < config.episodes; ++e) {
    const OccupancyDraw draw = draw_from_occupancy(env, policy, rng);
    lengths.push_back(draw.steps + 1);
    mean.add(static_cast<double>(lengths.back()));
    ++ends[static_cast<std::size_t>(index(draw.state))];
  }
  const Visitation d =
      visitation({mdp->kernel(), mdp->reward(), gamma}, mdp->rho(), policy, PlanMethod::kDense);
  std::vector<Measure> out = {{"length", config.episodes, mean.mean()},
                              {"length_p", config.episodes, length_p_value(lengths, gamma)},
                              {"state_p", config.episodes, chi_square_test(ends, d.mass).p_value}};
  add_tails(out, lengths, horizon);
  return out;
}

}  // namespace

SweepPlan plan_horizon(const ConfigTable& table) {
  HorizonConfig config;
  constexpr Limits kHorizons{2, 1e6};
  Settings settings(table);
  settings.read("horizon", config.horizon, kHorizons).read("episodes", config.episodes);
  settings.read("states", config.states).read("actions", config.actions);
  settings.read("rank", config.rank);
  SweepPlan plan;
  for (const char* variant : {"stop", "late"}) {
    for (const int h : config.horizon) {
      plan.cells.push_back(GridCell().set("horizon", h).set("variant", variant));
    }
  }
  plan.config = settings.text();
  plan.run = [config](const RunContext& context) { return run(config, context); };
  return plan;
}

}  // namespace speder
