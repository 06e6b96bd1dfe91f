#include "speder/deep/sim/env/vector_env.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

void store(std::span<const double> from, std::span<float> rows, std::size_t row) {
  std::transform(from.begin(), from.end(), rows.subspan(row * from.size(), from.size()).begin(),
                 [](double x) { return static_cast<float>(x); });
}

}  // namespace

VectorEnv::VectorEnv(const std::shared_ptr<const Physics>& physics, const VectorOptions& options,
                     const SeedTree& seeds)
    : pool_(std::make_unique<WorkerPool>(options.threads)) {
  require(options.envs >= 1, "a vectorised environment needs at least one member", options.envs);
  const auto n = static_cast<std::size_t>(options.envs);
  const auto d = static_cast<std::size_t>(physics->spec.observation_size);
  for (std::size_t i = 0; i < n; ++i) {
    envs_.emplace_back(physics);
    rngs_.push_back(seeds.stream("env", i));
    actions_.emplace_back(static_cast<std::size_t>(physics->spec.action_size));
  }
  observations_.resize(n * d);
  next_observations_.resize(n * d);
  rewards_.resize(n);
  terminated_.resize(n);
  truncated_.resize(n);
}

void VectorEnv::reset() {
  pool_->run(size(), [this](int i) {
    const auto row = static_cast<std::size_t>(i);
    store(envs_[row].reset(rngs_[row]), observations_, row);
  });
}

void VectorEnv::step_one(int i, std::span<const float> actions) {
  const auto row = static_cast<std::size_t>(i);
  Env& env = envs_[row];
  std::vector<double>& action = actions_[row];
  const auto mine = actions.subspan(row * action.size(), action.size());
  std::copy(mine.begin(), mine.end(), action.begin());
  const StepResult result = env.step(action);
  rewards_[row] = static_cast<float>(result.reward);
  terminated_[row] = result.terminated ? 1 : 0;
  truncated_[row] = result.truncated ? 1 : 0;
  store(env.observation(), next_observations_, row);
  store(result.ended() ? env.reset(rngs_[row]) : env.observation(), observations_, row);
}

void VectorEnv::step(std::span<const float> actions) {
  const std::size_t wanted = envs_.size() * actions_.front().size();
  require(actions.size() == wanted, "actions must hold one row per environment", actions.size());
  const bool finite =
      std::all_of(actions.begin(), actions.end(), [](float a) { return std::isfinite(a); });
  require(finite, "an action must be finite");
  pool_->run(size(), [this, actions](int i) { step_one(i, actions); });
}

std::int64_t VectorEnv::unstable_episodes() const {
  std::int64_t count = 0;
  for (const Env& env : envs_) count += env.unstable_episodes();
  return count;
}

}  // namespace speder::deep
