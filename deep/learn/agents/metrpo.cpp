#include "speder/deep/learn/agents/metrpo.hpp"

#include <algorithm>

#include "speder/core/check.hpp"

namespace speder::deep {

ImaginationDraws draw_imagination(const Tensor& starts, std::int64_t length,
                                  std::int64_t trajectories, int actions, int members,
                                  Device device, Rng& rng) {
  const std::int64_t rows = length * trajectories;
  const Tensor from = at::empty({rows}, at::kLong), member = at::empty({rows}, at::kLong);
  const Tensor noise = at::empty({rows, actions}, at::kFloat);
  for (std::int64_t i = 0; i < rows; ++i) {
    from.data_ptr<std::int64_t>()[i] = rng.index(starts.size(0));
    member.data_ptr<std::int64_t>()[i] = rng.index(members);
  }
  float* z = noise.data_ptr<float>();
  for (std::int64_t i = 0; i < noise.numel(); ++i) z[i] = static_cast<float>(rng.normal());
  return {.start = starts.index_select(0, from).to(device).view({length, trajectories, -1}),
          .noise = noise.to(device).view({length, trajectories, actions}),
          .member = member.to(device).view({length, trajectories})};
}

Minibatch imagine(const Imagination& world, const KnownTask& task, const ImaginationDraws& draws) {
  const at::NoGradGuard no_grad;
  const std::int64_t length = draws.start.size(0);
  const Tensor low = world.limits[0], high = world.limits[1];
  std::vector<Tensor> states, actions, rewards, terminated, ended, nexts;
  Tensor state = draws.start[0];
  for (std::int64_t t = 0; t < length; ++t) {
    const Tensor action = world.policy(state, draws.noise[t]);  // (M, A)
    const Tensor seen = action.clamp(-1, 1);                    // what the task and the models see
    const Tensor next = at::clamp(world.step(state, seen, draws.member[t]), low, high);
    const Tensor over =
        world.stop_at_end ? task.ended(next) : at::zeros({next.size(0)}, next.options());
    states.push_back(state);
    actions.push_back(action);
    rewards.push_back(task.reward(state, seen));
    terminated.push_back(over);
    ended.push_back(t + 1 == length ? at::ones_like(over) : over);
    nexts.push_back(next);
    if (t + 1 < length) state = at::where(over.unsqueeze(1).gt(0), draws.start[t + 1], next);
  }
  // (T, M, …) → one trajectory after the other: advantages run along the rows
  const auto rows = [](const std::vector<Tensor>& steps) {
    const Tensor all = at::stack(steps, 1);  // (M, T, …)
    return all.dim() == 2 ? all.reshape({-1}) : all.reshape({-1, all.size(2)});
  };
  Minibatch out;
  out.state = rows(states);
  out.action = rows(actions);
  out.reward = rows(rewards);
  out.terminated = rows(terminated);
  out.ended = rows(ended);
  out.next_state = rows(nexts);
  return out;
}

Tensor episode_starts(const RingBuffer& buffer) {
  const Index s = buffer.observation_size();
  const auto flag = static_cast<std::size_t>(s + buffer.action_size() + 2);
  std::vector<float> found;
  const auto add = [&](Index i) {
    const auto row = buffer.row(i).first(static_cast<std::size_t>(s));
    found.insert(found.end(), row.begin(), row.end());
  };
  if (buffer.added() == buffer.size()) add(0);  // nothing was overwritten: the very first step
  for (Index i = 0; i < buffer.size(); ++i) {
    const Index next = buffer.following(i);
    if (next >= 0 && next < buffer.size() && buffer.row(i)[flag] != 0) add(next);
  }
  if (found.empty()) add(0);  // one episode longer than the buffer
  return at::tensor(found, at::kFloat).view({-1, s});
}

ModelEnsembleTrpo::ModelEnsembleTrpo(const AgentConfig& config, const EnvSpec& spec, Device device,
                                     const SeedTree& seeds)
    : config_(config),
      device_(device),
      actions_(spec.action_size),
      task_(KnownTask::of(spec, device)),
      ensemble_({.members = config.ensemble,
                 .hidden = config.model_hidden,
                 .gaussian = false,
                 .activation = Activation::kRelu,
                 .learning_rate = config.model_lr,
                 .decay = config.model_decay,
                 .batch = config.model_batch,
                 .most_steps = config.model_steps},
                spec, device, seeds),
      trpo_(config, spec, device, seeds) {}

Diagnostics ModelEnsembleTrpo::update(const RingBuffer& buffer, Rng& rng) {
  Diagnostics out = ensemble_.fit(buffer, rng);
  trpo_.reset_width();
  const Tensor starts = episode_starts(buffer);
  const std::int64_t length = std::min(config_.imagined_length, config_.imagined_steps);
  const Imagination world{
      .step =
          [this](const Tensor& state, const Tensor& action, const Tensor& member) {
            const Tensor all = ensemble_.predict(state, action).mean;  // (E, M, S)
            const Tensor index = member.view({1, -1, 1}).expand({1, all.size(1), all.size(2)});
            return all.gather(0, index).squeeze(0);
          },
      .policy = [this](const Tensor& state,
                       const Tensor& noise) { return trpo_.sample(state, noise); },
      .limits = ensemble_.limits(),
      .stop_at_end = config_.stop_at_end};
  Diagnostics last;
  Tensor reward;
  for (int i = 0; i < config_.policy_rounds; ++i) {
    const Minibatch steps =
        imagine(world, task_,
                draw_imagination(starts, length, config_.imagined_steps / length, actions_,
                                 ensemble_.members(), device_, rng));
    last = trpo_.learn(steps);
    reward = steps.reward.mean();
  }
  out.insert(out.end(), last.begin(), last.end());
  out.push_back({"imagined_reward", reward});
  return out;
}

std::vector<NamedTensor> ModelEnsembleTrpo::tensors() {
  std::vector<NamedTensor> out = trpo_.tensors();
  ensemble_.name_tensors("model", out);
  return out;
}

}  // namespace speder::deep
