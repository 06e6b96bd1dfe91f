#include "speder/deep/train/update_speed.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>

#include "speder/core/check.hpp"
#include "speder/deep/learn/agents/agent.hpp"
#include "speder/deep/learn/nn/product.hpp"
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
  const auto product = [&] { static_cast<void>(linear_product(x, x, {})); };
  product();
  std::vector<double> rates;
  for (int i = 0; i < 5; ++i) rates.push_back(2e-9 * n * n * n / timed(4, product));
  return median(rates);
}

}  // namespace

namespace {

/// Learning a network: forward, weight gradient, input gradient except into the data.
double learn(const Products& p) { return 3 * p.all - p.first; }

// Multiply-adds of one update of each method.

double speder_products(const AgentConfig& c, const EnvSpec& spec) {
  const int s = spec.observation_size;
  const int a = spec.action_size;
  const double b = c.batch;
  const Products phi = products(s + a, c.feature_hidden, c.feature_dim);
  const Products mu = products(s, c.feature_hidden, c.feature_dim);
  const std::vector<int> layers(static_cast<std::size_t>(c.head_layers), c.critic_width);
  Products head = products(c.feature_dim, layers, 1);
  head = {2 * head.all, 2 * head.first};  // twins
  const Products actor = products(s, c.actor_hidden, 2 * a);
  const double features =
      c.feature_updates * (learn(phi) + (c.in_batch ? 1 : 2) * learn(mu) + 3 * b * c.feature_dim);
  const Products reward = c.reward_model ? products(s + a, {c.critic_width}, 1) : Products{};
  const double critic = actor.all + 2 * (phi.all + reward.all) + head.all + learn(head);
  const double policy = learn(actor) + 2 * (phi.all + reward.all + head.all);
  return b * (features + learn(reward) + critic + policy);
}

double trpo_products(const AgentConfig& c, const EnvSpec& spec, double rows) {
  const Products policy = products(spec.observation_size, c.actor_hidden, spec.action_size);
  const Products value = products(spec.observation_size, {c.critic_width, c.critic_width}, 1);
  // Fv: tangents ḣW and hẆ of every layer but the first, which has no ḣ, and Jᵀu
  const double fisher = 4 * policy.all - 2 * policy.first;
  return rows * (2 * policy.all + learn(policy) + (c.cg_iterations + 1) * fisher + 2 * value.all +
                 c.value_steps * learn(value));
}

Products dynamics(const AgentConfig& c, const EnvSpec& spec, bool gaussian) {
  return products(spec.observation_size + spec.action_size, c.model_hidden,
                  (gaussian ? 2 : 1) * spec.observation_size);
}

bool is_planner(const AgentConfig& c) {
  return c.algorithm == "rs" || c.algorithm.starts_with("pets");
}

double fit_products(const AgentConfig& c, const EnvSpec& spec, bool gaussian, double stored) {
  constexpr double kHeldOut = 0.1, kMostHeldOut = 5000, kCheckEvery = 100;
  const Products model = dynamics(c, spec, gaussian);
  const double checks = 1 + std::ceil(c.model_steps / kCheckEvery);
  return c.ensemble * (c.model_steps * c.model_batch * learn(model) +
                       checks * std::min(kHeldOut * stored, kMostHeldOut) * model.all);
}

double metrpo_products(const AgentConfig& c, const EnvSpec& spec, double stored) {
  const Products policy = products(spec.observation_size, c.actor_hidden, spec.action_size);
  const double rows = c.imagined_steps;
  // each imagined step needs one member
  const double imagined = rows * (policy.all + dynamics(c, spec, false).all);
  return fit_products(c, spec, false, stored) +
         c.policy_rounds * (imagined + trpo_products(c, spec, rows));
}

double spede_products(const AgentConfig& c, const EnvSpec& spec) {
  const int s = spec.observation_size, a = spec.action_size;
  const Products model = products(s + a, c.feature_hidden, s);
  const Products reward = products(s + a, {c.critic_width}, 1);
  const Products actor = products(s, c.actor_hidden, 2 * a);
  const double twins = 2, fourier = twins * s * c.feature_dim, heads = twins * c.feature_dim;
  const double critic = actor.all + 2 * (model.all + fourier + reward.all) + 3 * heads;
  const double policy = learn(actor) + 2 * (model.all + fourier + heads + reward.all);
  return c.batch * (learn(model) + learn(reward) + critic + policy);
}

double dreamer_products(const AgentConfig& c, const EnvSpec& spec) {
  const int s = spec.observation_size, a = spec.action_size;
  const double h = c.recurrent, z = c.latent_groups * c.latent_classes;
  const auto features = static_cast<int>(z + h);
  std::vector<int> encoder_hidden = c.dreamer_hidden;
  const int code = encoder_hidden.back();
  encoder_hidden.pop_back();
  const Products encoder = products(s, encoder_hidden, code);
  const double decoder = products(features, c.dreamer_hidden, s).all;
  const double head = products(features, c.dreamer_hidden, 1).all;
  const Products critic = products(features, c.dreamer_hidden, 1);
  const Products actor = products(features, c.dreamer_hidden, 2 * a);
  const double recurrence = (z + a) * h + 2 * h * 3 * h;
  const double prior = h * h + h * z, posterior = (h + code) * h + h * z;
  const double seen = static_cast<double>(c.sequences) * c.sequence_length;
  const double model =
      seen * (learn(encoder) + 3 * (recurrence + prior + posterior + decoder + head));
  const double rows = static_cast<double>(c.imagine_starts) * c.imagine_horizon;
  // through the frozen model: forward and input gradient
  const double behaviour = rows * (2 * (recurrence + prior) + learn(actor) + learn(critic)) +
                           (rows + c.imagine_starts) * 2 * (head + critic.all);
  return model + behaviour;
}

/// Of two updates, one of which moves prototypes and actor, the half.
double proto_products(const AgentConfig& c, const EnvSpec& spec) {
  constexpr int kTrunk = 50, kQueue = 4;
  const int s = spec.observation_size, a = spec.action_size, w = c.feature_hidden.back();
  const Products encoder = products(s, {w, w}, w);
  const double projector = static_cast<double>(w) * c.projection;
  const double scores = static_cast<double>(c.prototypes) * c.projection;
  const double trunk = static_cast<double>(w) * kTrunk;
  const double actor = products(kTrunk, c.actor_hidden, 2 * a).all;
  const double heads = 2 * products(kTrunk + a, {c.critic_width, c.critic_width}, 1).all;
  const double code = encoder.all + projector + scores;
  const double each = code + kQueue * scores  // the queue
                      + 2 * encoder.all + trunk + actor + trunk + heads + 2 * trunk + 3 * heads;
  const double second = code + learn(encoder) + 3 * (projector + 2 * projector + scores) +
                        2 * trunk + 3 * actor + trunk + 2 * heads;
  return c.batch * (each + second / 2);
}

}  // namespace

