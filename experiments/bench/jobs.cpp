#include "speder/experiments/bench/jobs.hpp"

#include <fmt/format.h>

#include <memory>

#include "speder/experiments/bench/measure.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "speder/mdp/sampling/simulator.hpp"

namespace speder::bench {
namespace {

constexpr double kResidual = 1e-8;
constexpr double kMiB = 1024.0 * 1024.0;

PlanProblem problem_of(const TabularMdp& mdp) { return {mdp.kernel(), mdp.reward(), mdp.gamma()}; }

double solve_seconds(const TabularMdp& mdp, PlanMethod method, int repeats) {
  return median_seconds(repeats, [&] {
    const PlanResult result = plan(problem_of(mdp), {.method = method, .residual = kResidual});
    if (result.termination != Termination::kConverged) {
      throw std::runtime_error("benchmark solve did not converge");
    }
  });
}

Figure against_dense(const std::string& job, const TabularMdp& mdp, double must) {
  constexpr int kRepeats = 21;
  const double ours = solve_seconds(mdp, PlanMethod::kAuto, kRepeats);
  const double dense = solve_seconds(mdp, PlanMethod::kDense, 1);
  return {.job = job,
          .measured = fmt::format("{:.3g} s, dense policy iteration {:.3g} s", ours, dense),
          .value = dense / ours,
          .must = must};
}

std::vector<Figure> factored() {
  const TabularMdp mdp = generate(
      {.family = "simplex", .states = 2000, .actions = 20, .rank = 8, .gamma = 0.99, .seed = 1});
  const double memory = static_cast<double>(peak_growth(
                            [&] { (void)plan(problem_of(mdp), {.residual = kResidual}); })) /
                        kMiB;
  return {{.job = "solver's own peak memory",
           .measured = fmt::format("{:.2f} MiB", memory),
           .value = memory,
           .must = 16,
           .at_least = false},
          against_dense("simplex S=2000 A=20 d=8", mdp, 100)};
}

std::vector<Figure> lock() {
  const TabularMdp mdp = generate(
      {.family = "lock", .states = 1000, .actions = 10, .rank = 500, .gamma = 0.99, .seed = 1});
  return {against_dense("lock S=1000 A=10 d=500", mdp, 50)};
}

std::vector<Figure> garnet() {
  const TabularMdp mdp =
      generate({.family = "garnet", .states = 1000, .actions = 10, .gamma = 0.99, .seed = 1});
  return {against_dense("garnet S=1000 A=10", mdp, 10)};
}

std::vector<Figure> scale() {
  std::vector<Figure> figures;
  double per_state = 0;
  for (const Index S : {10'000, 100'000, 1'000'000}) {
    const TabularMdp mdp = generate(
        {.family = "simplex", .states = S, .actions = 10, .rank = 16, .gamma = 0.99, .seed = 1});
    PlanResult result;
    const double seconds =
        median_seconds(3, [&] { result = plan(problem_of(mdp), {.residual = kResidual}); });
    const double sweep = seconds / result.iterations;
    if (per_state == 0) per_state = sweep / static_cast<double>(S);
    // Linear: time per sweep and state stays; beyond the caches memory bandwidth may double it.
    figures.push_back({.job = fmt::format("S={} A=10 d=16: time per sweep and state", S),
                       .measured = fmt::format("{:.3g} s in {} sweeps", seconds, result.iterations),
                       .value = sweep / static_cast<double>(S) / per_state,
                       .must = 3,
                       .at_least = false});
  }
  const double memory = static_cast<double>(peak_memory()) / kMiB;
  figures.push_back({.job = "S=1000000 in all",
                     .measured = fmt::format("{:.0f} MiB peak", memory),
                     .value = memory,
                     .must = 4096,
                     .at_least = false});
  return figures;
}

// Millions of draws of s' per second at uniformly drawn (s,a).
double draw_rate(Index states, Index actions) {
  const auto mdp = std::make_shared<const TabularMdp>(generate({.family = "simplex",
                                                                .states = states,
                                                                .actions = actions,
                                                                .rank = 8,
                                                                .gamma = 0.99,
                                                                .seed = 1}));
  const Simulator simulator(mdp);
  Rng rng = SeedTree(1).stream("bench-draws");
  constexpr Index kDraws = 20'000'000;
  Index total = 0;
  StateId s = simulator.reset(rng);
  const double seconds = median_seconds(3, [&] {
    for (Index i = 0; i < kDraws; ++i) {
      s = simulator.step(s, action(i % actions), rng).next;
      total += index(s);
    }
  });
  if (total < 0) throw std::runtime_error("unreachable: keeps the draws alive");
  return static_cast<double>(kDraws) / seconds / 1e6;
}

std::vector<Figure> sampling() {
  std::vector<Figure> figures;
  for (const auto& [S, A, must] :
       {std::tuple<Index, Index, double>{1000, 10, 40}, {2000, 20, 26}}) {
    const double rate = draw_rate(S, A);
    figures.push_back({.job = fmt::format("draws of s', simplex S={} A={} d=8", S, A),
                       .measured = fmt::format("{:.1f} million/s", rate),
                       .value = rate,
                       .must = must});
  }
  return figures;
}

}  // namespace

const std::vector<Job>& jobs() {
  static const std::vector<Job> table = {
      {"scale", "factored solve at S = 1e4, 1e5, 1e6", scale},
      {"factored", "factored against dense policy iteration", factored},
      {"lock", "sparse against dense policy iteration on a long lock", lock},
      {"garnet", "sparse against dense policy iteration on a random sparse MDP", garnet},
      {"sampling", "draws of the next state", sampling},
  };
  return table;
}

}  // namespace speder::bench
