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

// Walker's method as textbooks have it: an index, a uniform number, a comparison.
class PlainAlias {
 public:
  explicit PlainAlias(const Vector& weights)
      : threshold_(weights * (static_cast<double>(weights.size()) / weights.sum())),
        alias_(static_cast<std::size_t>(weights.size())) {
    std::vector<Index> small;
    std::vector<Index> large;
    for (Index i = 0; i < threshold_.size(); ++i) (threshold_[i] < 1 ? small : large).push_back(i);
    while (!small.empty() && !large.empty()) {
      const Index low = small.back();
      small.pop_back();
      const Index high = large.back();
      alias_[static_cast<std::size_t>(low)] = high;
      threshold_[high] -= 1 - threshold_[low];
      if (threshold_[high] >= 1) continue;
      large.pop_back();
      small.push_back(high);
    }
    for (const Index i : small) threshold_[i] = 1;  // short of 1 by rounding alone
    for (const Index i : large) threshold_[i] = 1;
  }
  [[nodiscard]] Index draw(Rng& rng) const {
    const Index i = rng.index(threshold_.size());
    return rng.uniform() < threshold_[i] ? i : alias_[static_cast<std::size_t>(i)];
  }

 private:
  Vector threshold_;
  std::vector<Index> alias_;
};

// One table for each pair, k ~ φ(s,a), and one for each feature, s' ~ μ(·)_k ν.
struct TwoStages {
  explicit TwoStages(const Kernel& kernel) {
    for (Index i = 0; i < kernel.pairs(); ++i) features.emplace_back(kernel.phi().row(i));
    const Matrix mu = kernel.mu().to_dense();
    for (Index k = 0; k < kernel.rank(); ++k)
      states.emplace_back(mu.col(k).cwiseProduct(kernel.nu()));
  }
  [[nodiscard]] Index draw(Index pair, Rng& rng) const {
    const Index k = features[static_cast<std::size_t>(pair)].draw(rng);
    return states[static_cast<std::size_t>(k)].draw(rng);
  }
  std::vector<PlainAlias> features;
  std::vector<PlainAlias> states;
};

// Millions of draws a second along one trajectory; `next` draws s' from (s, a).
template <class Next>
double draw_rate(Index actions, const Next& next) {
  constexpr Index kDraws = 10'000'000;
  Index s = 0;
  Index total = 0;
  const double seconds = median_seconds(3, [&] {
    for (Index i = 0; i < kDraws; ++i) total += s = next(s, i % actions);
  });
  if (total < 0) throw std::runtime_error("unreachable: keeps the draws alive");
  return static_cast<double>(kDraws) / seconds / 1e6;
}

std::vector<Figure> sampling() {
  std::vector<Figure> figures;
  for (const auto& [S, A] : {std::pair<Index, Index>{1000, 10}, {2000, 20}}) {
    const auto mdp = std::make_shared<const TabularMdp>(generate(
        {.family = "simplex", .states = S, .actions = A, .rank = 8, .gamma = 0.99, .seed = 1}));
    const Simulator simulator(mdp);
    const TwoStages stages(mdp->kernel());
    Rng rng = SeedTree(1).stream("bench-draws");
    const double ours = draw_rate(
        A, [&](Index s, Index a) { return index(simulator.step(state(s), action(a), rng).next); });
    const double plain =
        draw_rate(A, [&](Index s, Index a) { return stages.draw(pair_index(s, a, A), rng); });
    figures.push_back(
        {.job = fmt::format("draws of s', simplex S={} A={} d=8", S, A),
         .measured = fmt::format("{:.1f} million/s, plain alias tables {:.1f}", ours, plain),
         .value = ours / plain,
         .must = 1.2});
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
      {"sampling", "draws of the next state against two plain alias tables", sampling},
      {"learner", "an episode of Algorithm 1 against its arithmetic in a matrix product",
       learner_job},
  };
  return table;
}

}  // namespace speder::bench
