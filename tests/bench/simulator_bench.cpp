// Draws per second of the simulator. items_per_second is the number to read.
#include <benchmark/benchmark.h>

#include "speder/mdp/sampling/simulator.hpp"
#include "tests/support/random_mdp.hpp"

namespace speder::simulator_bench {
namespace {

constexpr std::size_t kBatch = 1 << 14;
const SeedTree kSeeds(1);

struct Setting {
  Simulator simulator;
  std::vector<StateAction> from;
};

Setting make(const benchmark::State& state_) {
  Rng rng = kSeeds.stream("bench");
  const test::Shape shape{state_.range(0), state_.range(1), state_.range(2)};
  auto kernel = state_.range(3) == 0 ? test::simplex_kernel(shape, rng)
                                     : test::sparse_kernel(shape, state_.range(3), rng);
  Setting setting{Simulator(std::make_shared<const TabularMdp>(
                      test::with_random_reward(std::move(kernel), 0.99, rng))),
                  std::vector<StateAction>(kBatch)};
  for (auto& x : setting.from)
    x = {state(rng.index(shape.states)), action(rng.index(shape.actions))};
  return setting;
}

void count(benchmark::State& state_) {
  state_.SetItemsProcessed(static_cast<std::int64_t>(kBatch) * state_.iterations());
}

void random_pairs_one_call_each(benchmark::State& state_) {
  const Setting setting = make(state_);
  Rng rng = kSeeds.stream("draws");
  for ([[maybe_unused]] auto _ : state_) {
    for (const auto& [s, a] : setting.from) {
      benchmark::DoNotOptimize(setting.simulator.step(s, a, rng).next);
    }
  }
  count(state_);
}

void random_pairs_batch(benchmark::State& state_) {
  const Setting setting = make(state_);
  Rng rng = kSeeds.stream("draws");
  std::vector<StateId> next(kBatch);
  for ([[maybe_unused]] auto _ : state_) {
    setting.simulator.sample_next(setting.from, next, rng);
    benchmark::ClobberMemory();
  }
  count(state_);
}

// Each step starts where the last one ended: the latency of a draw, not its throughput.
void rollout(benchmark::State& state_) {
  const Setting setting = make(state_);
  Rng rng = kSeeds.stream("draws");
  StateId s = setting.simulator.reset(rng);
  for ([[maybe_unused]] auto _ : state_) {
    for (const auto& x : setting.from) s = setting.simulator.step(s, x.action, rng).next;
    benchmark::DoNotOptimize(s);
  }
  count(state_);
}

void shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"S", "A", "d", "sparse"});
  b->Args({1000, 10, 8, 0})->Args({2000, 20, 8, 0})->Args({100'000, 10, 8, 0});
  b->Args({1000, 10, 64, 5});
}

BENCHMARK(random_pairs_one_call_each)->Apply(shapes);
BENCHMARK(random_pairs_batch)->Apply(shapes);
BENCHMARK(rollout)->Apply(shapes);

}  // namespace
}  // namespace speder::simulator_bench
