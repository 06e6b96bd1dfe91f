#include "speder/deep/learn/agents/proto.hpp"

#include <cmath>
#include <numbers>

#include "speder/deep/train/loop.hpp"
#include "tests/catch.hpp"
#include "tests/temporary.hpp"
#include "tests/unit/deep/learn/point_task.hpp"

using namespace speder;
using namespace speder::deep;

namespace proto_test {
namespace {

Tensor normals(std::initializer_list<std::int64_t> size, Rng& rng) {
  const Tensor out = at::empty(at::IntArrayRef(size.begin(), size.size()), at::kDouble);
  for (std::int64_t i = 0; i < out.numel(); ++i) out.data_ptr<double>()[i] = rng.normal();
  return out;
}

TrainConfig point_run() {
  TrainConfig config;
  config.env = "Point";
  config.random_steps = 120;
  config.replay = 10'000;
  config.agent = AgentConfig{.algorithm = "proto",
                             .feature_dim = 8,
                             .feature_hidden = {32},
                             .critic_width = 32,
                             .actor_hidden = {32}};
  config.agent.batch = 64;
  config.agent.prototypes = 16;
  config.agent.projection = 8;
  config.agent.discount = 0.9;
  config.agent.tau = 0.04;
  config.agent.feature_lr = config.agent.actor_lr = config.agent.critic_lr = 2e-3;
  config.agent.alpha_lr = 5e-3;
  return config;
}

}  // namespace

TEST_CASE("balanced assignment: rows sum to 1, prototypes share alike",
          "[learn][proto][learning]") {
  Rng rng(3);
  const Tensor scores = normals({40, 8}, rng) * 0.3;
  const Tensor q = balanced_assignment(scores, 0.1, 100);
  CHECK((q.sum(1) - 1).abs().max().item<double>() < 1e-6);
  CHECK((q.sum(0) - 40.0 / 8).abs().max().item<double>() < 40 * 1e-6);
  // two clusters of rows and two prototypes that both like the first cluster: used evenly all the same
  const Tensor both = at::cat({at::tensor({1.0, 0.9}, at::kDouble).repeat({5, 1}),
                               at::tensor({0.2, 0.5}, at::kDouble).repeat({5, 1})});
  const Tensor even = balanced_assignment(both, 0.1, 50);
  // what scaling rows and columns cannot change is the odds ratio, e⁴: x²/(1 − x)² = e⁴
  const double x = std::exp(2.0) / (1 + std::exp(2.0));
  CHECK_THAT(even[0][0].item<double>(), WithinAbs(x, 1e-6));
  CHECK_THAT(even[9][1].item<double>(), WithinAbs(x, 1e-6));
}

TEST_CASE("assignment loss: cross entropy, no gradient in the assignment",
          "[learn][proto][learning]") {
  const Tensor q = at::tensor({0.25, 0.75}, at::kDouble).view({1, 2}).set_requires_grad(true);
  const Tensor scores = at::tensor({0.1, 0.2}, at::kDouble).view({1, 2}).set_requires_grad(true);
  const Tensor loss = assignment_loss(q, scores, 0.1);
  const double log_z = std::log(std::exp(1.0) + std::exp(2.0));
  CHECK_THAT(loss.item<double>(), WithinAbs(-(0.25 * (1 - log_z) + 0.75 * (2 - log_z)), 1e-12));
  const auto g = torch::autograd::grad({loss}, {q, scores}, {}, {}, false, true);
  CHECK_FALSE(g[0].defined());
  CHECK(g[1].defined());
}

TEST_CASE("neighbours: brute force, and the entropy of a normal by them",
          "[learn][proto][learning]") {
  Rng rng(4);
  const Tensor x = normals({7, 3}, rng), points = normals({20, 3}, rng);
  const Tensor found = kth_distance(x, points, 15, 3);
  for (int i = 0; i < 7; ++i) {
    std::vector<double> all;
    for (int j = 0; j < 15; ++j) all.push_back((x[i] - points[j]).norm().item<double>());
    std::ranges::sort(all);
    CHECK_THAT(found[i].item<double>(), WithinAbs(all[2], 1e-6));
  }
  // A 2-D normal has log 2πe = 2.838. Its log density has variance 1 and log of the mass around a
  // point ψ′(3) = 0.395, so that over eight clouds of 5,000 points the deviation is √(1.395/40,000) = 0.006.
  constexpr int kClouds = 8, kPoints = 5000, kNeighbours = 3;
  double entropy = 0;
  for (int i = 0; i < kClouds; ++i)
    entropy += neighbour_entropy(normals({kPoints, 2}, rng), kNeighbours) / kClouds;
  CHECK_THAT(entropy, WithinAbs(std::log(2 * std::numbers::pi * std::numbers::e), 0.02));
}

TEST_CASE("rows for prototypes: drawn over the batch", "[learn][proto][learning]") {
  // prototype 0 likes row 2, prototype 1 row 0
  Tensor scores = at::zeros({4, 2}, at::kDouble);
  scores[2][0] = 50;
  scores[0][1] = 50;
  const Tensor rows = draw_for_prototypes(scores, at::tensor({0.5, 0.999}, at::kDouble));
  CHECK(rows[0].item<std::int64_t>() == 2);
  CHECK(rows[1].item<std::int64_t>() == 0);
  // probabilities 0.1, 0.2, 0.3, 0.4 of the four rows, whatever another prototype thinks of them
  const Tensor fair = at::tensor({1.0, 2.0, 3.0, 4.0}, at::kDouble).log();
  for (const auto& [u, row] :
       {std::pair(0.05, 0), std::pair(0.25, 1), std::pair(0.55, 2), std::pair(0.95, 3)}) {
    for (const double other : {-5.0, 0.0, 5.0}) {
      const Tensor both = at::stack({fair, at::full({4}, other, at::kDouble)}, 1);
      const Tensor drawn = draw_for_prototypes(both, at::tensor({u, 0.5}, at::kDouble));
      CHECK(drawn[0].item<std::int64_t>() == row);
    }
  }
}

TEST_CASE("Proto-RL: the encoder stands still once the task begins, and the task is learnt",
          "[learn][proto][learning]") {
  TrainConfig config = point_run();
  config.steps = 3600;
  config.agent.explore_steps = 600;
  config.eval_every = 3600;
  config.eval_episodes = 50;
  const TrainResult r = train(config, point_physics(), {});
  REQUIRE(r.final_return);
  CHECK(r.final_return->mean > -2);  // more than half of the way from −4 to −0.52
  config.steps = 660;
  const TrainResult early = train(config, point_physics(), {});
  int compared = 0;
  for (std::size_t i = 0; i < r.tensors.size(); ++i) {
    const std::string& name = r.tensors[i].name;
    if (!name.starts_with("actor.encoder") && name != "prototypes" &&
        !name.starts_with("projector"))
      continue;
    ++compared;
    CHECK(at::equal(r.tensors[i].tensor, early.tensors[i].tensor));
  }
  CHECK(compared > 4);
}

TEST_CASE(
    "Proto-RL: when the task begins critic, temperature and optimisers are new, the actor stays",
    "[learn][proto]") {
  AgentConfig c = point_run().agent;
  c.explore_steps = 100;
  Proto agent(c, point_physics()->spec, at::kCPU, SeedTree(1));
  RingBuffer buffer(1, 1, 200);
  Rng rng(2);
  const auto store = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const std::vector<float> s = {static_cast<float>(rng.uniform(-1, 1))};
      const std::vector<float> a = {static_cast<float>(rng.uniform(-1, 1))};
      const std::vector<float> next = {s[0] + 0.25F * a[0]};
      buffer.add({s, a, -s[0] * s[0], next, false, i % 12 == 11});
    }
  };
  const auto values = [&](const std::string& prefix) {
    std::vector<Tensor> out;
    for (const NamedTensor& t : agent.tensors()) {
      if (t.name.starts_with(prefix))
        out.push_back(t.tensor.detach().clone().to(at::kDouble).flatten());
    }
    REQUIRE_FALSE(out.empty());
    return at::cat(out);
  };
  const auto moved = [](const Tensor& a, const Tensor& b) {
    return (a - b).abs().max().item<double>();
  };
  store(64);
  for (int i = 0; i < 60; ++i) static_cast<void>(agent.update(buffer, rng));
  CHECK(values("phase").item<double>() == 0);
  const Tensor prototypes = values("prototypes"), actor = values("actor.head");
  const Tensor critic = values("critic.heads"), target = values("critic_target.heads");
  const double first = std::log(c.initial_alpha);
  // what Adam moves in one step is its rate at most; half of the explorer's updates moved these
  REQUIRE(std::abs(values("log_alpha").item<double>() - first) > 5 * c.alpha_lr);
  store(40);
  static_cast<void>(agent.update(buffer, rng));
  CHECK(values("phase").item<double>() == 1);
  CHECK(std::abs(values("log_alpha").item<double>() - first) <= 1.01 * c.alpha_lr);
  CHECK(moved(values("prototypes"), prototypes) == 0);
  CHECK(moved(values("actor.head"), actor) <= 1.01 * c.actor_lr);
  CHECK(moved(values("critic.heads"), critic) > 10 * c.critic_lr);
  CHECK(moved(values("critic_target.heads"), target) > 10 * c.critic_lr);
  CHECK(values("critic_adam.count").item<double>() == 1);
  CHECK(values("actor_adam.count").item<double>() == 1);
  CHECK(values("alpha_adam.count").item<double>() == 1);
}

