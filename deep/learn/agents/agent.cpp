#include "speder/deep/learn/agents/agent.hpp"

#include <memory>

#include "speder/core/check.hpp"
#include "speder/deep/learn/agents/dreamer.hpp"
#include "speder/deep/learn/agents/metrpo.hpp"
#include "speder/deep/learn/agents/pets.hpp"
#include "speder/deep/learn/agents/ppo.hpp"
#include "speder/deep/learn/agents/proto.hpp"
#include "speder/deep/learn/agents/soft_actor_critic.hpp"
#include "speder/deep/learn/agents/spectral_actor_critic.hpp"
#include "speder/deep/learn/agents/spede.hpp"
#include "speder/deep/learn/agents/successor_features.hpp"
#include "speder/deep/learn/agents/trpo.hpp"

namespace speder::deep {
namespace {

/// The functions of an off-policy learner with a SoftPolicy.
template <class Learner>
Agent soft_agent(std::shared_ptr<Learner> learner, const AgentConfig& config) {
  Agent agent{.act =
                  [learner](const Tensor& observations, const Tensor& noise) {
                    const at::NoGradGuard no_grad;
                    return noise.defined() ? learner->policy().draw(observations, noise)
                                           : learner->policy().mean_action(observations);
                  },
              .update = [learner](const RingBuffer& buffer,
                                  Rng& rng) { return learner->update(buffer, rng); },
              .tensors = [learner] { return learner->tensors(); },
              .update_every = config.update_every,
              .network_policy = true};
  if constexpr (requires(const Tensor& pairs) { learner->value(pairs); })
    agent.q = [learner](const Tensor& pairs) { return learner->value(pairs); };
  return agent;
}

struct Ingredients {
  const AgentConfig& config;
  const EnvSpec& spec;
  Device device;
  const SeedTree& seeds;
};

template <int layers>
Agent soft_actor_critic(const Ingredients& i) {
  return soft_agent(std::make_shared<SoftActorCritic>(SoftActorCritic::Setting{i.config, layers},
                                                      i.spec, i.device, i.seeds),
                    i.config);
}

/// SAC with what SPEDER's critic has beside φ: normalised hidden layers and states in units. Longer
/// returns and moving units are settings that both read.
Agent improved_actor_critic(const Ingredients& i) {
  AgentConfig config = i.config;
  config.critic_norm = config.critic_observation_norm = true;
  return soft_actor_critic<3>({config, i.spec, i.device, i.seeds});
}

Agent spectral_agent(const Ingredients& i) {
  auto learner = std::make_shared<SpectralActorCritic>(i.config, i.spec, i.device, i.seeds);
  Agent agent = soft_agent(learner, i.config);
  agent.inspect = [learner] { return learner->inspect(); };
  agent.phi = [learner](const Tensor& pairs) { return learner->slow_features(pairs); };
  agent.mu = [learner](const Tensor& states) { return learner->state_features(states); };
  return agent;
}

Agent successor_agent(const Ingredients& i) {
  return soft_agent(std::make_shared<SuccessorFeatures>(i.config, i.spec, i.device, i.seeds),
                    i.config);
}

Agent spede_agent(const Ingredients& i) {
  return soft_agent(std::make_shared<Spede>(i.config, i.spec, i.device, i.seeds), i.config);
}

/// The functions of a learner that samples its own actions, from rollouts or from a replay buffer.
template <class Learner, bool from_rollouts>
Agent sampling_agent(const Ingredients& i) {
  auto learner = std::make_shared<Learner>(i.config, i.spec, i.device, i.seeds);
  Agent agent{.act =
                  [learner](const Tensor& observations, const Tensor& noise) {
                    const at::NoGradGuard no_grad;
                    return noise.defined() ? learner->sample(observations, noise)
                                           : learner->mean_action(observations);
                  },
              .update = [learner](const RingBuffer& buffer,
                                  Rng& rng) { return learner->update(buffer, rng); },
              .tensors = [learner] { return learner->tensors(); },
              .rollout = from_rollouts ? i.config.rollout : 0,
              .update_every = from_rollouts ? 1 : i.config.update_every};
  if constexpr (requires { learner->inspect(); })
    agent.inspect = [learner] { return learner->inspect(); };
  return agent;
}

/// Those whose actor can be categorical.
bool takes_discrete_actions(std::string_view algorithm) {
  return algorithm == "speder" || algorithm.starts_with("sac");
}

template <Planner planner>
Agent planning_agent(const Ingredients& i) {
  auto learner = std::make_shared<Pets>(i.config, planner, i.spec, i.device, i.seeds);
  return {.act = {},
          .update = [learner](const RingBuffer& buffer,
                              Rng& rng) { return learner->update(buffer, rng); },
          .tensors = [learner] { return learner->tensors(); },
          .play = [learner](int n) -> Player {
            return [learner, plan = learner->first_plan(n)](const Tensor& observations, Rng& rng,
                                                            bool) mutable {
              return learner->act(observations, plan, rng);
            };
          },
          .update_every = i.config.update_every};
}

Agent dreamer_agent(const Ingredients& i) {
  auto learner = std::make_shared<Dreamer>(i.config, i.spec, i.device, i.seeds);
  return {.act = {},
          .update = [learner](const RingBuffer& buffer,
                              Rng& rng) { return learner->update(buffer, rng); },
          .inspect = [learner] { return learner->inspect(); },
          .tensors = [learner] { return learner->tensors(); },
          .play = [learner](int n) -> Player {
            return [learner, memory = learner->remember_nothing(n)](
                       const Tensor& observations, Rng& rng, bool explore) mutable {
              return learner->act(observations, memory, rng, explore);
            };
          },
          .update_every = i.config.update_every};
}

struct Row {
  std::string_view name;
  Agent (*make)(const Ingredients&);
  bool on_policy = false;
  bool imagines_rewards = false;  // needs the task's reward as a function
};
const std::vector<Row> kAgents = {
    {"speder", spectral_agent},
    {"sac2", soft_actor_critic<2>},
    {"sac3", soft_actor_critic<3>},
    {"sac3+", improved_actor_critic},
    {"sac5", soft_actor_critic<5>},
    {"deepsf", successor_agent},
    {"ppo", sampling_agent<Ppo, true>, true},
    {"trpo", sampling_agent<Trpo, true>, true},
    {"rs", planning_agent<Planner::kRandomDeterministic>, false, true},
    {"pets-rs", planning_agent<Planner::kRandom>, false, true},
    {"pets-cem", planning_agent<Planner::kCem>, false, true},
    {"metrpo", sampling_agent<ModelEnsembleTrpo, false>, false, true},
    {"spede", spede_agent},
    {"dreamer", dreamer_agent},
    {"proto", sampling_agent<Proto, false>},
};

const Row* find_agent(std::string_view name) {
  for (const Row& row : kAgents) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace

const std::vector<std::string_view>& algorithms() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Row& row : kAgents) all.push_back(row.name);
    return all;
  }();
  return names;
}

