#include "speder/deep/learn/agents/metrpo.hpp"

#include <cmath>

#include "speder/deep/learn/agents/ppo.hpp"
#include "speder/deep/train/loop.hpp"
#include "speder/stats/statistics.hpp"
#include "tests/catch.hpp"

using namespace speder;
using namespace speder::deep;

namespace metrpo_test {
namespace {

Tensor wide_limits(std::int64_t states) {
  return at::stack({at::full({states}, -1e6, at::kFloat), at::full({states}, 1e6, at::kFloat)});
}

/// The true Pendulum in its observations, u = 2a.
Tensor true_pendulum(const Tensor& s, const Tensor& action) {
  const Tensor theta = at::atan2(s.select(1, 1), s.select(1, 0));
  const Tensor speed = s.select(1, 2) + (15 * theta.sin() + 6 * action.select(1, 0)) * 0.05;
  const Tensor next = theta + speed * 0.05;
  return at::stack({next.cos(), next.sin(), speed.clamp(-8, 8)}, 1);
}

}  // namespace

TEST_CASE("imagined returns in the true Pendulum are the environment's",
          "[learn][metrpo][learning]") {
  const auto physics = load_physics("Pendulum", {});
  const KnownTask task = KnownTask::of(physics->spec, at::kCPU);
  Env env(physics);
  Rng rng(3);
  env.reset(rng);
  const std::vector<double> first(env.observation().begin(), env.observation().end());
  constexpr std::int64_t kLength = 50;
  Rng draws_rng(4);
  const ImaginationDraws draws = draw_imagination(at::tensor(first, at::kFloat).view({1, 3}),
                                                  kLength, 2, 1, 5, at::kCPU, draws_rng);
  const Imagination world{
      .step = [](const Tensor& s, const Tensor& a, const Tensor&) { return true_pendulum(s, a); },
      .policy = [](const Tensor& s, const Tensor& noise) { return s.narrow(1, 1, 1) + noise; },
      .limits = wide_limits(3)};
  const Minibatch rows = imagine(world, task, draws);
  REQUIRE(rows.reward.size(0) == 2 * kLength);
  double real = 0, imagined = 0, worst = 0;
  for (std::int64_t t = 0; t < kLength;
       ++t) {  // the first trajectory's actions, beyond the box too
    real += env.step(std::vector<double>{rows.action[t][0].item<double>()}).reward;
    imagined += rows.reward[t].item<double>();
    worst = std::max(worst, std::abs(env.observation()[0] - rows.next_state[t][0].item<double>()));
  }
  CHECK(rows.action.abs().max().item<double>() > 1);
  CHECK_THAT(imagined, WithinAbs(real, 1e-4 * kLength));
  CHECK(worst < 1e-3);
}

TEST_CASE("imagined rows: trajectory after trajectory, ends begin anew, the last is truncated",
          "[learn][metrpo]") {
  // Hopper-ET whose height falls by ⅖ a step from 1.3: over at 0.5, after two steps.
  EnvSpec spec{.name = "Hopper-ET",
               .suite = "MBBL",
               .observation_size = 11,
               .action_size = 3,
               .action_low = {-1, -1, -1},
               .action_high = {1, 1, 1}};
  const KnownTask task = KnownTask::of(spec, at::kCPU);
  Tensor start = at::zeros({1, 11});
  start[0][0] = 1.3;
  Rng rng(5);
  const ImaginationDraws draws = draw_imagination(start, 5, 3, 3, 5, at::kCPU, rng);
  Imagination world{.step =
                        [](const Tensor& s, const Tensor&, const Tensor&) {
                          Tensor next = s.clone();
                          next.select(1, 0).sub_(0.4);
                          return next;
                        },
                    .policy = [](const Tensor&, const Tensor& noise) { return noise; },
                    .limits = wide_limits(11)};
  const Minibatch rows = imagine(world, task, draws);
  const Tensor heights = rows.state.select(1, 0).view({3, 5});
  for (std::int64_t m = 0; m < 3; ++m) {
    CHECK(at::allclose(heights[m], at::tensor({1.3F, 0.9F, 1.3F, 0.9F, 1.3F})));
  }
  CHECK(at::equal(rows.terminated.view({3, 5})[1], at::tensor({0.F, 1.F, 0.F, 1.F, 0.F})));
  CHECK(at::equal(rows.ended.view({3, 5})[2], at::tensor({0.F, 1.F, 0.F, 1.F, 1.F})));
  // advantages of all rows at once are those of the trajectories one by one
  const Tensor value = rows.state.select(1, 0) * 2, next_value = rows.next_state.select(1, 0) * 2;
  const auto advantage = [&](std::int64_t from, std::int64_t n) {
    const auto some = [&](const Tensor& t) { return t.narrow(0, from, n); };
    return generalised_advantage({some(rows.reward), some(rows.terminated), some(rows.ended),
                                  some(value), some(next_value), 0.9, 0.8});
  };
  CHECK(at::allclose(advantage(0, 15),
                     at::cat({advantage(0, 5), advantage(5, 5), advantage(10, 5)})));
  world.stop_at_end = false;
  CHECK(imagine(world, task, draws).terminated.sum().item<double>() == 0);
}

TEST_CASE("imagination: members are used evenly, each trajectory draws its own",
          "[learn][metrpo]") {
  Rng rng(6);
  const ImaginationDraws draws = draw_imagination(at::zeros({4, 2}), 100, 50, 1, 5, at::kCPU, rng);
  std::vector<std::int64_t> counts;
  for (int m = 0; m < 5; ++m) counts.push_back(draws.member.eq(m).sum().item<std::int64_t>());
  CHECK(chi_square_test(counts, Vector::Constant(5, 0.2)).p_value > 1e-3);
  CHECK(draws.member[0].ne(draws.member[0][0]).any().item<bool>());
}

TEST_CASE("episode starts: the first step and those after an end, not across the write head",
          "[learn][metrpo]") {
  RingBuffer buffer(1, 1, 5);
  const auto add = [&](float x, bool ended) {
    const std::vector<float> s = {x}, a = {0}, next = {x + 1};
    buffer.add({s, a, 0, next, false, ended});
  };
  add(0, false);
  add(1, true);
  add(10, false);
  CHECK(at::equal(episode_starts(buffer).view({-1}), at::tensor({0.F, 10.F})));
  add(11, true);
  add(20, false);
  add(21, false);  // overwrites the first
  CHECK(at::equal(episode_starts(buffer).view({-1}), at::tensor({10.F, 20.F})));
}

TEST_CASE("ME-TRPO: the policy's width goes back to 1 in every round", "[learn][metrpo]") {
  AgentConfig config;
  config.algorithm = "metrpo";
  config.actor_hidden = {8};
  config.critic_width = 8;
  config.ensemble = 2;
  config.model_hidden = {8};
  config.model_steps = 5;
  config.imagined_steps = 40;
  config.imagined_length = 10;
  config.policy_rounds = 1;
  config.trust_radius = 1e-9;  // the step itself moves nothing that shows
  EnvSpec spec = point_physics()->spec;
  spec.name = "Pendulum";
  spec.observation_size = 3;
  ModelEnsembleTrpo agent(config, spec, at::kCPU, SeedTree(1));
  RingBuffer buffer(3, 1, 64);
  Rng rng(2);
  for (int i = 0; i < 64; ++i) {
    const auto draw = [&] { return static_cast<float>(rng.uniform(-1, 1)); };
    const std::vector<float> s = {draw(), draw(), draw()}, a = {draw()};
    const std::vector<float> next = {draw(), draw(), draw()};
    buffer.add({s, a, 0, next, false, i % 20 == 19});
  }
  const auto width = [&] {
    for (const NamedTensor& t : agent.tensors())
      if (t.name == "log_std") return t.tensor;
    return Tensor{};
  };
  {
    const at::NoGradGuard no_grad;
    width().fill_(0.7);
  }
  static_cast<void>(agent.update(buffer, rng));
  CHECK(width().abs().max().item<double>() < 1e-3);
}

TEST_CASE("ME-TRPO learns Pendulum from 1,000 real steps", "[learn][metrpo][learning]") {
  TrainConfig config;
  config.env = "Pendulum";
  config.agent.algorithm = "metrpo";
  config.agent.update_every = 500;
  config.random_steps = 500;
  config.steps = 1000;
  config.eval_every = 1000;
  config.eval_episodes = 10;
  config.agent.actor_hidden = {32, 32};
  config.agent.critic_width = 32;
  config.agent.critic_lr = 3e-3;
  config.agent.ensemble = 3;
  config.agent.model_hidden = {64, 64};
  config.agent.model_lr = 3e-3;
  config.agent.model_steps = 600;
  config.agent.imagined_steps = 2500;
  config.agent.imagined_length = 50;
  config.agent.policy_rounds = 20;
  config.agent.discount = 0.95;
  const TrainResult r = train(config, load_physics("Pendulum", {}), {});
  REQUIRE(r.final_return);
  // Hanging still earns 201; doing nothing swings at about −60, as the tests of the task say. More than half of
  // the way.
  CHECK(r.final_return->mean > 70);
}

}  // namespace metrpo_test