double necessary_flops(const AgentConfig& c, const EnvSpec& spec, int stored) {
  if (c.algorithm == "speder") return 2 * speder_products(c, spec);
  if (c.algorithm == "trpo") return 2 * trpo_products(c, spec, c.rollout);
  if (is_planner(c)) return 2 * fit_products(c, spec, c.algorithm != "rs", stored);
  if (c.algorithm == "metrpo") return 2 * metrpo_products(c, spec, stored);
  if (c.algorithm == "spede") return 2 * spede_products(c, spec);
  if (c.algorithm == "dreamer") return 2 * dreamer_products(c, spec);
  if (c.algorithm == "proto") return 2 * proto_products(c, spec);
  return 0;
}

double planning_flops(const AgentConfig& c, const EnvSpec& spec) {
  if (!is_planner(c)) return 0;
  // means alone: no planner that propagates means needs the variances
  const double plans = static_cast<double>(c.plan_samples) * c.plan_iterations;
  return 2 * plans * c.plan_horizon * c.ensemble * dynamics(c, spec, false).all;
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
  const Agent agent = make_agent(config, spec, at::kCPU, SeedTree(1));
  const double before = resident_mib();
  // learners from rollouts have nothing else in the buffer
  const int stored = agent.rollout > 0 ? agent.rollout : options.stored;
  const RingBuffer buffer = random_steps(spec, stored);
  const double buffer_mib = resident_mib() - before;
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
                  .gflop_per_update = 1e-9 * necessary_flops(config, spec, stored),
                  .resident_mib = resident_mib() - buffer_mib};
  out.sgemm_gflops = sgemm_gflops();
  out.peak_fraction = out.gflop_per_update * out.updates_per_second / out.sgemm_gflops;
  if (is_planner(config)) {
    constexpr int kActions = 10;
    const Player player = agent.play(1);
    const Tensor observation = at::zeros({1, spec.observation_size});
    const auto act = [&] { static_cast<void>(player(observation, rng, /*explore=*/true)); };
    static_cast<void>(timed(2, act));
    std::vector<double> actions;
    for (int i = 0; i < options.repeats; ++i) actions.push_back(timed(kActions, act));
    out.actions_per_second = 1 / median(actions);
    out.gflop_per_action = 1e-9 * planning_flops(config, spec);
    out.action_peak_fraction = out.gflop_per_action * out.actions_per_second / out.sgemm_gflops;
  }
  return out;
}

}  // namespace speder::deep
