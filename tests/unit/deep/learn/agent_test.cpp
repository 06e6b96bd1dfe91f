#include "speder/deep/learn/agents/agent.hpp"

#include <cmath>
#include <functional>
#include <set>

#include "speder/core/check.hpp"
#include "speder/deep/learn/agents/spectral_actor_critic.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/learn/small_agent.hpp"

using namespace speder;
using namespace speder::deep;

namespace agent_test {
namespace {

AgentConfig tiny(const std::string& algorithm) {
  AgentConfig c = small_agent(algorithm);
  c.epochs = 2;
  c.reward_weight = 1;
  return c;
}

const EnvSpec& spec() {
  static const auto physics = point_physics();
  return physics->spec;
}

/// The point under the name of a task with one action whose reward is known and reads one entry.
EnvSpec spec_for(const std::string& algorithm) {
  EnvSpec s = spec();
  try {
    check_suits(algorithm, s);
  } catch (const InputError&) {
    s.name = "Pendulum";
    s.observation_size = 3;
  }
  return s;
}

RingBuffer filled(int steps, int states = 1) {
  RingBuffer buffer(states, 1, steps);
  Rng rng = SeedTree(9).stream("steps");
  for (int i = 0; i < steps; ++i) {
    const std::vector<float> s(static_cast<std::size_t>(states),
                               static_cast<float>(rng.uniform(-1, 1)));
    const std::vector<float> a = {static_cast<float>(rng.uniform(-1, 1))};
    const std::vector<float> next(s.size(), s[0] + 0.25F * a[0]);
    buffer.add({s, a, -s[0] * s[0], next, i % 11 == 0, i % 7 == 0});
  }
  return buffer;
}

std::vector<Tensor> values(const std::vector<NamedTensor>& tensors, const std::string& prefix) {
  std::vector<Tensor> out;
  for (const NamedTensor& t : tensors) {
    if (t.name.starts_with(prefix)) out.push_back(t.tensor.detach().clone());
  }
  REQUIRE_FALSE(out.empty());
  return out;
}

bool same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!at::equal(a[i], b[i])) return false;
  }
  return a.size() == b.size();
}

/// Which of the named groups a step changed.
std::set<std::string> changed_by(SpectralActorCritic& agent, const std::function<void()>& step) {
  const std::vector<std::string> groups = {"phi.",           "mu.",     "reward_head.",
                                           "phi_ema.",       "reward.", "critic.",
                                           "critic_target.", "actor.",  "log_alpha"};
  std::vector<std::vector<Tensor>> before;
  for (const auto& g : groups) before.push_back(values(agent.tensors(), g));
  step();
  std::set<std::string> changed;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!same(before[i], values(agent.tensors(), groups[i]))) changed.insert(groups[i]);
  }
  return changed;
}

}  // namespace

TEST_CASE("SPEDER-SAC: each step moves its own parameters and no others", "[learn][agent]") {
  SpectralActorCritic agent(tiny("speder"), spec(), at::kCPU, SeedTree(1));
  const RingBuffer buffer = filled(200);
  Rng rng(5);
  const Minibatch batch = draw_minibatch(buffer, {.size = 32}, at::kCPU, rng);
  Diagnostics d;
  using Set = std::set<std::string>;
  CHECK(changed_by(agent, [&] { agent.learn_features(batch, d); }) ==
        Set{"phi.", "mu.", "reward_head."});
  CHECK(changed_by(agent, [&] { agent.learn_reward(batch, d); }) == Set{"reward."});
  CHECK(changed_by(agent, [&] { agent.learn_critic(batch, d); }) == Set{"critic."});
  CHECK(changed_by(agent, [&] { agent.improve_policy(batch, d); }) == Set{"actor.", "log_alpha"});
  CHECK(changed_by(agent, [&] { agent.follow(); }) == Set{"phi_ema.", "critic_target."});
  for (const NamedTensor& t : agent.tensors()) CHECK_FALSE(t.tensor.grad().defined());
}

