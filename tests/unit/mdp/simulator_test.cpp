#include "speder/mdp/sampling/simulator.hpp"

#include "speder/core/tolerance.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/sampling/transition_sampler.hpp"
#include "speder/stats/statistics.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

namespace speder::simulator_test {
namespace {

using test::Shape;
const SeedTree kSeeds(711);
constexpr int kDraws = 20'000;

// Pearson p-values of one row, drawn through `draw(pair, rng)`.
template <class Draw>
double p_value(const Draw& draw, const Vector& law, Rng& rng) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(law.size()), 0);
  for (int i = 0; i < kDraws; ++i) ++counts[static_cast<std::size_t>(draw(rng))];
  return chi_square_test(counts, law).p_value;
}

// Every pair of a small kernel; the whole sweep fails by chance with probability at most
// tol::kFalseAlarm (union over the pairs).
template <class Sampler>
void check_all_rows(const Sampler& sampler, const Kernel& kernel, Rng& rng) {
  for (Index pair = 0; pair < kernel.pairs(); ++pair) {
    const Vector law = kernel.dense_row(pair).cwiseMax(0.0);
    const double p = p_value([&](Rng& r) { return sampler.draw(pair, r); }, law, rng);
    CAPTURE(pair);
    CHECK(p > tol::kFalseAlarm / static_cast<double>(kernel.pairs()));
  }
}

}  // namespace

TEST_CASE("draws follow P(.|s,a): dense non-negative factors", "[simulator][whp]") {
  Rng rng = kSeeds.stream("dense");
  const Shape shape{.states = 23, .actions = 2, .rank = GENERATE(1, 3, 8)};
  const Kernel kernel = test::simplex_kernel(shape, rng);
  check_all_rows(TransitionSampler(kernel), kernel, rng);
}

TEST_CASE("draws follow P(.|s,a): sparse factors", "[simulator][whp]") {
  Rng rng = kSeeds.stream("sparse");
  const Shape shape{.states = 23, .actions = 2, .rank = 9};
  const Kernel kernel = test::sparse_kernel(shape, GENERATE(1, 3, 9), rng);
  check_all_rows(TransitionSampler(kernel), kernel, rng);
}

TEST_CASE("draws follow P(.|s,a): dense φ with sparse μ, sparse φ with dense μ",
          "[simulator][whp]") {
  Rng rng = kSeeds.stream("mixed");
  const Kernel both = test::sparse_kernel({.states = 15, .actions = 2, .rank = 5}, 3, rng);
  const Kernel left(2, both.phi().to_dense(), both.mu(), both.nu());
  const Kernel right(2, both.phi(), both.mu().to_dense(), both.nu());
  check_all_rows(TransitionSampler(left), left, rng);
  check_all_rows(TransitionSampler(right), right, rng);
}

TEST_CASE("draws follow P(.|s,a): signed factors, by row tables and by rejection",
          "[simulator][whp]") {
  Rng rng = kSeeds.stream("signed");
  const Kernel kernel = test::signed_kernel({.states = 17, .actions = 2, .rank = 5}, rng);
  REQUIRE(kernel.phi().smallest() < 0);
  check_all_rows(TransitionSampler(kernel), kernel, rng);  // small: row tables
  check_all_rows(RejectionSampler(kernel), kernel, rng);
  const Kernel sparse(2, SparseMatrix(kernel.phi().dense().sparseView()),
                      SparseMatrix(kernel.mu().dense().sparseView()), kernel.nu());
  check_all_rows(RejectionSampler(sparse), sparse, rng);
}

TEST_CASE("rejection that never accepts falls back to the same law", "[simulator][whp]") {
  // φμ = 1000·x − 999·x: one proposal in 2 Z = 2000 or so is kept, so the cap is met half the time.
  Rng rng = kSeeds.stream("cap");
  const Vector p = dirichlet(6, 1, rng);
  Matrix phi(6, 2);
  Matrix mu(6, 2);
  phi.col(0).setConstant(1000);
  phi.col(1).setConstant(-999);
  mu.col(0) = p;
  mu.col(1) = p;
  const Kernel kernel(1, phi, mu, Vector::Ones(6));
  const RejectionSampler sampler(kernel);
  std::vector<std::int64_t> counts(6, 0);
  for (int i = 0; i < 2000; ++i) ++counts[static_cast<std::size_t>(sampler.draw(0, rng))];
  CHECK(chi_square_test(counts, kernel.dense_row(0)).p_value > tol::kFalseAlarm);
}

TEST_CASE("signed kernel too large for row tables is drawn by rejection through the simulator",
          "[simulator][whp]") {
  Rng rng = kSeeds.stream("large-signed");
  const Shape shape{.states = 740, .actions = 2, .rank = 4};
  REQUIRE(shape.states * shape.states * shape.actions > TransitionSampler::kRowTableEntries);
  const auto mdp = std::make_shared<const TabularMdp>(
      test::with_random_reward(test::signed_kernel(shape, rng), 0.9, rng));
  const Simulator simulator(mdp);
  const auto draw = [&](Rng& r) { return index(simulator.step(state(5), action(1), r).next); };
  CHECK(p_value(draw, mdp->kernel().dense_row(11).cwiseMax(0.0), rng) > tol::kFalseAlarm);
}

