#include "speder/deep/imitate/imitate.hpp"

#include <cmath>

#include "speder/core/check.hpp"
#include "speder/deep/imitate/policy.hpp"
#include "tests/catch.hpp"
#include "tests/temporary.hpp"
#include "tests/unit/deep/learn/imitate_fixture.hpp"

namespace speder::deep::imitate_test {

using namespace imitate_fixture;

TEST_CASE("Gaussian likelihood and divergence: closed forms", "[deep][imitate]") {
  const Tensor zero = at::zeros({3, 2});
  const GaussianHead unit{zero, zero};
  CHECK_THAT(number(gaussian_nll(unit, zero).mean()), WithinAbs(std::log(2 * M_PI), kFloat));
  CHECK_THAT(number(gaussian_nll({zero + 1, zero + 0.5}, zero).mean()),
             WithinAbs(2 * (0.5 * std::exp(-1.0) + 0.5) + std::log(2 * M_PI), kFloat));
  CHECK_THAT(number(gaussian_kl(unit, unit).mean()), WithinAbs(0, kFloat));
  CHECK_THAT(number(gaussian_kl({zero + 1, zero}, unit).mean()), WithinAbs(1, kFloat));
  // KL(N(0, e²) ‖ N(0, 1)) = ½(e² − 1) − 1 for each of two axes
  CHECK_THAT(number(gaussian_kl({zero, zero + 1}, unit).mean()),
             WithinAbs(std::exp(2.0) - 1 - 2, 10 * kFloat));
}

TEST_CASE("energy loss is the cross entropy of the batch's distances", "[deep][imitate]") {
  const Tensor f = at::tensor({0.0F, 0.0F, 1.0F, 0.0F}).view({2, 2});
  const Tensor g = at::tensor({0.0F, 1.0F, 1.0F, 1.0F}).view({2, 2});
  // squared distances: own pair 1, other pair 2
  const double expected = 1 + std::log(std::exp(-1.0) + std::exp(-2.0));
  CHECK_THAT(number(energy_loss(f, g)), WithinAbs(expected, kFloat));
  CHECK(number(energy_loss(f, g)) < number(energy_loss(f, g.flip(0))));
}

TEST_CASE("the coefficient table, latent sizes and learning rates of the paper",
          "[deep][imitate]") {
  ImitateConfig c;
  c.layout = "large";
  CHECK(coefficients(c).mu == 0.01);
  CHECK(coefficients(c).norm == 1);
  c.method = "speder-nonorm";
  CHECK(coefficients(c).ortho == 0.1);
  CHECK(coefficients(c).norm == 0);
  c.layout = "medium";
  c.style = "play";
  c.method = "speder";
  c.ortho_weight = 7;
  CHECK(coefficients(c).mu == 1);
  CHECK(coefficients(c).ortho == 7);
  CHECK(latent_size(c) == 256);
  c.method = "opal";
  CHECK(latent_size(c) == 8);
  CHECK(hold(c) == 10);
  CHECK(learning_rate(c, 0) == 1e-4);
  CHECK(learning_rate(c, 900'000) == Approx(1e-5));
  CHECK(learning_rate(c, 950'000) == Approx(1e-6));
  CHECK_THROWS_AS(find_method("gail"), InputError);
}

TEST_CASE("windows are consecutive rows of one trajectory", "[deep][imitate]") {
  ImitateConfig c = tiny("opal");
  c.standardise_states = false;
  const OfflineData data = line();
  const ImitationSets sets = prepare_sets(data, data, c);
  REQUIRE(sets.offline.starts.size() == 18);  // 9 starts of 3 steps in each half
  CHECK(sets.offline.starts[8] == 8);
  CHECK(sets.offline.starts[9] == 12);
  const Windows w = windows_at(sets.offline, {8, 12}, {0, 1}, 3);
  for (int k = 0; k <= 3; ++k) {
    CHECK(w.states[0][k][0].item<double>() == 8 + k);
    CHECK(w.states[1][k][3].item<double>() == 312 + k);
  }
  CHECK(w.actions[1][2][1].item<float>() == data.actions[2 * 14 + 1]);
  CHECK(w.base[1][0].item<double>() == 2);  // the successor of row 1
  c.window = 12;
  CHECK_THROWS_WITH(prepare_sets(data, data, c), Catch::Contains("no 12 consecutive steps"));
  OfflineData other = data;
  other.action_size = 1;
  CHECK_THROWS_AS(prepare_sets(data, other, c), InputError);
}

TEST_CASE("standardised latents have the moments of φ taken out", "[deep][imitate]") {
  ImitateConfig c = tiny("speder");
  c.pretrain_lr = 1e-12;  // φ stands still, so the running moments are those of its values
  c.latent_rate = 1.0;
  const ImitationSets sets = prepare_sets(line(), line(), c);
  const LatentModel model = representation_model(c, sets.sizes, SeedTree(4));
  const Windows all = windows_at(sets.offline, sets.offline.starts, sets.offline.starts, 1);
  Rng rng = SeedTree(4).stream("unused");
  (void)model.update(all, rng);
  const at::NoGradGuard no_grad;
  const Tensor z = model.encode(all).mean;
  CHECK(z.size(1) == 4);
  CHECK_THAT(number(z.mean(0).abs().max()), WithinAbs(0, 100 * kFloat));
  CHECK_THAT(number((z.var(0) - 1).abs().max()), WithinAbs(0, 100 * kFloat));
}

TEST_CASE("the decoder's loss reaches φ only when asked to", "[deep][imitate]") {
  const auto phi_after = [](bool flow, const std::string& decoder) {
    ImitateConfig c = tiny("speder");
    c.decoder_gradient = flow;
    c.decoder = decoder;  // another decoder loss; the representation loss is the same
    const ImitationSets sets = prepare_sets(line(), line(), c);
    const LatentModel model = representation_model(c, sets.sizes, SeedTree(4));
    Rng rng = SeedTree(4).stream("unused");
    for (int i = 0; i < 3; ++i) {  // Adam's first step knows of a gradient no more than its sign
      (void)model.update(windows_at(sets.offline, {0, 1, 2, 3}, {5, 6, 7, 8}, 1), rng);
    }
    for (const NamedTensor& t : model.tensors()) {
      if (t.name == "phi.weight_0") return t.tensor.detach().clone();
    }
    return Tensor();
  };
  CHECK(at::equal(phi_after(false, "gaussian"), phi_after(false, "tanh")));
  CHECK_FALSE(at::equal(phi_after(true, "gaussian"), phi_after(true, "tanh")));
}

TEST_CASE("an interrupted run goes on to the same numbers, for every method", "[deep][imitate]") {
  const std::string method = GENERATE("speder", "speder-nonorm", "bc", "trail-ebm", "trail-linear",
                                      "opal", "spirl", "skild");
  CAPTURE(method);
  const testing::Folder folder;
  const ImitateConfig c = tiny(method);
  const ImitationSets sets = prepare_sets(line(), line(), c);
  const auto physics = load_physics("PointMaze-medium", {});
  const ImitateResult whole = imitate(c, sets, physics, {});
  REQUIRE(whole.end == ImitateEnd::kFinished);
  int asked = 0;
  ImitateObserver stop;
  const int when = GENERATE(5, 20);
  stop.stop = [&] { return ++asked == when; };
  const ImitatePlace place{.checkpoints = folder.path, .checkpoint_every = 4};
  const ImitateResult first = imitate(c, sets, physics, place, stop);
  if (method != "bc" || when == 5) CHECK(first.end == ImitateEnd::kInterrupted);
  const ImitateResult second = imitate(c, sets, physics, place);
  CHECK((second.measures == whole.measures));
  ImitateConfig other = c;
  other.seed = 3;
  CHECK_THROWS_WITH(imitate(other, sets, physics, place), Catch::Contains("other settings"));
}

}  // namespace speder::deep::imitate_test