TEST_CASE("Proto-RL shows the entropy of the states it stored", "[learn][proto]") {
  const AgentConfig c = point_run().agent;
  Proto agent(c, point_physics()->spec, at::kCPU, SeedTree(1));
  CHECK(agent.inspect().empty());
  RingBuffer buffer(1, 1, 2000);
  Rng rng(2);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<float> s = {static_cast<float>(5 + 3 * rng.normal())}, a = {0};
    buffer.add({s, a, 0, s, false, false});
  }
  static_cast<void>(agent.update(buffer, rng));
  // in units a standard normal: ½ log 2πe; 1,000 points have a deviation of √((½ + ψ′(3))/1,000) = 0.03
  const Diagnostics shown = agent.inspect();
  REQUIRE(shown.size() == 1);
  CHECK_THAT(shown[0].tensor.item<double>(),
             WithinAbs(0.5 * std::log(2 * std::numbers::pi * std::numbers::e), 0.12));
}

TEST_CASE("Proto-RL: resumed across the change of phase bit for bit", "[learn][proto]") {
  TrainConfig config = point_run();
  config.steps = 420;
  config.agent.explore_steps = 240;
  config.eval_every = 105;
  config.eval_episodes = 2;
  const TrainResult whole = train(config, point_physics(), {});
  const int stop = GENERATE(200, 300);
  const testing::Folder folder;
  TrainObserver observer;
  auto count = std::make_shared<int>(0);
  observer.stop = [count, stop] { return (*count)++ >= stop; };
  RunPlace place{.device = at::kCPU, .checkpoints = folder.path, .checkpoint_every = 50};
  CHECK(train(config, point_physics(), place, observer).end == TrainEnd::kInterrupted);
  place.resume = true;
  CHECK((train(config, point_physics(), place).measures == whole.measures));
}

}  // namespace proto_test
