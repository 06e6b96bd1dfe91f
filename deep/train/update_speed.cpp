#include "speder/deep/train/update_speed.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>

#include "speder/core/check.hpp"
#include "speder/deep/learn/agents/agent.hpp"
#include "speder/deep/learn/replay/minibatch.hpp"

namespace speder::deep {
namespace {

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class Body>
double timed(int times, const Body& body) {
  const double start = cpu_seconds();
  for (int i = 0; i < times; ++i) body();
  return (cpu_seconds() - start) / times;
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + std::ssize(v) / 2, v.end());
  return v[v.size() / 2];
}

/// Weights of the products of a chain of layers, and of its first layer alone.
struct Products {
  double all = 0;
  double first = 0;
};

Products products(int input, std::vector<int> layers, int output) {
  layers.push_back(output);
  Products p;
  int in = input;
  for (const int out : layers) {
    p.all += static_cast<double>(in) * out;
    if (p.first == 0) p.first = p.all;
    in = out;
  }
  return p;
}

double resident_mib() {
  std::ifstream file("/proc/self/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  constexpr double kPageMib = 4096.0 / (1024 * 1024);
  return resident * kPageMib;
}

RingBuffer random_steps(const EnvSpec& spec, int count) {
  RingBuffer buffer(spec.observation_size, spec.action_size, count);
  Rng rng = SeedTree(1).stream("steps");
  std::vector<float> s(static_cast<std::size_t>(spec.observation_size));
  std::vector<float> a(static_cast<std::size_t>(spec.action_size));
  for (int i = 0; i < count; ++i) {
    for (float& x : s) x = static_cast<float>(rng.normal());
    for (float& x : a) x = static_cast<float>(rng.uniform(-1, 1));
    buffer.add({s, a, static_cast<float>(rng.normal()), s, false, false});
  }
  return buffer;
}

double sgemm_gflops() {
  const at::NoGradGuard no_grad;
  constexpr int n = 1024;
  const Tensor x = at::ones({n, n});
  Tensor y = at::mm(x, x);
  std::vector<double> rates;
  for (int i = 0; i < 5; ++i) {
    rates.push_back(2e-9 * n * n * n / timed(4, [&] { at::mm_out(y, x, x); }));
  }
  return median(rates);
}

}  // namespace

double necessary_flops(const AgentConfig& c, const EnvSpec& spec) {
  const int s = spec.observation_size;
  const int a = spec.action_size;
  const double b = c.batch;
  const Products phi = products(s + a, c.feature_hidden, c.feature_dim);
  const Products mu = products(s, c.feature_hidden, c.feature_dim);
  Products head = products(c.feature_dim, {c.critic_width}, 1);
  head = {2 * head.all, 2 * head.first};  // twins
  const Products actor = products(s, c.actor_hidden, 2 * a);
  // learning a network: forward, weight gradient, input gradient except into the data
  const auto learn = [](const Products& p) { return 3 * p.all - p.first; };
  const double features =
      c.feature_updates * (learn(phi) + (c.in_batch ? 1 : 2) * learn(mu) + 3 * b * c.feature_dim);
  const Products reward = c.reward_model ? products(s + a, {c.critic_width}, 1) : Products{};
  const double critic = actor.all + 2 * (phi.all + reward.all) + head.all + learn(head);
  const double policy = learn(actor) + 2 * (phi.all + reward.all + head.all);
  return 2 * b * (features + learn(reward) + critic + policy);
}

double update_seconds(const AgentConfig& config, const EnvSpec& spec) {
  constexpr int kStored = 1000, kWarmUp = 2, kTimed = 5;
  const Agent agent = make_agent(config, spec, at::kCPU, SeedTree(1));
  if (agent.rollout > 0 || agent.update_every > 1 || agent.play) return 0;
  const RingBuffer buffer = random_steps(spec, kStored);
  Rng rng = SeedTree(1).stream("update");
  const auto update = [&] { static_cast<void>(agent.update(buffer, rng)); };
  static_cast<void>(timed(kWarmUp, update));
  return timed(kTimed, update);
}

UpdateSpeed update_speed(const AgentConfig& config, const EnvSpec& spec,
                         const UpdateSpeedOptions& options) {
  require(options.updates > 0 && options.repeats > 0, "updates and repeats must be positive");
  at::set_num_threads(1);
  const double before = resident_mib();
  const RingBuffer buffer = random_steps(spec, options.stored);
  const double buffer_mib = resident_mib() - before;
  Agent agent = make_agent(config, spec, at::kCPU, SeedTree(1));
  Rng rng = SeedTree(1).stream("update");
  const auto update = [&] { static_cast<void>(agent.update(buffer, rng)); };
  const auto draw = [&] {
    static_cast<void>(draw_minibatch(buffer, {.size = config.batch}, at::kCPU, rng));
  };
  static_cast<void>(timed(options.updates, update));
  std::vector<double> updates, draws;
  for (int i = 0; i < options.repeats; ++i) {
    updates.push_back(timed(options.updates, update));
    draws.push_back(timed(options.updates, draw));
  }
  UpdateSpeed out{.updates_per_second = 1 / median(updates),
                  .sampling_share = median(draws) / median(updates),
                  .gflop_per_update = 1e-9 * necessary_flops(config, spec),
                  .resident_mib = resident_mib() - buffer_mib};
  out.sgemm_gflops = sgemm_gflops();
  out.peak_fraction = out.gflop_per_update * out.updates_per_second / out.sgemm_gflops;
  return out;
}

}  // namespace speder::deep
