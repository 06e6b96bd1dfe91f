#include "speder/deep/learn/agents/dreamer.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include "speder/deep/learn/replay/sequences.hpp"
#include "speder/deep/train/loop.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/learn/point_task.hpp"

using namespace speder;
using namespace speder::deep;

namespace dreamer_test {
namespace {

Tensor doubles(const std::vector<double>& values) { return at::tensor(values, at::kDouble); }
Tensor leaf(const std::vector<double>& values) { return doubles(values).set_requires_grad(true); }

}  // namespace

TEST_CASE("sequences: what led there, the last observation of an episode, first at the start",
          "[learn][dreamer]") {
  // Episodes of states 0, 1 (terminated, → 2) and 10, 11, 12, …; a = s/100, r = s/10. A ring of 7 after 9 steps.
  RingBuffer buffer(1, 1, 7);
  const auto add = [&](float x, bool terminated) {
    const std::vector<float> s = {x}, a = {x / 100}, next = {x + 1};
    buffer.add({s, a, x / 10, next, terminated, terminated});
  };
  for (const float x : {50.F, 51.F, 0.F}) add(x, false);
  add(1, true);
  for (const float x : {10.F, 11.F, 12.F, 13.F, 14.F}) add(x, false);
  Rng rng(2);
  int ends = 0;
  for (int i = 0; i < 200; ++i) {
    const SequenceBatch b = draw_sequences(buffer, 1, 5, at::kCPU, rng);
    REQUIRE(b.state.size(0) == 5);
    const auto at = [](const Tensor& t, int k) { return t.flatten()[k].item<float>(); };
    CHECK(at(b.first, 0) == 1);
    for (int k = 1; k < 5; ++k) {
      const float before = at(b.state, k - 1), now = at(b.state, k);
      CHECK(now < 50);    // those were overwritten
      if (before == 2) {  // after the episode's last observation the next one begins
        CHECK(now == 10);
        CHECK(at(b.first, k) == 1);
        CHECK(at(b.reward, k) == 0);
        continue;
      }
      CHECK(now == before + 1);
      CHECK(at(b.first, k) == 0);
      CHECK_THAT(at(b.action, k), WithinAbs(before / 100, 1e-6));
      CHECK_THAT(at(b.reward, k), WithinAbs(before / 10, 1e-6));
      CHECK(at(b.terminal, k) == (now == 2 ? 1 : 0));
      ends += now == 2 ? 1 : 0;
    }
  }
  CHECK(ends > 0);
}

TEST_CASE("λ-returns by hand", "[learn][dreamer][learning]") {
  const Tensor reward = doubles({1, 2, 3}).unsqueeze(1);
  const Tensor value = doubles({10, 20, 30, 40}).unsqueeze(1);
  const Tensor discount = at::full({3, 1}, 0.5, at::kDouble);
  const Tensor r = lambda_return(reward, discount, value, 0.5);
  CHECK(at::allclose(r.squeeze(1), doubles({9.8125, 15.25, 23})));
}

TEST_CASE("imagined losses: which step is weighed with what", "[learn][dreamer][learning]") {
  const Tensor discount =
      doubles({0.5, 0.25, 0.125, 7}).unsqueeze(1);  // T = 3; the last is not used
  const Tensor w = imagined_weights(discount);
  CHECK(at::allclose(w.squeeze(1), doubles({1, 0.5, 0.125})));
  const Tensor returns = leaf({3, 5, 7}), entropy = doubles({1, 2, 4});
  // −(1·(5 + 0.1·1) + ½·(7 + 0.1·2))/2
  const Tensor loss = imagined_actor_loss(returns.unsqueeze(1), entropy.unsqueeze(1), w, 0.1);
  CHECK_THAT(loss.item<double>(), WithinAbs(-(5.1 + 0.5 * 7.2) / 2, 1e-12));
  const Tensor value = leaf({1, 1, 1});
  const Tensor critic = imagined_critic_loss(value.unsqueeze(1), returns.unsqueeze(1), w);
  CHECK_THAT(critic.item<double>(), WithinAbs((4 + 0.5 * 16 + 0.125 * 36) / 6, 1e-12));
  const auto g = torch::autograd::grad({critic}, {value, returns}, {}, {}, false, true);
  CHECK(g[0].defined());
  CHECK_FALSE(g[1].defined());  // no gradient into the returns
}

TEST_CASE("balanced KL: 0.8 moves the prior, 0.2 the posterior, nothing under the free nat",
          "[learn][dreamer][learning]") {
  const Tensor q = leaf({std::log(0.7), std::log(0.3)}), p = leaf({0, 0});
  const auto gradient = [&](double free) {
    return torch::autograd::grad({balanced_kl(q, p, 2, free)}, {q, p});
  };
  const auto g = gradient(0);
  CHECK(at::allclose(g[1], 0.8 * doubles({-0.2, 0.2})));
  CHECK(at::allclose(g[0], 0.2 * doubles({0.1779, -0.1779}), 1e-3, 1e-4));
  const auto none = gradient(1);
  CHECK(none[0].abs().max().item<double>() == 0);
  CHECK(none[1].abs().max().item<double>() == 0);
  // summed over groups, mean over rows before the free nat: one row of 2, one of 0 is not free
  const double kl = std::log(2.0);
  const Tensor rows =
      at::stack({doubles({40, 0, 40, 0, 40, 0, 40, 0}), at::zeros({8}, at::kDouble)});
  CHECK_THAT(balanced_kl(rows, at::zeros({2, 8}, at::kDouble), 2, 1).item<double>(),
             WithinAbs(4 * kl / 2, 1e-9));
}

TEST_CASE("straight-through: one-hot forward, the softmax's gradient backward",
          "[learn][dreamer]") {
  const Tensor logits = leaf({0.3, -0.2, 0.9, 2.0, 1.0, -1.0});  // two groups of three
  const Tensor u = doubles({0.05, 0.999});
  const Tensor z = sample_one_hot(logits, u, 3);
  CHECK(at::allclose(z.detach(), doubles({1, 0, 0, 0, 0, 1})));
  const Tensor weights = doubles({1, 2, 3, 4, 5, 6});
  const Tensor expected = torch::autograd::grad(
      {(logits.view({2, 3}).softmax(-1).flatten() * weights).sum()}, {logits})[0];
  CHECK(at::allclose(torch::autograd::grad({(z * weights).sum()}, {logits})[0], expected));
  // frequencies
  Rng rng(3);
  Tensor counts = at::zeros({3}, at::kDouble);
  constexpr int kDraws = 3000;
  for (int i = 0; i < kDraws; ++i)
    counts = counts + sample_one_hot(logits.detach().narrow(0, 0, 3), doubles({rng.uniform()}), 3);
  const Tensor p = logits.detach().narrow(0, 0, 3).softmax(-1);
  CHECK((counts / kDraws - p).abs().max().item<double>() < 4 * 0.5 / std::sqrt(kDraws));
}

TEST_CASE("normal cut to the box: moments, entropy and the sample's gradient by quadrature",
          "[learn][dreamer]") {
  const double m = GENERATE(0.0, 0.6, -0.95), s = GENERATE(0.15, 0.8, 2.0);
  CAPTURE(m, s);
  constexpr int kPoints = 20'001;
  const Tensor x = at::linspace(-1, 1, kPoints, at::kDouble);
  const Tensor density = ((x - m).square() / (-2 * s * s)).exp();
  const Tensor p = density / (at::trapz(density, x));
  const double mean = at::trapz(p * x, x).item<double>();
  const double square = at::trapz(p * x * x, x).item<double>();
  const double entropy = -at::trapz(p * p.log(), x).item<double>();
  const CutNormal cut(doubles({m}), doubles({s}));
  const Tensor u = (at::arange(0, 20'000, at::kDouble) + 0.5) / 20'000;
  const Tensor a = cut.sample(u);
  CHECK(a.abs().max().item<double>() <= 1);
  CHECK_THAT(a.mean().item<double>(), WithinAbs(mean, 1e-3));
  CHECK_THAT(a.square().mean().item<double>(), WithinAbs(square, 1e-3));
  CHECK_THAT(cut.entropy().item<double>(), WithinAbs(entropy, 1e-3));
  // ∂E[a]/∂m and ∂E[a]/∂σ: E_p of the score times a, minus the product of the means
  const auto slope = [&](const Tensor& score) {
    return (at::trapz(p * score * x, x) - at::trapz(p * score, x) * mean).item<double>();
  };
  const Tensor by_mean = (x - m) / (s * s), by_std = (x - m).square() / (s * s * s);
  const CutNormal moving(leaf({m}), leaf({s}));
  const auto g = torch::autograd::grad({moving.sample(u).mean()}, {moving.mean, moving.std});
  CHECK_THAT(g[0].item<double>(), WithinAbs(slope(by_mean), 1e-3));
  CHECK_THAT(g[1].item<double>(), WithinAbs(slope(by_std), 1e-3));
}

TEST_CASE("the actor's gradient in a linear model is the chain rule", "[learn][dreamer]") {
  // z' = αz + βa, r = cz, v = ez. R_t is linear in the actions before and after t, so that the gradient is
  // −mean_t w_t [∑_k ∂R_{t+1}/∂a_k · ∂a_k/∂θ + η ∂H_t/∂θ] with what the actor sees held fixed.
  constexpr double kAlpha = 0.8, kBeta = 0.3, kReward = 0.7, kValue = -1.1, kDiscount = 0.9;
  constexpr double kLambda = 0.6, kEntropy = 0.05;
  constexpr std::int64_t kSteps = 4, kRows = 3;
  const Tensor theta = leaf({0.4, -0.3, 0.2, -0.5}).view({2, 2});  // slopes and offsets of (o, o')
  const auto actor = [&](const Tensor& features) {
    return features.narrow(1, 0, 1) * theta[0] + theta[1];
  };
  Rng rng(6);
  const Tensor action_u = at::empty({kSteps, kRows, 1}, at::kDouble);
  for (std::int64_t i = 0; i < action_u.numel(); ++i)
    action_u.data_ptr<double>()[i] = rng.uniform();
  const WorldModel::Latent start{.h = at::zeros({kRows, 0}, at::kDouble),
                                 .z = doubles({-0.5, 0.1, 0.9}).view({kRows, 1})};
  const Dream dream{.step =
                        [](const WorldModel::Latent& now, const Tensor& action, const Tensor&) {
                          return WorldModel::Latent{.h = now.h,
                                                    .z = kAlpha * now.z + kBeta * action};
                        },
                    .actor = actor,
                    .reward = [](const Tensor& f) { return kReward * f.select(1, 0); },
                    .goes_on = {},
                    .discount = kDiscount};
  const Imagined seen = imagine_steps(dream, start, at::zeros({kSteps, kRows, 1}), action_u);
  const Tensor returns =
      lambda_return(seen.reward.narrow(0, 0, kSteps), seen.discount.narrow(0, 0, kSteps),
                    kValue * seen.features.select(2, 0), kLambda);
  const Tensor weights = imagined_weights(seen.discount);
  const Tensor found = torch::autograd::grad(
      {imagined_actor_loss(returns, seen.entropy, weights, kEntropy)}, {theta})[0];

  // ∂z_j/∂a_k = βα^{j−1−k} for j > k, else 0, and R_T = v_T
  const auto by_action = [&](std::int64_t j, std::int64_t k) {
    return j > k ? kBeta * std::pow(kAlpha, static_cast<double>(j - 1 - k)) : 0.0;
  };
  const auto return_by_action = [&](std::int64_t t, std::int64_t k) {
    double next = kValue * by_action(kSteps, k);
    for (std::int64_t j = kSteps; j-- > t;) {
      next = kReward * by_action(j, k) +
             kDiscount * ((1 - kLambda) * kValue * by_action(j + 1, k) + kLambda * next);
    }
    return next;
  };
  Tensor expected = at::zeros_like(theta);
  const auto own_gradient = [&](std::int64_t k, bool of_entropy) {
    const CutNormal policy(actor(seen.features[k].detach()));
    const Tensor what = of_entropy ? policy.entropy() : policy.sample(action_u[k]).squeeze(1);
    return torch::autograd::grad({what.sum()}, {theta})[0];
  };
  for (std::int64_t t = 0; t + 1 < kSteps; ++t) {
    const double w = std::pow(kDiscount, static_cast<double>(t)) / ((kSteps - 1) * kRows);
    expected = expected - w * kEntropy * own_gradient(t, true);
    for (std::int64_t k = 0; k < kSteps; ++k)
      expected = expected - w * return_by_action(t + 1, k) * own_gradient(k, false);
  }
  CHECK(at::allclose(found, expected, 1e-9, 1e-9));
  CHECK(found.abs().min().item<double>() > 1e-3);
}

TEST_CASE("what the imagined returns are does not move the world model", "[learn][dreamer]") {
  AgentConfig c;
  c.algorithm = "dreamer";
  c.latent_groups = 3;
  c.latent_classes = 4;
  c.recurrent = 8;
  c.dreamer_hidden = {8, 8};
  c.sequences = 4;
  c.sequence_length = 6;
  c.imagine_horizon = 3;
  c.imagine_starts = 12;
  c.pretrain = 1;
  RingBuffer buffer(1, 1, 64);
  Rng steps(2);
  for (int i = 0; i < 64; ++i) {
    const std::vector<float> s = {static_cast<float>(steps.uniform(-1, 1))};
    const std::vector<float> a = {static_cast<float>(steps.uniform(-1, 1))};
    const std::vector<float> next = {s[0] + 0.25F * a[0]};
    buffer.add({s, a, -s[0] * s[0], next, false, i % 12 == 11});
  }
  const auto learnt = [&](double discount) {
    c.discount = discount;
    Dreamer dreamer(c, point_physics()->spec, at::kCPU, SeedTree(1));
    Rng rng(3);
    for (int i = 0; i < 3; ++i) static_cast<void>(dreamer.update(buffer, rng));
    return dreamer.tensors();
  };
  const auto near = learnt(0.5), far = learnt(0.99);
  int model = 0, behaviour = 0;
  for (std::size_t i = 0; i < near.size(); ++i) {
    CAPTURE(near[i].name);
    const bool same = at::equal(near[i].tensor, far[i].tensor);
    if (near[i].name.starts_with("model")) {
      ++model;
      CHECK(same);
    } else if (near[i].name.starts_with("actor.") || near[i].name.starts_with("critic.")) {
      behaviour += same ? 0 : 1;
    }
  }
  CHECK(model > 10);
  CHECK(behaviour > 4);
}

TEST_CASE("world model: a first entry inside a sequence is a start", "[learn][dreamer]") {
  const WorldModel model(
      {.states = 2, .actions = 1, .groups = 3, .classes = 4, .recurrent = 8, .hidden = {8, 8}},
      at::kCPU, SeedTree(1));
  Rng rng(5);
  const auto random = [&](std::initializer_list<std::int64_t> size) {
    const Tensor t = at::empty(at::IntArrayRef(size.begin(), size.size()), at::kFloat);
    for (std::int64_t i = 0; i < t.numel(); ++i)
      t.data_ptr<float>()[i] = static_cast<float>(rng.uniform());
    return t;
  };
  const Tensor x = random({4, 1, 2}), u = random({4, 1, 3});
  SequenceBatch b{.state = x,
                  .action = random({4, 1, 1}),
                  .reward = random({4, 1}),
                  .first = at::tensor({1.F, 0.F, 1.F, 0.F}).view({4, 1}),
                  .terminal = at::zeros({4, 1})};
  const at::NoGradGuard no_grad;
  const auto whole = model.loss(x, b, u).posteriors;
  const auto tail = [](const Tensor& t) { return t.narrow(0, 2, 2); };
  const auto part =
      model
          .loss(tail(x),
                {tail(b.state), tail(b.action), tail(b.reward), tail(b.first), tail(b.terminal)},
                tail(u))
          .posteriors;
  CHECK(at::allclose(tail(whole.h), part.h));
  CHECK(at::allclose(tail(whole.z), part.z));
}

TEST_CASE("world model: h' by hand", "[learn][dreamer]") {
  const WorldModel model(
      {.states = 2, .actions = 1, .groups = 2, .classes = 3, .recurrent = 4, .hidden = {8, 8}},
      at::kCPU, SeedTree(1));
  std::map<std::string, Tensor> named;
  std::vector<NamedTensor> all;
  model.name_tensors("m", all);
  for (const NamedTensor& t : all) named[t.name] = t.tensor;
  const at::NoGradGuard no_grad;
  named["m.gain"].copy_(at::linspace(0.5, 1.5, 12));
  named["m.shift"].copy_(at::linspace(-1, 1, 12));
  const Tensor h = at::tensor({0.3F, -0.2F, 0.5F, 0.1F}).view({1, 4});
  const Tensor z = at::tensor({0.F, 1.F, 0.F, 1.F, 0.F, 0.F}).view({1, 6});
  const Tensor a = at::full({1, 1}, 0.7F);
  const Tensor in =
      at::elu(at::linear(at::cat({z, a}, 1), named["m.inward.weight_0"], named["m.inward.bias_0"]));
  const Tensor gates =
      at::linear(at::cat({in, h}, 1), named["m.gates.weight_0"], named["m.gates.bias_0"]);
  const Tensor centred = gates - gates.mean();
  const Tensor normal =
      centred / (centred.square().mean() + 1e-5).sqrt() * named["m.gain"] + named["m.shift"];
  const Tensor reset = 1 / (1 + (-normal.narrow(1, 0, 4)).exp());
  const Tensor candidate = (reset * normal.narrow(1, 4, 4)).tanh();
  const Tensor update = 1 / (1 + (1 - normal.narrow(1, 8, 4)).exp());
  CHECK(at::allclose(model.advance({.h = h, .z = z}, a), update * candidate + (1 - update) * h,
                     1e-5, 1e-6));
}

TEST_CASE("world model: foreseen from what was seen and the actions alone", "[learn][dreamer]") {
  const WorldModel model(
      {.states = 2, .actions = 1, .groups = 3, .classes = 4, .recurrent = 8, .hidden = {8, 8}},
      at::kCPU, SeedTree(1));
  Rng rng(5);
  const auto random = [&](std::initializer_list<std::int64_t> size) {
    const Tensor t = at::empty(at::IntArrayRef(size.begin(), size.size()), at::kFloat);
    for (std::int64_t i = 0; i < t.numel(); ++i)
      t.data_ptr<float>()[i] = static_cast<float>(rng.uniform());
    return t;
  };
  const Tensor x = random({5, 3, 2}), u = random({5, 3, 3});
  SequenceBatch b{.state = x,
                  .action = random({5, 3, 1}),
                  .reward = random({5, 3}),
                  .first = at::zeros({5, 3}),
                  .terminal = at::zeros({5, 3})};
  constexpr std::int64_t kSeen = 2;
  const Tensor foreseen = model.foresee(x, b, u, kSeen);
  REQUIRE(foreseen.sizes() == at::IntArrayRef({3, 3, 2}));
  const auto changed_at = [&](const Tensor& t, std::int64_t entry, double by) {
    Tensor out = t.clone();
    out[entry].add_(by);
    return out;
  };
  for (std::int64_t k = kSeen; k < 5; ++k)
    CHECK(at::equal(model.foresee(changed_at(x, k, 9), b, u, kSeen), foreseen));
  CHECK_FALSE(at::equal(model.foresee(changed_at(x, 1, 9), b, u, kSeen), foreseen));
  // the action that leads to the second one foreseen: that and all later ones
  SequenceBatch other = b;
  other.action = changed_at(b.action, 3, 9);
  const Tensor moved = model.foresee(x, other, u, kSeen);
  CHECK(at::equal(moved[0], foreseen[0]));
  CHECK_FALSE(at::equal(moved[1], foreseen[1]));
  CHECK_FALSE(at::equal(moved[2], foreseen[2]));
}

TEST_CASE("world model: rewards and ends are learnt as they were", "[learn][dreamer]") {
  // x = ±1 at random; what led to 1 earned ½ and was the end.
  const WorldModel model({.states = 1,
                          .actions = 1,
                          .groups = 4,
                          .classes = 4,
                          .recurrent = 16,
                          .hidden = {16, 16},
                          .ends = true},
                         at::kCPU, SeedTree(1));
  Adam adam(model.parameters(), 3e-3);
  Rng rng(5);
  constexpr std::int64_t kLength = 3, kRows = 64;
  Tensor x, latent_end, latent_reward, end;
  for (int i = 0; i < 400; ++i) {
    x = at::empty({kLength, kRows, 1}, at::kFloat);
    for (std::int64_t k = 0; k < x.numel(); ++k)
      x.data_ptr<float>()[k] = rng.uniform() < 0.5 ? -1.F : 1.F;
    const Tensor u = at::empty({kLength, kRows, 4}, at::kFloat);
    for (std::int64_t k = 0; k < u.numel(); ++k)
      u.data_ptr<float>()[k] = static_cast<float>(rng.uniform());
    end = x.squeeze(2).gt(0).to(at::kFloat);
    const SequenceBatch b{.state = x,
                          .action = at::zeros({kLength, kRows, 1}),
                          .reward = 0.5 * end,
                          .first = at::zeros({kLength, kRows}),
                          .terminal = end};
    const WorldModel::Loss loss = model.loss(x, b, u);
    adam.step(loss.total);
    const at::NoGradGuard no_grad;
    latent_end = 1 - model.goes_on(loss.posteriors.features()).sigmoid();
    latent_reward = model.reward(loss.posteriors.features());
  }
  // a quarter of the way at most is left of either
  CHECK((latent_end - end.flatten()).abs().mean().item<double>() < 0.25);
  CHECK((latent_reward - 0.5 * end.flatten()).abs().mean().item<double>() < 0.5 * 0.25);
}

TEST_CASE("Dreamer shows how far its model foresees where sequences are long enough",
          "[learn][dreamer]") {
  AgentConfig c;
  c.algorithm = "dreamer";
  c.latent_groups = 3;
  c.latent_classes = 4;
  c.recurrent = 8;
  c.dreamer_hidden = {8, 8};
  c.sequences = 64;
  c.sequence_length = GENERATE(15, 14);
  c.imagine_horizon = 3;
  c.imagine_starts = 12;
  c.pretrain = 1;
  Dreamer agent(c, point_physics()->spec, at::kCPU, SeedTree(1));
  CHECK(agent.inspect().empty());  // nothing was learnt yet
  const int episode = GENERATE(1000, 8);
  RingBuffer buffer(1, 1, 200);
  Rng rng(2);
  for (int i = 0; i < 200; ++i) {
    const std::vector<float> s = {static_cast<float>(rng.uniform(-1, 1))};
    const std::vector<float> a = {static_cast<float>(rng.uniform(-1, 1))};
    const std::vector<float> next = {static_cast<float>(rng.uniform(-1, 1))};
    buffer.add({s, a, 0, next, false, i % episode == episode - 1});
  }
  static_cast<void>(agent.update(buffer, rng));
  // five entries seen and ten foreseen; none without a break where episodes have eight steps
  const Diagnostics shown = agent.inspect();
  REQUIRE(shown.size() == (c.sequence_length >= 15 && episode > 15 ? 1 : 0));
  // states are drawn anew each time: an untrained guess near their mean has about half the error of a copy
  if (!shown.empty()) CHECK_THAT(shown[0].tensor.item<double>(), WithinAbs(0.5, 0.45));
}

TEST_CASE("Dreamer learns the point task inside its model", "[learn][dreamer][learning]") {
  TrainConfig config;
  config.env = "Point";
  config.steps = 2400;
  config.random_steps = 240;
  config.replay = 10'000;
  config.eval_every = 2400;
  config.eval_episodes = 50;
  config.agent.algorithm = "dreamer";
  config.agent.update_every = 6;
  config.agent.latent_groups = 4;
  config.agent.latent_classes = 8;
  config.agent.recurrent = 32;
  config.agent.dreamer_hidden = {32, 32};
  config.agent.sequences = 16;
  config.agent.sequence_length = 12;
  config.agent.imagine_horizon = 6;
  config.agent.imagine_starts = 96;
  config.agent.pretrain = 100;
  config.agent.model_lr = 3e-3;
  config.agent.actor_lr = config.agent.critic_lr = 2e-3;
  config.agent.discount = 0.9;
  const TrainResult r = train(config, point_physics(), {});
  REQUIRE(r.final_return);
  // From −4 standing still to −0.52 at full speed: more than half of the way.
  CHECK(r.final_return->mean > -2);
}

}  // namespace dreamer_test
