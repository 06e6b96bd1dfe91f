// Episodes and transitions per second of the learners, exact evaluation of every policy included.
// items_per_second is the number to read.
#include <benchmark/benchmark.h>

#include <ctime>

#include "speder/experiments/learn/algorithms.hpp"
#include "speder/experiments/learn/row.hpp"
#include "speder/learning/representation.hpp"
#include "tests/support/random_mdp.hpp"

namespace speder::learning_bench {
namespace {

const SeedTree kSeeds(1);

LearnProblem make(Index size, const std::string& kind = "multiscale") {
  Rng rng = kSeeds.stream("bench-mdp");
  ClassSpec spec;
  spec.kind = kind;
  spec.size = size;
  return make_problem(std::make_shared<const TabularMdp>(test::random_mdp({50, 5, 4}, 0.9, rng)),
                      spec, kSeeds);
}

void online(benchmark::State& state_, const char* name, const std::string& kind = "multiscale") {
  const LearnProblem problem = make(state_.range(0), kind);
  const Simulator env(problem.mdp);
  const OnlineAlgorithm& algorithm = online_algorithm(name);
  OnlineOptions options;
  options.episodes = state_.range(1);
  for ([[maybe_unused]] auto _ : state_) {
    TruthEvaluator truth(problem.mdp);
    LearnRecorder record(
        truth, algorithm.has_class ? &problem.model_class.candidates : nullptr,
        {geometric_grid(options.episodes), true, Policy::uniform(50, 5), algorithm.follow_plan});
    benchmark::DoNotOptimize(algorithm.run(problem, env, options, kSeeds, std::ref(record)));
  }
  state_.SetItemsProcessed(options.episodes * state_.iterations());
  state_.counters["class_MiB"] =
      static_cast<double>(problem.model_class.candidates.bytes()) / (1 << 20);
}

// Processor time per episode after n episodes, over a window of n/2: flat means no growth with n.
void episode_cost(benchmark::State& state_) {
  const LearnProblem problem = make(1000);
  const Simulator env(problem.mdp);
  OnlineOptions options;
  options.episodes = 150'000;
  for ([[maybe_unused]] auto _ : state_) {
    TruthEvaluator truth(problem.mdp);
    LearnRecorder record(truth, &problem.model_class.candidates,
                         {geometric_grid(options.episodes), true, Policy::uniform(50, 5), true});
    std::clock_t start = 0;
    const auto watch = [&](const LearnerReport& report) {
      for (const Index n : {1000, 10'000, 100'000}) {
        if (report.n == n) start = std::clock();
        if (report.n != n + n / 2) continue;
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        state_.counters["us_at_" + std::to_string(n)] = 1e6 * seconds / static_cast<double>(n / 2);
      }
      return record(report);
    };
    benchmark::DoNotOptimize(
        online_speder(env, problem.model_class.candidates, options, kSeeds, watch));
  }
  state_.SetItemsProcessed(options.episodes * state_.iterations());
}

// Transitions drawn and estimated from, at one checkpoint.
void estimate(benchmark::State& state_, Criterion criterion) {
  const LearnProblem problem = make(state_.range(0));
  const Simulator env(problem.mdp);
  const Policy uniform = Policy::uniform(50, 5);
  for ([[maybe_unused]] auto _ : state_) {
    Rng rng = kSeeds.stream("bench-data");
    const Dataset data = collect_from_occupancy(env, uniform, state_.range(1), rng);
    Estimator estimator(problem.model_class.candidates, criterion);
    estimator.add(tally(data.steps, 0, state_.range(1)));
    benchmark::DoNotOptimize(estimator.best());
  }
  state_.SetItemsProcessed(state_.range(1) * state_.iterations());
}

// The cost of one transition, one by one.
void add_one(benchmark::State& state_, Criterion criterion, const std::string& kind) {
  const LearnProblem problem = make(state_.range(0), kind);
  Estimator estimator(problem.model_class.candidates, criterion);
  Rng rng = kSeeds.stream("bench-steps");
  for ([[maybe_unused]] auto _ : state_) estimator.add({rng.index(250), rng.index(50)});
  state_.SetItemsProcessed(state_.iterations());
}

BENCHMARK_CAPTURE(online, speder, "speder")
    ->Args({1000, 1000})
    ->Args({1000, 10'000})
    ->Args({1000, 100'000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(episode_cost)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(online, speder_large, "speder")
    ->Args({100'000, 1000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(online, speder_product, "speder", "product")
    ->Args({1'000'000, 100})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(online, rep_ucb, "rep-ucb")->Args({1000, 10'000})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(online, known_phi, "known-phi")->Args({10, 2000})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(online, tabular_ucb, "tabular-ucb")
    ->Args({10, 2000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(estimate, least_squares, Criterion::kLeastSquares)
    ->Args({1000, 1'000'000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(estimate, likelihood, Criterion::kLikelihood)
    ->Args({1000, 1'000'000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(add_one, least_squares, Criterion::kLeastSquares, "multiscale")
    ->Arg(1000)
    ->Arg(100'000);
BENCHMARK_CAPTURE(add_one, likelihood, Criterion::kLikelihood, "multiscale")->Arg(1000);
BENCHMARK_CAPTURE(add_one, product, Criterion::kLeastSquares, "product")->Arg(1'000'000);

}  // namespace
}  // namespace speder::learning_bench