bool is_on_policy(std::string_view algorithm) {
  const Row* row = find_agent(algorithm);
  return row != nullptr && row->on_policy;
}

bool imagines_rewards(std::string_view algorithm) {
  const Row* row = find_agent(algorithm);
  return row != nullptr && row->imagines_rewards;
}

void check_suits(std::string_view algorithm, const EnvSpec& spec) {
  if (spec.discrete && !takes_discrete_actions(algorithm)) {
    throw InputError(
        fmt::format("{} has no policy for the discrete actions of {}; speder and sac* do",
                    algorithm, spec.name));
  }
  if (!imagines_rewards(algorithm) || KnownTask::is_known(spec)) return;
  throw InputError(
      fmt::format("{} plans with the task's reward as a function of what is observed; it is known "
                  "for the tasks of suite mbbl, not for {}",
                  algorithm, spec.name));
}

Agent make_agent(const AgentConfig& config, const EnvSpec& spec, Device device,
                 const SeedTree& seeds) {
  check_suits(config.algorithm, spec);
  if (const Row* row = find_agent(config.algorithm))
    return row->make({config, spec, device, seeds});
  std::string names;
  for (const std::string_view name : algorithms()) names.append(" ").append(name);
  throw std::invalid_argument(
      fmt::format("no algorithm is called '{}'; there are:{}", config.algorithm, names));
}

}  // namespace speder::deep
