#include "speder/deep/sim/rollout.hpp"

#include <numeric>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

Trajectory start(const Env& env) {
  Trajectory t;
  t.qpos.assign(env.qpos().begin(), env.qpos().end());
  t.qvel.assign(env.qvel().begin(), env.qvel().end());
  t.observations.assign(env.observation().begin(), env.observation().end());
  return t;
}

StepResult append_step(Env& env, std::span<const double> action, Trajectory& t) {
  const StepResult result = env.step(action);
  t.actions.insert(t.actions.end(), action.begin(), action.end());
  t.observations.insert(t.observations.end(), env.observation().begin(), env.observation().end());
  t.rewards.push_back(result.reward);
  t.terminated.push_back(result.terminated ? 1 : 0);
  t.truncated.push_back(result.truncated ? 1 : 0);
  t.unstable = result.unstable;
  return result;
}

/// One member of every trajectory, one after the other.
template <class T>
std::vector<T> joined(const std::vector<Trajectory>& all, std::vector<T> Trajectory::*member) {
  std::vector<T> values;
  for (const Trajectory& t : all)
    values.insert(values.end(), (t.*member).begin(), (t.*member).end());
  return values;
}

}  // namespace

double Trajectory::total_reward() const {
  return std::accumulate(rewards.begin(), rewards.end(), 0.0);
}

Trajectory run_episode(Env& env, const Controller& policy, const FrameObserver& observer) {
  Trajectory t = start(env);
  std::vector<double> action(static_cast<std::size_t>(env.spec().action_size));
  if (observer) observer(env);
  for (StepResult result; !result.ended();) {
    policy(env.observation(), action);
    result = append_step(env, action, t);
    if (observer) observer(env);
  }
  return t;
}

Trajectory replay_actions(Env& env, const H5Array& actions, const FrameObserver& observer) {
  const auto width = static_cast<std::size_t>(env.spec().action_size);
  require(actions.shape.size() == 2 && actions.shape[1] == width,
          "actions must have one row per step and one column per action", width);
  Trajectory t = start(env);
  if (observer) observer(env);
  for (std::size_t i = 0; i < actions.shape[0] && !t.unstable; ++i) {
    append_step(env, std::span(actions.values).subspan(i * width, width), t);
    if (observer) observer(env);
  }
  return t;
}

void write_trajectories(const std::filesystem::path& path, const EnvSpec& spec,
                        const std::vector<Trajectory>& all) {
  require(!all.empty(), "nothing to write");
  H5File file = H5File::create(path);
  const auto rows = [&](const std::string& name, const std::vector<double>& v, std::size_t width) {
    file.write(name, std::span<const double>(v), {v.size() / width, width});
  };
  const auto flags = [&](const std::string& name, const std::vector<std::int64_t>& v) {
    file.write(name, std::span<const std::int64_t>(v), {v.size()});
  };
  rows("observations", joined(all, &Trajectory::observations),
       static_cast<std::size_t>(spec.observation_size));
  rows("actions", joined(all, &Trajectory::actions), static_cast<std::size_t>(spec.action_size));
  const std::vector<double> rewards = joined(all, &Trajectory::rewards);
  file.write("rewards", std::span<const double>(rewards), {rewards.size()});
  flags("terminated", joined(all, &Trajectory::terminated));
  flags("truncated", joined(all, &Trajectory::truncated));
  std::vector<std::int64_t> lengths;
  for (const Trajectory& t : all) lengths.push_back(t.steps());
  flags("lengths", lengths);
  rows("qpos", joined(all, &Trajectory::qpos), all.front().qpos.size());
  rows("qvel", joined(all, &Trajectory::qvel), all.front().qvel.size());
  file.text("env", spec.name);
  file.commit();
}

}  // namespace speder::deep
