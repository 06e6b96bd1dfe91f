#include "speder/deep/train/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/deep/sim/env/assets.hpp"
#include "speder/deep/train/loop.hpp"
#include "speder/deep/train/saved_state.hpp"

namespace speder::deep {
namespace {

/// A moment of an episode, to begin from again.
struct Moment {
  std::vector<double> qpos, qvel;
  std::vector<float> observation;
};

Moment moment_of(const Env& env) {
  const auto seen = env.observation();
  return {{env.qpos().begin(), env.qpos().end()},
          {env.qvel().begin(), env.qvel().end()},
          {seen.begin(), seen.end()}};
}

/// One action of the policy at an observation; without a stream the mean action.
std::vector<double> action_at(const Agent& agent, std::span<const double> observation, Rng* rng,
                              Index size) {
  std::vector<float> seen(observation.begin(), observation.end());
  Tensor noise;
  if (rng != nullptr) {
    noise = at::empty({1, size}, at::kFloat);
    for (Index i = 0; i < size; ++i) noise.data_ptr<float>()[i] = static_cast<float>(rng->normal());
  }
  const Tensor a =
      agent.act(at::from_blob(seen.data(), {1, std::ssize(seen)}, at::kFloat), noise).contiguous();
  return {a.data_ptr<float>(), a.data_ptr<float>() + size};
}

/// Where an episode of the policy is after a number of steps drawn from 0 to `most`, or where it ends.
Moment met_by_policy(const TrainedAgent& run, int most, Rng& rng) {
  const Index a = run.physics->spec.action_size;
  Env env(run.physics);
  env.reset(rng);
  Moment here = moment_of(env);
  const Index steps = rng.index(most + 1);
  for (Index t = 0; t < steps; ++t) {
    if (env.step(action_at(run.agent, env.observation(), &rng, a)).ended()) break;
    here = moment_of(env);
  }
  return here;
}

/// G of every action (K, A) at a moment: the episodes go on side by side under the mean action.
Vector returns_of(const TrainedAgent& run, const Moment& from, const Tensor& actions, int steps) {
  const Index k = actions.size(0), a = actions.size(1), s = run.physics->spec.observation_size;
  std::vector<Env> envs;
  for (Index i = 0; i < k; ++i) envs.emplace_back(run.physics).place(from.qpos, from.qvel);
  Vector G = Vector::Zero(k);
  std::vector<bool> ended(static_cast<std::size_t>(k), false);
  const Tensor seen = at::zeros({k, s}, at::kFloat);
  Tensor chosen = actions;
  double weight = 1;  // γᵗ
  for (int t = 0; t < steps; ++t, weight *= run.config.agent.discount) {
    for (Index i = 0; i < k; ++i) {
      const auto place = static_cast<std::size_t>(i);
      if (ended[place]) continue;
      const float* from_row = chosen.data_ptr<float>() + i * a;
      const StepResult r = envs[place].step(std::vector<double>(from_row, from_row + a));
      G[i] += weight * r.reward;
      ended[place] = r.terminated || r.unstable;
      const auto next = envs[place].observation();
      std::copy(next.begin(), next.end(), seen.data_ptr<float>() + i * s);
      // The step limit is no end of the task: its value goes on, and so does the episode from there.
      if (!r.truncated || r.unstable) continue;
      const Moment here = moment_of(envs[place]);
      envs[place].place(here.qpos, here.qvel);
    }
    chosen = run.agent.act(seen, {}).contiguous();
  }
  return G;
}

ProbeMean mean_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  ProbeMean out;
  for (const double v : values) out.mean += v / n;
  double squares = 0;
  for (const double v : values) squares += (v - out.mean) * (v - out.mean);
  out.error = values.size() > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
  return out;
}

double correlation(const Vector& x, const Vector& y) {
  const Vector u = x.array() - x.mean(), v = y.array() - y.mean();
  const double norms = u.norm() * v.norm();
  return norms > 0 ? u.dot(v) / norms : 0;
}

}  // namespace

