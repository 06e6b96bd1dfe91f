#include "speder/deep/learn/agents/agent.hpp"

#include <memory>

#include "speder/core/check.hpp"
#include "speder/deep/learn/agents/ppo.hpp"
#include "speder/deep/learn/agents/soft_actor_critic.hpp"
#include "speder/deep/learn/agents/spectral_actor_critic.hpp"
#include "speder/deep/learn/agents/successor_features.hpp"

namespace speder::deep {
namespace {

/// The functions of an off-policy learner with a SoftPolicy.
template <class Learner>
Agent soft_agent(std::shared_ptr<Learner> learner) {
  return {.act =
              [learner](const Tensor& observations, const Tensor& noise) {
                const at::NoGradGuard no_grad;
                return noise.defined() ? learner->policy().sample(observations, noise).action
                                       : learner->policy().mean_action(observations);
              },
          .update = [learner](const RingBuffer& buffer,
                              Rng& rng) { return learner->update(buffer, rng); },
          .tensors = [learner] { return learner->tensors(); }};
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
                                                      i.spec, i.device, i.seeds));
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
  Agent agent = soft_agent(learner);
  agent.inspect = [learner] { return learner->inspect(); };
  return agent;
}

Agent successor_agent(const Ingredients& i) {
  return soft_agent(std::make_shared<SuccessorFeatures>(i.config, i.spec, i.device, i.seeds));
}

Agent ppo_agent(const Ingredients& i) {
  auto learner = std::make_shared<Ppo>(i.config, i.spec, i.device, i.seeds);
  return {.act =
              [learner](const Tensor& observations, const Tensor& noise) {
                const at::NoGradGuard no_grad;
                return noise.defined() ? learner->sample(observations, noise)
                                       : learner->mean_action(observations);
              },
          .update = [learner](const RingBuffer& buffer,
                              Rng& rng) { return learner->update(buffer, rng); },
          .tensors = [learner] { return learner->tensors(); },
          .rollout = i.config.rollout};
}

using Factory = Agent (*)(const Ingredients&);
const std::vector<std::pair<std::string_view, Factory>> kAgents = {
    {"speder", spectral_agent},
    {"sac2", soft_actor_critic<2>},
    {"sac3", soft_actor_critic<3>},
    {"sac3+", improved_actor_critic},
    {"sac5", soft_actor_critic<5>},
    {"deepsf", successor_agent},
    {"ppo", ppo_agent},
};

}  // namespace

const std::vector<std::string_view>& algorithms() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const auto& [name, make] : kAgents) all.push_back(name);
    return all;
  }();
  return names;
}

Agent make_agent(const AgentConfig& config, const EnvSpec& spec, Device device,
                 const SeedTree& seeds) {
  for (const auto& [name, make] : kAgents) {
    if (name == config.algorithm) return make({config, spec, device, seeds});
  }
  std::string names;
  for (const std::string_view name : algorithms()) names.append(" ").append(name);
  throw std::invalid_argument(
      fmt::format("no algorithm is called '{}'; there are:{}", config.algorithm, names));
}

}  // namespace speder::deep