namespace {

/// The mean action after some updates on one-step tasks with r = −(a − best)², whose φ says nothing.
double action_without_features(double best, bool reward_model) {
  AgentConfig c = tiny("speder");
  c.reward_model = reward_model;
  c.reward_weight = 0;
  c.actor_lr = c.critic_lr = c.alpha_lr = 1e-2;
  SpectralActorCritic agent(c, spec(), at::kCPU, SeedTree(1));
  {
    const at::NoGradGuard no_grad;
    for (const NamedTensor& t : agent.tensors()) {
      if (t.name.starts_with("phi_ema.")) t.tensor.zero_();
    }
  }
  RingBuffer buffer(1, 1, 256);
  Rng rng = SeedTree(9).stream("steps");
  for (int i = 0; i < 256; ++i) {
    const std::vector<float> s = {static_cast<float>(rng.uniform(-1, 1))};
    const std::vector<float> a = {static_cast<float>(rng.uniform(-1, 1))};
    const double miss = a[0] - best;
    buffer.add({s, a, static_cast<float>(-miss * miss), s, true, true});
  }
  Diagnostics d;
  for (int i = 0; i < 400; ++i) {
    const Minibatch batch = draw_minibatch(buffer, {.size = 32}, at::kCPU, rng);
    agent.learn_reward(batch, d);
    agent.learn_critic(batch, d);
    agent.improve_policy(batch, d);
  }
  const at::NoGradGuard no_grad;
  return agent.policy().mean_action(at::zeros({1, 1})).item<double>();
}

}  // namespace

TEST_CASE(
    "a cost of the action that φ cannot tell reaches the actor through the reward model alone",
    "[learn][agent]") {
  // nearer to the best action than to none
  CHECK_THAT(action_without_features(0.6, true), WithinAbs(0.6, 0.3));
  CHECK_THAT(action_without_features(-0.6, true), WithinAbs(-0.6, 0.3));
  CHECK(action_without_features(0.6, false) == action_without_features(-0.6, false));
}

TEST_CASE(
    "Q is the reward model plus the head: in the actor's loss, in the critic's value and in its "
    "target",
    "[learn][agent][learning]") {
  AgentConfig c = tiny("speder");
  c.reward_weight = 0;
  SpectralActorCritic agent(c, spec(), at::kCPU, SeedTree(1));
  {
    const at::NoGradGuard no_grad;  // heads of 0, r̂ = 3, and no entropy
    for (const NamedTensor& t : agent.tensors()) {
      if (t.name.starts_with("critic") || t.name.starts_with("reward.")) t.tensor.zero_();
      if (t.name == "reward.bias_1") t.tensor.fill_(3);
      if (t.name == "log_alpha") t.tensor.fill_(-50);
    }
  }
  const RingBuffer buffer = filled(200);
  Rng rng(5);
  const Minibatch batch = draw_minibatch(buffer, {.size = 32}, at::kCPU, rng);
  Diagnostics d;
  agent.improve_policy(batch, d);
  agent.learn_critic(batch, d);
  const auto shown = [&](const std::string& name) {
    for (const NamedTensor& n : d) {
      if (n.name == name) return n.tensor.item<double>();
    }
    return std::nan("");
  };
  // y = r + γ (1 − terminated) 3, for both heads
  const Tensor y = batch.reward + c.discount * 3 * (1 - batch.terminated);
  constexpr double kRounding = 1e-5;  // of a mean over 32 floats below 10
  CHECK_THAT(shown("actor_loss"), WithinAbs(-3, kRounding));
  CHECK_THAT(shown("q"), WithinAbs(3, kRounding));
  CHECK_THAT(shown("critic_loss"),
             WithinAbs(2 * (3 - y).square().mean().item<double>(), kRounding));
}

TEST_CASE("every algorithm: one seed twice is identical, another seed is not", "[learn][agent]") {
  const std::string algorithm(GENERATE(from_range(algorithms())));
  CAPTURE(algorithm);
  const EnvSpec task = spec_for(algorithm);
  const RingBuffer buffer = filled(64, task.observation_size);
  const auto trained = [&](std::uint64_t seed) {
    Agent agent = make_agent(tiny(algorithm), task, at::kCPU, SeedTree(seed));
    for (std::uint64_t i = 0; i < 5; ++i) {
      Rng rng = SeedTree(seed).stream("update", i);
      for (const NamedTensor& n : agent.update(buffer, rng)) {
        CHECK(n.tensor.isfinite().all().item<bool>());
      }
    }
    return values(agent.tensors(), "");
  };
  CHECK(same(trained(1), trained(1)));
  CHECK_FALSE(same(trained(1), trained(2)));
}