TrainedAgent load_run(const std::filesystem::path& folder, const std::filesystem::path& packages) {
  const LoadedCheckpoint loaded = load_checkpoint(folder);
  if (!loaded.checkpoint) {
    throw InputError(folder.string() +
                     ": holds no checkpoint (deep train takes one every --checkpoint-every steps); "
                     "name the folder of a run that has one");
  }
  TrainedAgent run;
  run.config = read_train_config(folder / "config.toml", "");
  run.physics = load_physics(run.config.env, packages_folder(packages));
  run.agent = make_agent(run.config.agent, run.physics->spec, at::kCPU,
                         SeedTree(run.config.seed).child("agent"));
  SavedState state{.config = identity(run.config),
                   .measures = {},
                   .counters = std::vector<std::int64_t>(4),
                   .tensors = run.agent.tensors()};
  restore_state(state, *loaded.checkpoint);
  run.steps = state.counters[0];
  run.warning = loaded.warning;
  return run;
}

Probe compare_actions(const Matrix& Q, const Matrix& G) {
  require(Q.rows() == G.rows() && Q.cols() == G.cols() && Q.size() > 0, "Q and G differ in shape");
  Probe out;
  std::vector<double> q, g, correlations, choices;
  double squares = 0;
  for (Index i = 0; i < Q.rows(); ++i) {
    const Vector Qi = Q.row(i), Gi = G.row(i);
    q.push_back(Qi.mean());
    g.push_back(Gi.mean());
    squares += (Gi.array() - Gi.mean()).square().mean();
    const double best = Gi.maxCoeff() - Gi.mean();
    if (!(best > 0)) continue;
    correlations.push_back(correlation(Qi, Gi));
    Index chosen = 0;
    Qi.maxCoeff(&chosen);
    choices.push_back((Gi[chosen] - Gi.mean()) / best);
  }
  out.q = mean_of(q);
  out.g = mean_of(g);
  out.states = correlation(Eigen::Map<const Vector>(q.data(), std::ssize(q)),
                           Eigen::Map<const Vector>(g.data(), std::ssize(g)));
  out.correlation = mean_of(correlations);
  out.choice = mean_of(choices);
  out.spread = std::sqrt(squares / static_cast<double>(Q.rows()));
  out.told = static_cast<int>(correlations.size());
  return out;
}

Probe probe_critic(const TrainedAgent& run, const ProbeOptions& options, const SeedTree& seeds,
                   const std::function<void(int done)>& observe) {
  if (!run.agent.act || !run.agent.q) {
    throw InputError(fmt::format("{} has no critic of actions to look at; speder and sac* have",
                                 run.config.agent.algorithm));
  }
  const Index a = run.physics->spec.action_size, s = run.physics->spec.observation_size;
  const int most = std::min(run.physics->spec.max_steps, options.steps);
  Matrix Q(options.states, options.actions), G(options.states, options.actions);
  for (int i = 0; i < options.states; ++i) {
    Rng rng = seeds.stream("state", static_cast<std::uint64_t>(i));
    Moment here = met_by_policy(run, most, rng);
    const Tensor noise = at::empty({options.actions, a}, at::kFloat);
    for (Index j = 0; j < noise.numel(); ++j)
      noise.data_ptr<float>()[j] = static_cast<float>(rng.normal());
    const Tensor rows =
        at::from_blob(here.observation.data(), {1, s}, at::kFloat).repeat({options.actions, 1});
    const Tensor actions = options.uniform ? at::special_ndtr(noise).mul_(2).sub_(1)  // 2Φ(z) − 1
                                           : run.agent.act(rows, noise).contiguous();
    const Tensor q = run.agent.q(at::cat({rows, actions}, 1)).to(at::kDouble).contiguous();
    Q.row(i) = Eigen::Map<const Vector>(q.data_ptr<double>(), options.actions);
    G.row(i) = returns_of(run, here, actions, options.steps);
    if (observe) observe(i + 1);
  }
  return compare_actions(Q, G);
}

}  // namespace speder::deep
