// Exact MDPs as tasks of the deep column: the environment, the categorical policy, and what deep SPEDER learns
// beside the truth.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "speder/core/check.hpp"
#include "speder/deep/exact/compare.hpp"
#include "speder/deep/learn/agents/losses.hpp"
#include "speder/deep/train/loop.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/oracle/exact.hpp"
#include "tests/catch.hpp"

using namespace speder;
using namespace speder::deep;

namespace exact_test {
namespace {

std::shared_ptr<const TabularMdp> made(InstanceSpec spec) {
  return std::make_shared<const TabularMdp>(generate(resolve(std::move(spec))));
}

/// 20 states, 3 actions, rank 3.
std::shared_ptr<const TabularMdp> rank_three() {
  return made(
      {.family = "simplex", .states = 20, .actions = 3, .rank = 3, .gamma = 0.9, .seed = 5});
}

std::vector<double> unit(std::size_t n, std::size_t i) {
  std::vector<double> a(n, 0.0);
  a[i] = 1;
  return a;
}

}  // namespace

TEST_CASE("exact task: steps follow P and r, starts follow ρ, one seed is one episode",
          "[learn][exact]") {
  const auto mdp = rank_three();
  const auto physics = exact_physics("mdp:test", mdp, 0);
  CHECK(physics->spec.discrete);
  CHECK(physics->spec.observation_size == 20);
  CHECK(physics->spec.action_size == 3);
  CHECK(physics->spec.discount == 0.9);
  CHECK(physics->spec.max_steps == 50);  // 5/(1 − γ)
  Env env(physics);
  const Matrix P = mdp->kernel().dense();
  constexpr int kDraws = 20'000;
  Vector next = Vector::Zero(20);
  Rng rng(3);
  for (int i = 0; i < kDraws; ++i) {
    env.reset(rng);
    const auto s = static_cast<Index>(env.qpos()[0]);
    CHECK(env.observation()[static_cast<std::size_t>(s)] == 1);
    const StepResult r = env.step(unit(3, 2));
    REQUIRE(r.reward == mdp->reward()[s * 3 + 2]);
    next[static_cast<Index>(env.qpos()[0])] += 1.0 / kDraws;
  }
  Vector expected = Vector::Zero(20);  // ρ P(·|·, a = 2)
  for (Index s = 0; s < 20; ++s) expected += mdp->rho()[s] * P.row(s * 3 + 2).transpose();
  for (Index s = 0; s < 20; ++s) {  // five deviations of a frequency
    CHECK(std::abs(next[s] - expected[s]) < 5 * std::sqrt(expected[s] / kDraws) + 1e-12);
  }
  const auto episode = [&] {
    Rng own(11);
    env.reset(own);
    std::vector<double> states;
    for (int t = 0; t < 50; ++t) {
      static_cast<void>(env.step(unit(3, static_cast<std::size_t>(t % 3))));
      states.push_back(env.qpos()[0]);
    }
    CHECK_THROWS_AS(env.step(unit(3, 0)), std::logic_error);  // truncated at the horizon
    return states;
  };
  CHECK(episode() == episode());
  const std::vector<double> reward = {0}, no_state = {20}, between = {1.5};
  CHECK_THROWS_AS(env.place(no_state, reward), std::invalid_argument);
  CHECK_THROWS_AS(env.place(between, reward), std::invalid_argument);
}

TEST_CASE("exact task: names, observations as Gaussian numbers, missing files", "[learn][exact]") {
  CHECK(is_exact("mdp:a.h5"));
  CHECK(is_exact("mdp16:a.h5"));
  CHECK_FALSE(is_exact("mdpx:a.h5"));
  CHECK_FALSE(is_exact("HalfCheetah"));
  CHECK_THROWS_AS(load_physics("mdp:/nowhere.h5", {}), InputError);
  CHECK_THROWS_AS(load_physics("mdp0:/nowhere.h5", {}), InputError);
  const auto physics = exact_physics("mdp4:test", rank_three(), 4);
  const Matrix& seen = physics->exact->observations;
  CHECK(seen.rows() == 20);
  CHECK(seen.cols() == 4);
  const std::vector<float> row(seen.row(7).begin(), seen.row(7).end());
  CHECK(state_of_observation(*physics->exact, row) == 7);
  CHECK_THROWS_AS(state_of_observation(*physics->exact, std::vector<float>(4, 0.0F)),
                  std::invalid_argument);
  for (const char* algorithm : {"deepsf", "ppo"}) {
    AgentConfig c;
    c.algorithm = algorithm;
    CHECK_THROWS_AS(make_agent(c, physics->spec, at::kCPU, SeedTree(1)), InputError);
  }
}

TEST_CASE("categorical policy: entropy, loss and gradient are those of the enumeration",
          "[learn][loss]") {
  const std::vector<double> z = {0.3, -1.2, 0.9, 2.0, 0.1, -0.4};  // two states, three actions
  const std::vector<double> q1 = {1, 2, -1, 0.5, 0.2, 3}, q2 = {0.5, 3, 0, 0.7, -0.2, 1};
  constexpr double alpha = 0.7;
  const Tensor logits = at::tensor(z, at::kDouble).view({2, 3}).set_requires_grad(true);
  const PolicySample all = all_actions(logits);
  const Tensor q = at::stack({at::tensor(q1, at::kDouble), at::tensor(q2, at::kDouble)});
  const Tensor loss = categorical_actor_loss(q, all, at::full({}, alpha, at::kDouble));
  const Tensor gradient = torch::autograd::grad({loss}, {logits}, {}, true)[0];
  double total = 0;
  for (std::size_t s = 0; s < 2; ++s) {
    double sum = 0, entropy = 0, mean = 0;
    std::array<double, 3> p{}, term{};
    for (std::size_t a = 0; a < 3; ++a) sum += std::exp(z[3 * s + a]);
    for (std::size_t a = 0; a < 3; ++a) {
      p[a] = std::exp(z[3 * s + a]) / sum;
      entropy -= p[a] * std::log(p[a]);
      term[a] = alpha * std::log(p[a]) - std::min(q1[3 * s + a], q2[3 * s + a]);
      mean += p[a] * term[a];
    }
    total += mean / 2;
    const auto row = static_cast<std::int64_t>(s);
    CHECK_THAT(-policy_mean(all, all.log_prob)[row].item<double>(), WithinAbs(entropy, 1e-12));
    for (std::size_t a = 0; a < 3; ++a) {  // ∂/∂z_a ∑ π f = π_a (f_a − ∑ π f); α ∑ π ∇log π = 0
      CHECK_THAT(gradient[row][static_cast<std::int64_t>(a)].item<double>(),
                 WithinAbs(p[a] * (term[a] - mean) / 2, 1e-12));
    }
  }
  CHECK_THAT(loss.item<double>(), WithinAbs(total, 1e-12));
  const Tensor pairs = policy_pairs(at::tensor({5.0, 6.0}, at::kDouble).view({2, 1}), all);
  CHECK(pairs.size(0) == 6);
  CHECK(pairs[4][0].item<double>() == 6);  // state 1, action 1
  CHECK(pairs[4][2].item<double>() == 1);
  CHECK(at::equal(largest_entry(logits.detach()).argmax(1), at::tensor({2, 0}, at::kLong)));
}

TEST_CASE("categorical draws have the policy's frequencies", "[learn][loss]") {
  constexpr int kDraws = 40'000;
  Rng rng(4);
  const Tensor noise = at::empty({kDraws, 3}, at::kFloat);
  for (float& x : std::span(noise.data_ptr<float>(), 3 * kDraws)) {
    x = static_cast<float>(rng.normal());
  }
  const std::vector<float> z = {0.5F, -1.0F, 1.5F};
  const Tensor logits = at::tensor(z).repeat({kDraws, 1});
  const Tensor mean = categorical_draw(logits, noise).mean(0);
  const Tensor p = at::softmax(at::tensor(z), 0);
  for (int a = 0; a < 3; ++a) {  // five deviations
    const double expected = p[a].item<double>();
    CHECK(std::abs(mean[a].item<double>() - expected) <
          5 * std::sqrt(expected * (1 - expected) / kDraws));
  }
  CHECK(at::isfinite(categorical_draw(logits.narrow(0, 0, 1), at::full({1, 3}, 40.0F)))
            .all()
            .item<bool>());
}

namespace {

TrainConfig exact_run(const TabularMdp& mdp, const std::string& settings) {
  TrainConfig c = read_train_config(preset_path("exact"), settings);
  c.agent.discount = mdp.gamma();
  return c;
}

struct Learned {
  Agent agent;
  std::vector<Step> data;
};

Learned learn(const TrainConfig& c, const std::shared_ptr<const Physics>& physics) {
  Learned out{make_agent(c.agent, physics->spec, at::kCPU, SeedTree(c.seed).child("agent")), {}};
  const ExactMdp& exact = *physics->exact;
  TrainObserver observer;
  observer.step = [&](const EnvStep& s) {
    const Index chosen = std::max_element(s.action.begin(), s.action.end()) - s.action.begin();
    out.data.push_back({state_of_observation(exact, s.observation) * exact.mdp->actions() + chosen,
                        state_of_observation(exact, s.next_observation)});
  };
  const TrainResult r = train(c, physics, {}, observer);
  REQUIRE(r.end == TrainEnd::kFinished);
  const at::NoGradGuard no_grad;
  const auto tensors = out.agent.tensors();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].tensor.detach().copy_(r.tensors[i].tensor.detach());
  }
  return out;
}

}  // namespace

