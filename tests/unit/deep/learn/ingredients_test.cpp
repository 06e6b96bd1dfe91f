// What the default learner and its controls are put together from: longer returns, heads of any depth,
// units that follow the data, features that do not learn, a bonus in units of its mean.
#include <cmath>
#include <map>

#include "speder/deep/learn/agents/agent.hpp"
#include "speder/deep/learn/agents/bonus.hpp"
#include "speder/deep/learn/agents/losses.hpp"
#include "speder/deep/learn/agents/spectral_actor_critic.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/learn/small_agent.hpp"

using namespace speder;
using namespace speder::deep;

namespace ingredients_test {
namespace {

constexpr double kFloat = 1e-5;  // float32 products of a few terms

std::map<std::string, Tensor> after_updates(const AgentConfig& config, int updates) {
  const Agent agent = make_agent(config, point_spec(), at::kCPU, SeedTree(3));
  const RingBuffer buffer = filled(200);
  for (int i = 0; i < updates; ++i) {
    Rng rng = SeedTree(4).stream("update", static_cast<std::uint64_t>(i));
    static_cast<void>(agent.update(buffer, rng));
  }
  std::map<std::string, Tensor> out;
  for (const NamedTensor& t : agent.tensors()) out[t.name] = t.tensor.detach().clone();
  return out;
}

bool equal(const std::map<std::string, Tensor>& a, const std::map<std::string, Tensor>& b) {
  bool same = a.size() == b.size();
  for (const auto& [name, value] : a)
    same = same && b.contains(name) && at::equal(value, b.at(name));
  return same;
}

}  // namespace

TEST_CASE("n-step returns: sums by hand, cut at the end of an episode and of the buffer",
          "[learn][replay]") {
  // A ring of 6 with steps 2 … 7. Step i has observation i and reward 2^i; an episode ends with
  // step 4 (terminated), another with step 6 (truncated).
  RingBuffer buffer(1, 1, 6);
  for (int i = 0; i < 8; ++i) {
    const std::vector<float> s = {static_cast<float>(i)}, a = {0.0F};
    const std::vector<float> next = {static_cast<float>(i) + 0.5F};
    buffer.add({s, a, std::ldexp(1.0F, i), next, i == 4, i == 4 || i == 6});
  }
  struct Expected {
    float reward, state, terminated, discount;
  };
  constexpr float g = 0.5F;
  const std::map<int, Expected> expected = {
      {2, {4 + g * 8 + g * g * 16, 4.5F, 1, g * g * g}},
      {3, {8 + g * 16, 4.5F, 1, g * g}},   // step 4 ends the episode
      {4, {16, 4.5F, 1, g}},               // the step after it belongs to another one
      {5, {32 + g * 64, 6.5F, 0, g * g}},  // truncated: the value beyond counts
      {6, {64, 6.5F, 0, g}},
      {7, {128, 7.5F, 0, g}},  // the newest: nothing follows yet
  };
  Rng rng(7);
  const Minibatch m =
      draw_minibatch(buffer, {.size = 200, .returns = 3, .discount = g}, at::kCPU, rng);
  std::map<int, int> seen;
  for (int i = 0; i < 200; ++i) {
    const int step = static_cast<int>(m.state[i][0].item<float>());
    ++seen[step];
    const Expected& e = expected.at(step);
    CHECK(m.far.reward[i].item<float>() == e.reward);
    CHECK(m.far.state[i][0].item<float>() == e.state);
    CHECK(m.far.terminated[i].item<float>() == e.terminated);
    CHECK(m.far.discount[i].item<float>() == e.discount);
    CHECK(m.next_state[i][0].item<float>() == static_cast<float>(step) + 0.5F);  // φ's own
  }
  CHECK(seen.size() == 6);
  const Tensor value = at::full({200}, 3.0F);
  const Tensor y = far_target(m, m.far.reward, value, 0.5);
  for (int i = 0; i < 200; ++i) {
    const Expected& e = expected.at(static_cast<int>(m.state[i][0].item<float>()));
    CHECK(y[i].item<float>() == e.reward + (1 - e.terminated) * e.discount * 3);
  }
}

TEST_CASE("one-step returns are the columns of the batch", "[learn][replay]") {
  const RingBuffer buffer = filled(50);
  Rng rng(1), again(1);
  const Minibatch one = draw_minibatch(buffer, {.size = 20}, at::kCPU, rng);
  CHECK(at::equal(one.far.reward, one.reward));
  CHECK(at::equal(one.far.state, one.next_state));
  CHECK_FALSE(one.far.discount.defined());
  const Minibatch far = draw_minibatch(buffer, {.size = 20, .returns = 4}, at::kCPU, again);
  CHECK(at::equal(far.pair, one.pair));  // the same draws
  CHECK(at::equal(far.next_noise, one.next_noise));
}

TEST_CASE("normalised networks of any depth are their formula, each copy on its own",
          "[learn][mlp]") {
  Rng rng = SeedTree(5).stream("mlp");
  const Mlp deep({.input = 3, .hidden = {8, 6}, .output = 1, .copies = 2, .norm = true}, at::kCPU,
                 rng);
  const Tensor x = at::arange(12, at::kFloat).view({4, 3}).sin();
  const Tensor out = deep(x);  // (2, 4, 1)
  const auto& p = deep.parameters();
  for (int e = 0; e < 2; ++e) {
    Tensor h = at::linear(x, p[0].narrow(0, 8 * e, 8), p[1].narrow(0, 8 * e, 8));
    h = at::relu(at::layer_norm(h, {8}));
    h = at::relu(at::layer_norm(at::mm(h, p[2][e]) + p[3][e], {6}));
    CHECK(at::allclose(out[e], at::mm(h, p[4][e]) + p[5][e], kFloat, kFloat));
  }
  CHECK_THROWS_AS(Mlp({.input = 3, .hidden = {8}, .output = 1, .norm = true}, at::kCPU, rng),
                  std::invalid_argument);
}

TEST_CASE("relative bonus: zero on average over its sample, the same for φ and cφ",
          "[learn][bonus]") {
  Rng rng = SeedTree(8).stream("phi");
  const Tensor sample = at::empty({64, 4}, at::kFloat);
  for (float& x : std::span(sample.data_ptr<float>(), 256)) x = static_cast<float>(rng.normal());
  const auto relative = [&](double c, double ridge, std::int64_t stored) {
    EllipticalBonus bonus({.ridge = ridge, .relative = true}, 4, at::kCPU);
    bonus.refresh(c * sample, stored);
    return bonus.relative(c * sample);
  };
  const Tensor plain = relative(1, 1, 5000);
  CHECK(std::abs(plain.mean().item<double>()) < kFloat);
  CHECK(plain.abs().max().item<double>() > 0.1);  // steps differ
  CHECK(at::allclose(relative(16, 256, 5000), plain, kFloat, kFloat));
  // Without a ridge to speak of it does not depend on the number of steps either.
  CHECK(at::allclose(relative(1, 1e-9, 5000), relative(1, 1e-9, 500'000), kFloat, kFloat));
  // By hand: features e₁ (three times as often) and e₂ have lengths ∝ 1/√3 and 1.
  const Tensor axes = at::eye(2, at::kFloat).index_select(0, at::tensor({0, 0, 0, 1}));
  EllipticalBonus bonus({.ridge = 1e-9, .relative = true}, 2, at::kCPU);
  bonus.refresh(axes, 4);
  const double often = 1 / std::sqrt(3.0), mean = (3 * often + 1) / 4;
  const Tensor b = bonus.relative(at::eye(2, at::kFloat));
  CHECK(std::abs(b[0].item<double>() - (often / mean - 1)) < kFloat);
  CHECK(std::abs(b[1].item<double>() - (1 / mean - 1)) < kFloat);
}

TEST_CASE("scaled bonus: learned by its own head alone, falls with √N, moves the actor",
          "[learn][agent]") {
  AgentConfig c = small_agent("speder");
  c.scaled_bonus = 2;
  c.scaled_bonus_steps = 100;
  const auto size_at = [&](int steps) {
    SpectralActorCritic agent(c, point_spec(), at::kCPU, SeedTree(1));
    const RingBuffer buffer = filled(steps);
    Rng rng(5);
    for (const NamedTensor& d : agent.update(buffer, rng)) {
      if (d.name == "scaled_bonus") return d.tensor.item<double>();
    }
    return std::nan("");
  };
  // The mean of |u/ū − 1| is that of the minibatch: about the same at both sizes.
  const double ratio = size_at(100) / size_at(900);
  CHECK(ratio > 2);
  CHECK(ratio < 4.5);
  SpectralActorCritic agent(c, point_spec(), at::kCPU, SeedTree(1));
  const RingBuffer buffer = filled(200);
  Rng rng(5);
  static_cast<void>(agent.update(buffer, rng));
  const auto snapshot = [&] {
    std::map<std::string, Tensor> out;
    for (const NamedTensor& t : agent.tensors()) out[t.name] = t.tensor.detach().clone();
    return out;
  };
  const auto before = snapshot();
  Diagnostics d;
  agent.learn_exploration(draw_minibatch(buffer, {.size = 32}, at::kCPU, rng), d);
  for (const auto& [name, value] : snapshot()) {
    const bool its_own = name.starts_with("explorer.") || name.starts_with("explorer_adam.");
    CAPTURE(name);
    CHECK(at::equal(value, before.at(name)) != its_own);
  }
  // The same seeds without it: another actor, since its value is part of what the actor climbs.
  c.scaled_bonus = 0;
  AgentConfig with = c;
  with.scaled_bonus = 2;
  CHECK_FALSE(at::equal(after_updates(c, 3).at("actor.weight_0"),
                        after_updates(with, 3).at("actor.weight_0")));
}

TEST_CASE("units follow the data when asked, and only then", "[learn][agent]") {
  InputScale fixed(1, 1, at::kCPU), moving(1, 1, at::kCPU);
  const Tensor row = at::full({1, 2}, 2.0F);
  fixed.measure(filled(200));
  moving.measure(filled(200), 2);
  const Tensor first = fixed(row);
  CHECK(at::equal(moving(row), first));
  const RingBuffer wide = filled(200, 10);
  fixed.measure(wide);
  moving.measure(wide, 2);  // call 1 of 2
  CHECK(at::equal(moving(row), first));
  fixed.measure(wide);
  moving.measure(wide, 2);
  CHECK(at::equal(fixed(row), first));
  // (10x − 10m)/(10s) = (x − m)/s
  CHECK(at::allclose(moving(at::full({1, 1}, 20.0F)), first.narrow(1, 0, 1), kFloat, kFloat));
}

TEST_CASE("controls: random features never learn, raw ones have no part in Q", "[learn][agent]") {
  AgentConfig c = small_agent("speder");
  const auto start = after_updates(c, 0);
  const auto spectral = after_updates(c, 3);
  CHECK_FALSE(at::equal(spectral.at("phi.weight_0"), start.at("phi.weight_0")));
  c.features = "random";
  const auto random = after_updates(c, 3);
  CHECK(at::equal(random.at("phi.weight_0"), start.at("phi.weight_0")));
  CHECK(at::equal(random.at("phi_ema.weight_0"), start.at("phi_ema.weight_0")));
  CHECK_FALSE(at::equal(random.at("critic.weight_0"), start.at("critic.weight_0")));
  c.features = "raw";
  CHECK(after_updates(c, 1).at("critic.weight_0").size(1) == 2);  // (s,a) alone
  c.features = "spectral";
  c.head_raw = true;
  CHECK(after_updates(c, 1).at("critic.weight_0").size(1) == 8 + 2);
}

TEST_CASE("features for the bonus alone: φ learns, the heads see (s,a)", "[learn][agent]") {
  AgentConfig c = small_agent("speder");
  c.features = "bonus";
  c.scaled_bonus = 1;
  const auto start = after_updates(c, 0), later = after_updates(c, 3);
  CHECK(later.at("critic.weight_0").size(1) == 2);
  CHECK(later.at("explorer.weight_0").size(1) == 2);
  CHECK_FALSE(at::equal(later.at("phi.weight_0"), start.at("phi.weight_0")));
  AgentConfig raw = c;
  raw.features = "raw";  // the bonus of a φ that stands still is another one
  CHECK(at::equal(after_updates(raw, 1).at("critic.weight_0"),
                  after_updates(c, 1).at("critic.weight_0")));
  CHECK_FALSE(
      at::equal(after_updates(raw, 3).at("explorer.weight_0"), later.at("explorer.weight_0")));
}

TEST_CASE("falling rate of φ: as it was up to update k, then k/t of it", "[learn][agent]") {
  AgentConfig c = small_agent("speder");
  AgentConfig falling = c;
  falling.feature_decay = 3;
  CHECK(equal(after_updates(c, 3), after_updates(falling, 3)));
  CHECK_FALSE(equal(after_updates(c, 4), after_updates(falling, 4)));
  falling.feature_decay = 1;
  AgentConfig half = c;
  half.feature_lr = c.feature_lr / 2;
  // Both begin at the same φ; the second update of the one has half the rate.
  const auto step = [&](const AgentConfig& config, int updates) {
    return (after_updates(config, updates).at("phi.bias_0") -
            after_updates(config, updates - 1).at("phi.bias_0"))
        .abs()
        .mean()
        .item<double>();
  };
  CHECK(std::abs(step(falling, 2) / step(c, 2) - 0.5) < 0.01);
}

TEST_CASE("twin critics: the smaller of both or their mean", "[learn][loss]") {
  const Tensor q = at::tensor({1.0F, 5.0F, 3.0F, 1.0F}).view({2, 2});
  const Tensor zero = at::zeros({2});
  const auto value = [&](const char* twin) {
    return soft_value(twin_values(q, twin), zero, at::ones({}));
  };
  CHECK(at::equal(value("min"), at::tensor({1.0F, 1.0F})));
  CHECK(at::equal(value("mean"), at::tensor({2.0F, 3.0F})));
  for (const char* algorithm : {"speder", "sac3"}) {
    AgentConfig c = small_agent(algorithm);
    const auto smaller = after_updates(c, 2);
    c.twin = "mean";
    const auto mean = after_updates(c, 2);
    CHECK_FALSE(at::equal(mean.at("critic.weight_0"), smaller.at("critic.weight_0")));
    CHECK_FALSE(at::equal(mean.at("actor.weight_0"), smaller.at("actor.weight_0")));
  }
}

TEST_CASE("base states from the batch: none are drawn, the rest of the batch is as it was",
          "[learn][replay]") {
  const RingBuffer buffer = filled(50);
  Rng rng(1), again(1);
  const Minibatch m =
      draw_minibatch(buffer, {.size = 20, .base = BaseMeasure::kNone, .returns = 2}, at::kCPU, rng);
  CHECK_FALSE(m.base_state.defined());
  for (int i = 0; i < 20; ++i) {  // by hand: a row, then two actions' worth of noise
    const auto row = buffer.draw(again);
    CHECK(m.reward[i].item<float>() == row[2]);
    CHECK(m.next_state[i][0].item<float>() == row[5]);
    CHECK(m.noise[i][0].item<float>() == static_cast<float>(again.normal()));
    CHECK(m.next_noise[i][0].item<float>() == static_cast<float>(again.normal()));
  }
  AgentConfig c = small_agent("speder");
  c.in_batch = true;
  CHECK_FALSE(at::equal(after_updates(c, 2).at("phi.weight_0"),
                        after_updates(small_agent("speder"), 2).at("phi.weight_0")));
}

TEST_CASE(
    "noisy successors: standard normal numbers of their own, the rest of the batch is as it was",
    "[learn][replay]") {
  const RingBuffer buffer = filled(500);
  Rng rng(1), again(1);
  const Minibatch plain = draw_minibatch(buffer, {.size = 1}, at::kCPU, rng);
  const Minibatch m = draw_minibatch(buffer, {.size = 1, .state_noise = true}, at::kCPU, again);
  CHECK(at::equal(plain.pair, m.pair));
  CHECK(at::equal(plain.base_state, m.base_state));
  CHECK(at::equal(plain.next_noise, m.next_noise));
  CHECK_FALSE(plain.state_noise.defined());
  constexpr int kRows = 20'000;
  const Tensor z =
      draw_minibatch(buffer, {.size = kRows, .state_noise = true}, at::kCPU, rng).state_noise;
  REQUIRE(z.sizes() == at::IntArrayRef({kRows, 2}));  // of next and base states
  const double five = 5 / std::sqrt(kRows);           // false alarm 6e-7 for each number
  CHECK(z.mean(0).abs().max().item<double>() < five);
  CHECK((z.square().mean(0) - 1).abs().max().item<double>() < five * std::sqrt(2.0));
  CHECK(std::abs((z.select(1, 0) * z.select(1, 1)).mean().item<double>()) < five);
}

TEST_CASE("a head that sees (s,a) beside φ weighs both alike", "[learn][agent]") {
  // Of a first layer with all weights 1 the two parts have the same squared length: d of normalised φ, and
  // (S + A) times the weight squared of a pair in units.
  AgentConfig c = small_agent("speder");
  c.head_raw = true;
  const SpectralActorCritic agent(c, point_spec(), at::kCPU, SeedTree(3));
  const Tensor pair = at::tensor({0.6F, -0.8F}).view({1, 2});
  const Tensor input = agent.head_input(pair, agent.slow_features(pair));
  REQUIRE(input.size(1) == c.feature_dim + 2);
  const Tensor raw = input.narrow(1, c.feature_dim, 2);
  CHECK(at::allclose(raw, 2 * pair, kFloat, kFloat));  // √(8/2), units not measured yet
  CHECK(std::abs(input.narrow(1, 0, c.feature_dim).square().sum().item<double>() - 8) < 0.1);
}

TEST_CASE("sac3+ is sac3 with normalised layers and units", "[learn][agent]") {
  AgentConfig plain = small_agent("sac3");
  const auto before = after_updates(plain, 2);
  plain.critic_norm = plain.critic_observation_norm = true;
  const auto by_hand = after_updates(plain, 2);
  CHECK(equal(by_hand, after_updates(small_agent("sac3+"), 2)));
  CHECK_FALSE(equal(by_hand, before));
}

}  // namespace ingredients_test