TEST_CASE("every algorithm: actions lie in the box; noise moves them, its absence does not",
          "[learn][agent]") {
  const std::string algorithm(GENERATE(from_range(algorithms())));
  CAPTURE(algorithm);
  const EnvSpec task = spec_for(algorithm);
  const Agent agent = make_agent(tiny(algorithm), task, at::kCPU, SeedTree(1));
  const Tensor x = at::linspace(-2, 2, 7).view({7, 1}).repeat({1, task.observation_size});
  if (agent.play) {  // the same stream gives the same actions, and there are 7 of them in the box
    const auto played = [&] {
      Rng rng(3);
      const Player player = agent.play(7);
      const Tensor first = player(x, rng, false);
      return at::cat({first, player(x, rng, true)});
    };
    const Tensor a = played();
    CHECK(at::equal(a, played()));
    CHECK(a.size(0) == 14);
    CHECK(a.abs().max().item<double>() <= 1);
    CHECK_FALSE(a.requires_grad());
    return;
  }
  const Tensor mean = agent.act(x, {});
  CHECK(mean.abs().max().item<double>() <= 1);
  CHECK(at::equal(mean, agent.act(x, {})));
  CHECK_FALSE(at::equal(mean, agent.act(x, at::ones({7, 1}))));
  CHECK_FALSE(mean.requires_grad());
}

TEST_CASE("objectives, bonus, with and without rewards: all combinations run and stay finite",
          "[learn][agent]") {
  AgentConfig c = tiny("speder");
  c.objective = GENERATE("dual", "exact", "literal");
  c.reward_weight = GENERATE(0.0, 1.0);
  c.reward_model = GENERATE(false, true);
  c.bonus = GENERATE(0.0, 5.0);
  c.prob_weight = 0.1;
  c.feature_updates = 2;
  Agent agent = make_agent(c, spec(), at::kCPU, SeedTree(1));
  Rng rng(8);
  const Diagnostics d = agent.update(filled(100), rng);
  for (const NamedTensor& n : d) CHECK(n.tensor.isfinite().all().item<bool>());
}

TEST_CASE("unknown algorithm and objective are named with the choices", "[learn][agent]") {
  AgentConfig c = tiny("speeder");
  CHECK_THROWS_WITH(make_agent(c, spec(), at::kCPU, SeedTree(1)),
                    Catch::Contains("'speeder'") && Catch::Contains("sac3"));
  c = tiny("speder");
  c.objective = "duel";
  CHECK_THROWS_WITH(make_agent(c, spec(), at::kCPU, SeedTree(1)), Catch::Contains("literal"));
}

TEST_CASE("input scale: states get mean 0 and deviation 1, actions stay, later data change nothing",
          "[learn][agent]") {
  RingBuffer buffer(2, 1, 10);
  for (const float x : {1.0F, 3.0F}) {  // entry 0: mean 2, deviation √2; entry 1 does not move
    const std::vector<float> s = {x, 5}, a = {0.5F}, next = {0, 0};
    buffer.add({s, a, 0, next, false, false});
  }
  InputScale scale(2, 1, at::kCPU);
  const Tensor row = at::tensor({3.0F, 5.0F, 0.5F}).unsqueeze(0);
  CHECK(at::equal(scale(row), row));
  scale.measure(buffer);
  const Tensor expected = at::tensor({1 / std::sqrt(2.0F), 0.0F, 0.5F}).unsqueeze(0);
  CHECK(at::allclose(scale(row), expected));
  CHECK(at::allclose(scale(row.narrow(1, 0, 2)), expected.narrow(1, 0, 2)));
  const std::vector<float> far = {100, 100}, a = {0};
  buffer.add({far, a, 0, far, false, false});
  scale.measure(buffer);
  CHECK(at::allclose(scale(row), expected));
}

}  // namespace agent_test