TEST_CASE(
    "deep SPEDER on 20 states of rank 3: the true span, an optimal policy, level with the SVD",
    "[learn][exact]") {
  const auto mdp = made({.family = "block",
                         .states = 20,
                         .actions = 3,
                         .rank = 3,
                         .gamma = 0.9,
                         .seed = 5,
                         .knobs = {{"stochastic", 0.2}}});
  const auto physics = exact_physics("mdp:test", mdp, 0);
  TrainConfig c = exact_run(*mdp, "steps = 4000\nrandom_steps = 500\nbatch = 64\nseed = 2\n");
  c.agent.feature_dim = 3;
  const Learned l = learn(c, physics);
  const ExactReport r = compare_with_truth(
      *mdp, l.data, {deep_model(l.agent, *physics->exact, l.data), spectral_model(*mdp, l.data)});
  REQUIRE(r.rank == 3);
  // The empirical K is off by a matrix of n^−½-sized independent errors, of norm (√(SA) + √S)/√n; a span
  // moves by no more than that over σ₃ (Wedin).
  const double noise = (std::sqrt(60.0) + std::sqrt(20.0)) / std::sqrt(4000.0);
  const double stated = std::asin(noise / r.singular_values[2]) * 180 / std::numbers::pi;
  CAPTURE(stated, r.rows[0].angles.back(), r.rows[1].angles.back(), r.rows[0].kernel_error);
  CHECK(stated < 20);
  CHECK(r.rows[0].angles.back() < stated);
  CHECK(r.rows[1].angles.back() < stated);
  CHECK(r.rows[0].kernel_error < 1.5 * r.rows[1].kernel_error);  // networks against the SVD itself
  // ε of a hundredth of what there is to win counts as optimal.
  const double optimal = 0.01 * (r.best - r.uniform);
  CHECK(r.rows[0].plan_gap < optimal);
  CHECK(*r.rows[0].policy_gap < optimal);
  CHECK(*r.rows[0].greedy_gap < optimal);
  // A model that knows nothing is told apart.
  const ExactModel nothing{"nothing", Matrix::Constant(60, 20, 0.05), {}, {}};
  CHECK(compare_with_truth(*mdp, l.data, {nothing}).rows[0].angles.back() > 3 * stated);
}