TEST_CASE("every family: draws follow P(.|s,a) and ρ", "[simulator][whp]") {
  constexpr Index kPairs = 25;  // rows tested per family
  for (const Family& family : families()) {
    if (family.name == "file") continue;
    const auto mdp = std::make_shared<const TabularMdp>(
        generate({.family = std::string(family.name), .seed = 11}));
    const Simulator simulator(mdp);
    Rng rng = kSeeds.stream(family.name);
    CAPTURE(family.name);
    for (Index i = 0; i < kPairs; ++i) {
      const Index pair = rng.index(mdp->pairs());
      const StateId s = state(pair / mdp->actions());
      const ActionId a = action(pair % mdp->actions());
      const auto draw = [&](Rng& r) { return index(simulator.step(s, a, r).next); };
      CAPTURE(pair);
      CHECK(p_value(draw, mdp->kernel().dense_row(pair).cwiseMax(0.0), rng) >
            tol::kFalseAlarm / kPairs);
    }
    CHECK(p_value([&](Rng& r) { return index(simulator.reset(r)); }, mdp->rho(), rng) >
          tol::kFalseAlarm);
  }
}

TEST_CASE("a sampler of the wrong row is caught", "[simulator][whp]") {
  Rng rng = kSeeds.stream("planted");
  const Kernel kernel = test::simplex_kernel({.states = 23, .actions = 2, .rank = 3}, rng);
  const TransitionSampler sampler(kernel);
  const auto draw = [&](Rng& r) { return sampler.draw(0, r); };
  CHECK(p_value(draw, kernel.dense_row(1), rng) < tol::kFalseAlarm);
}

TEST_CASE("first states follow ρ", "[simulator][whp]") {
  Rng rng = kSeeds.stream("rho");
  const auto mdp = std::make_shared<const TabularMdp>(test::random_mdp({}, 0.9, rng));
  const Simulator simulator(mdp);
  const auto draw = [&](Rng& r) { return index(simulator.reset(r)); };
  CHECK(p_value(draw, mdp->rho(), rng) > tol::kFalseAlarm);
}

TEST_CASE("steps are deterministic in the stream, and a batch repeats them", "[simulator]") {
  Rng make = kSeeds.stream("determinism");
  const Shape shape{.states = 31, .actions = 3, .rank = 4};
  const int kind = GENERATE(0, 1, 2);
  Kernel kernel = kind == 0   ? test::simplex_kernel(shape, make)
                  : kind == 1 ? test::sparse_kernel(shape, 2, make)
                              : test::signed_kernel(shape, make);
  const auto mdp =
      std::make_shared<const TabularMdp>(test::with_random_reward(std::move(kernel), 0.9, make));
  const Simulator simulator(mdp);
  Rng first = kSeeds.stream("steps");
  Rng second = kSeeds.stream("steps");
  std::vector<StateAction> from(1000);
  for (auto& x : from) x = {state(make.index(31)), action(make.index(3))};
  std::vector<StateId> batch(from.size());
  simulator.sample_next(from, batch, second);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Transition t = simulator.step(from[i].state, from[i].action, first);
    REQUIRE(t.next == batch[i]);
    REQUIRE(t.reward == mdp->reward()[pair_index(from[i].state, from[i].action, 3)]);
  }
  CHECK(first() == second());  // both streams stand at the same place
}

TEST_CASE("the simulator refuses states and actions that do not exist", "[simulator]") {
  const Simulator simulator(std::make_shared<const TabularMdp>(test::two_state(0.5, 0.9)));
  Rng rng = kSeeds.stream("range");
  CHECK_THROWS_AS(simulator.step(state(2), action(0), rng), std::invalid_argument);
  CHECK_THROWS_AS(simulator.step(state(-1), action(0), rng), std::invalid_argument);
  CHECK_THROWS_AS(simulator.step(state(0), action(2), rng), std::invalid_argument);
  CHECK_THROWS_AS(Simulator(nullptr), std::invalid_argument);
}

TEST_CASE("a latent that no pair uses does not disturb the draws", "[simulator]") {
  Matrix phi(2, 3);
  phi << 1, 0, 0, 0, 0, 1;
  Matrix mu = Matrix::Zero(2, 3);
  mu(1, 0) = 1;
  mu(0, 2) = 1;  // column 1 is zero
  const bool sparse = GENERATE(false, true);
  const Kernel kernel(1, sparse ? Factor(SparseMatrix(phi.sparseView())) : Factor(phi),
                      sparse ? Factor(SparseMatrix(mu.sparseView())) : Factor(mu), Vector::Ones(2));
  const TransitionSampler sampler(kernel);
  Rng rng = kSeeds.stream("unused");
  for (int i = 0; i < 100; ++i) {
    REQUIRE(sampler.draw(0, rng) == 1);
    REQUIRE(sampler.draw(1, rng) == 0);
  }
}

}  // namespace speder::simulator_test
