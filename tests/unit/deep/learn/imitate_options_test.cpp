#include <cmath>
#include <functional>
#include <map>

#include "speder/deep/imitate/policy.hpp"
#include "speder/deep/learn/features/spectral_loss.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/learn/imitate_fixture.hpp"

// What the papers leave open: each is a setting with the default that docs/imitation.md states.
namespace speder::deep::imitate_options_test {

using namespace imitate_fixture;

namespace {

using Change = std::function<void(ImitateConfig&)>;

/// Diagnostics of the first update of phase 1 and the model after it.
struct First {
  LatentModel model;
  std::map<std::string, double> shown;
  std::map<std::string, Tensor> tensors;
};

First first_update(ImitateConfig c, const Change& change = {}) {
  if (change) change(c);
  const ImitationSets sets = prepare_sets(line(), line(), c);
  First out{representation_model(c, sets.sizes, SeedTree(4)), {}, {}};
  Rng rng = SeedTree(4).stream("update");
  const Windows w = windows_at(sets.offline, {0, 1, 2, 3, 13, 14}, {5, 6, 7, 8, 15, 16}, 1);
  for (const NamedTensor& t : out.model.update(w, rng)) out.shown[t.name] = number(t.tensor);
  for (const NamedTensor& t : out.model.tensors()) out.tensors[t.name] = t.tensor;
  return out;
}

double loss(const Change& change) {
  return first_update(tiny("speder"), change).shown.at("representation_loss");
}

void only_pairs(ImitateConfig& c) { c.mu_weight = c.ortho_weight = c.norm_weight = 0; }

}  // namespace

TEST_CASE("imitation settings: the defaults of section 3.3", "[deep][imitate]") {
  const ImitateConfig c;
  CHECK(c.base == "data");
  CHECK(c.pair_weight == 1);
  CHECK(c.log_floor == 1e-2);
  CHECK(c.ortho == "v");
  CHECK(c.latent_scale == "standardise");
  CHECK(c.latent_rate == 5e-4);
  CHECK(c.logvar_low == -10);
  CHECK(c.logvar_high == 2);
  CHECK(c.decoder_gradient);
  CHECK(c.latent_action == "sample");
  CHECK(c.decoder_action == "mode");
  CHECK(c.decoder == "gaussian");
  CHECK_FALSE(c.entropy_bonus);
  CHECK(c.decay == "piecewise");
  CHECK(c.last_evaluations == 10);
  CHECK(c.final_episodes == 100);
  CHECK(c.standardise_states);
  CHECK(c.goal == "redrawn");
  CHECK(ImitateSuite{}.seeds == 4);
  CHECK(parse_imitate_suite(to_toml(ImitateSuite{}), "x").base.log_floor == 1e-2);
}

TEST_CASE("p: the data's next states, or N(0, I) with its density", "[deep][imitate]") {
  // States of 100 and more: N(0, I) has no float there, so what the densities weigh is 0.
  const auto far = [](const std::string& base) {
    return loss([&](ImitateConfig& c) {
      only_pairs(c);
      c.standardise_states = false;
      c.base = base;
    });
  };
  CHECK(far("data") != 0);
  CHECK(far("gaussian") == 0);
}

TEST_CASE("the first term's factor enters linearly", "[deep][imitate]") {
  const auto at = [](double weight) {
    return loss([&](ImitateConfig& c) { c.pair_weight = weight; });
  };
  CHECK(at(1) != at(0));
  CHECK_THAT(at(2) - at(1), WithinAbs(at(1) - at(0), kFloat));
}

TEST_CASE("the orthonormality statistic: printed with i = i', or without bias", "[deep][imitate]") {
  const auto at = [](const std::string& ortho, double weight) {
    return loss([&](ImitateConfig& c) {
      c.ortho = ortho;
      c.ortho_weight = weight;
    });
  };
  CHECK(at("v", 0) == at("u", 0));
  CHECK(at("v", 100) != at("u", 100));
}

TEST_CASE("log Z below ε goes on as its tangent, and the share below is shown", "[deep][imitate]") {
  const Tensor masses = at::tensor({0.005, 1.0}, at::kDouble);
  // log 0.01 + (0.005 − 0.01)/0.01 = log 0.01 − ½; log 1 = 0
  const double expected = 0.5 * std::pow(std::log(0.01) - 0.5, 2);
  CHECK_THAT(number(normalisation(masses, 0.01)), WithinAbs(expected, kFloat));
  CHECK_THAT(number(normalisation(masses, 0.001)),
             WithinAbs(0.5 * std::pow(std::log(0.005), 2), kFloat));
  const auto share = [](double floor) {
    return first_update(tiny("speder"), [&](ImitateConfig& c) { c.log_floor = floor; })
        .shown.at("small_mass");
  };
  CHECK(share(1) >= share(1e-6));
  CHECK(share(1) > 0);  // φᵀμ of fresh networks is near 0
  CHECK(loss([](ImitateConfig& c) { c.log_floor = 1; }) !=
        loss([](ImitateConfig& c) { c.log_floor = 1e-3; }));
  CHECK(first_update(tiny("speder-nonorm")).shown.contains("small_mass"));
  CHECK_FALSE(first_update(tiny("trail-ebm")).shown.contains("small_mass"));
}

TEST_CASE("latent_scale: none is φ itself, sqrt_d is √d φ", "[deep][imitate]") {
  const auto z = [](const std::string& scale) {
    ImitateConfig c = tiny("speder");
    c.pretrain_lr = 1e-12;
    c.latent_scale = scale;
    const ImitationSets sets = prepare_sets(line(), line(), c);
    const First updated = first_update(c);
    const at::NoGradGuard no_grad;
    return updated.model.encode(windows_at(sets.offline, {0, 5}, {0, 5}, 1)).mean;
  };
  CHECK_THAT(number((z("sqrt_d") - 2 * z("none")).abs().max()), WithinAbs(0, kFloat));  // d = 4
  CHECK(number((z("standardise") - z("none")).abs().max()) > 0.1);
}

TEST_CASE("the entropy bonus is off, and when on pulls the entropy to −A", "[deep][imitate]") {
  const First off = first_update(tiny("speder")),
              on = first_update(tiny("speder"), [](auto&c) { c.entropy_bonus = true; });
  CHECK_FALSE(off.tensors.contains("log_alpha"));
  REQUIRE(on.tensors.contains("log_alpha"));
  CHECK(number(on.tensors.at("log_alpha")) != 0);  // moved by the first step
  // Adam's first step is the gradients' signs: some of many differ
  CHECK_FALSE(at::equal(on.tensors.at("decoder.weight_0"), off.tensors.at("decoder.weight_0")));

  // An entropy above −A lowers α, one below raises it.
  ImitateConfig c = tiny("bc");
  c.entropy_bonus = true;
  const auto slope = [&](double log_std) {
    const EntropyBonus bonus(c, 2);
    const Tensor alpha = bonus.with({}).front();
    Rng rng = SeedTree(1).stream("noise");
    const GaussianHead head{at::zeros({512, 2}), at::full({512, 2}, log_std)};
    const Tensor l = bonus.loss(head, rng);
    return number(torch::autograd::grad({l}, {alpha}).front());
  };
  CHECK(slope(0) > 0);   // entropy 2.8 of two axes
  CHECK(slope(-4) < 0);  // −5.2
}

TEST_CASE("π_Z's log variance is kept in its range, TRAIL's included", "[deep][imitate]") {
  const Tensor out = at::tensor({0.0F, -50.0F}).view({1, 2});
  CHECK_THAT(number(clipped_gaussian(out, -10, 2).log_std), WithinAbs(-5, kFloat));
  CHECK_THAT(number(clipped_gaussian(out, -4, 15).log_std), WithinAbs(-2, kFloat));
}

TEST_CASE("evaluation draws z or takes its mean, takes the mode of a or draws it",
          "[deep][imitate]") {
  const auto differs = [](const std::string& z_from, const std::string& a_from) {
    ImitateConfig c = tiny("speder");
    c.latent_action = z_from;
    c.decoder_action = a_from;
    const ImitationSets sets = prepare_sets(line(), line(), c);
    const LatentModel model = representation_model(c, sets.sizes, SeedTree(4));
    const LatentPolicy policy(c, sets, model);
    Rng one = SeedTree(1).stream("one"), other = SeedTree(1).stream("other");
    Tensor z, w;
    const Tensor s = sets.expert.states.narrow(0, 0, 3);
    return !at::equal(policy.act(s, true, z, one), policy.act(s, true, w, other));
  };
  CHECK(differs("sample", "mode"));
  CHECK_FALSE(differs("mean", "mode"));
  CHECK(differs("mean", "sample"));
}

TEST_CASE("final performance is the mean of the last evaluations", "[deep][imitate]") {
  const std::vector<Measure> measures = {
      {"success", 1, 0.0}, {"length", 1, 9.0}, {"success", 2, 0.5}, {"success", 3, 1.0}};
  CHECK(last_success(measures, 2) == 0.75);
  CHECK(last_success(measures, 10) == 0.5);
  CHECK_FALSE(last_success({{"length", 1, 9.0}}, 10));
}

TEST_CASE("the goal is drawn for every episode, or once for the run", "[deep][imitate]") {
  const auto physics = load_physics("AntMaze-medium", {});
  ImitateConfig c;
  CHECK_FALSE(trial_plan(c, physics).goal);
  c.goal = "fixed";
  const Place goal = trial_plan(c, physics).goal.value();
  CHECK(goal.x == trial_plan(c, physics).goal->x);
  CHECK((goal.x >= 20 && goal.x <= 21.5 && goal.y >= 20 && goal.y <= 21.5));  // D4RL's box
  c.seed = 1;
  CHECK(goal.x != trial_plan(c, physics).goal->x);

  const ImitateConfig bc = tiny("bc");
  const ImitationSets sets = prepare_sets(line(), line(), bc);
  const LatentModel none;
  const LatentPolicy policy(bc, sets, none);
  const auto success = [&](const Place& at) {
    std::vector<Env> envs;  // ten tenths, added up, are less than 1
    for (int e = 0; e < 10; ++e) envs.emplace_back(load_physics("PointMaze-medium", {}));
    return try_policy(policy, sets, envs, {.hold = 1, .goal = at}, SeedTree(1)).success;
  };
  CHECK(success({0, 0}) == 1);   // the start
  CHECK(success({-9, 0}) == 0);  // beyond the wall
}

TEST_CASE("a suite's windows: skills once for each, the others once", "[deep][imitate]") {
  ImitateSuite suite;
  CHECK(windows_of(suite, "opal") == std::vector<int>{10});
  suite.windows = {1, 10};
  CHECK(windows_of(suite, "skild") == std::vector<int>{1, 10});
  CHECK(windows_of(suite, "speder") == std::vector<int>{10});
}

}  // namespace speder::deep::imitate_options_test