TEST_CASE(
    "RiverSwim: with the scaled bonus the data hold an optimal policy, without it they do not",
    "[learn][exact][explore]") {
  const auto mdp = made({.family = "river", .states = 10, .gamma = 0.95});
  const auto physics = exact_physics("mdp:river", mdp, 0);
  const auto report = [&](const char* bonus) {
    TrainConfig c = exact_run(*mdp, std::string("steps = 3000\nrandom_steps = 200\nbatch = 64\n"
                                                "eval_episodes = 1\nseed = 6\n"
                                                "scaled_bonus_steps = 1000\nbonus_refresh = 100\n"
                                                "scaled_bonus = ") +
                                        bonus + "\n");
    const Learned l = learn(c, physics);
    return compare_with_truth(
        *mdp, l.data, {deep_model(l.agent, *physics->exact, l.data), spectral_model(*mdp, l.data)});
  };
  const ExactReport with = report("0.1"), without = report("0.0");
  CAPTURE(with.pairs_seen, without.pairs_seen, with.rows[1].plan_gap, without.rows[1].plan_gap);
  CHECK(with.rows[1].plan_gap < 0.01 * with.best);  // planned in what the data say of P
  CHECK(without.rows[1].plan_gap > 0.9 * with.best);
  CHECK(*without.rows[0].policy_gap > 0.9 * with.best);
}

}  // namespace exact_test
