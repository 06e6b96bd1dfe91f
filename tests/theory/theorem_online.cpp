// Theorem 2 of docs/theory.md as it stands: Algorithm 1 runs at its α and λ on instances small enough
// for that, optimism holds at every plan, the regret stays below the bound at every n, and the mixture
// is ε-optimal by N_theorem. What the theorem assumes of the class is checked first.
#include "speder/oracle/bounds/theorem.hpp"

#include <algorithm>
#include <cmath>

#include "speder/experiments/learn/session.hpp"
#include "speder/mdp/conditions/conditions.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace theorem_online {
namespace {

constexpr double kDelta = 0.1;

struct Instance {
  LearnProblem problem;
  bounds::OnlineSizes sizes;
};

// Two states, two actions: action a leads to state 0 with probability table(s, a). ν(S) = d/|A|², so
// that both normalisations hold for every φ with ‖φ‖ ≤ 1. State 1 pays 0.9, state 0 pays 0.1.
Kernel two_states(const Matrix& table) {
  Matrix phi(4, 2);
  for (Index x = 0; x < 4; ++x) phi.row(x) << table(x / 2, x % 2), 1 - table(x / 2, x % 2);
  const Vector nu = Vector::Constant(2, 0.25);
  return {2, phi, Matrix(Matrix::Identity(2, 2) / 0.25), nu};
}

// The truth is table 0 with the places `turn` steps round; the rivals are the other turns and a coin.
Instance make_instance(double gamma, int turn) {
  std::vector<Kernel> members;
  const double p[] = {0.9, 0.1, 0.3, 0.7};
  for (int k = 0; k < 4; ++k) {
    Matrix table(2, 2);
    for (int x = 0; x < 4; ++x) table(x / 2, x % 2) = p[(x + k + turn) % 4];
    members.push_back(two_states(table));
  }
  members.push_back(two_states(Matrix::Constant(2, 2, 0.5)));
  std::rotate(members.begin(), members.begin() + 1, members.end());  // the truth comes last
  Vector theta(2);
  theta << 0.1, 0.9;
  const Kernel& truth = members.back();
  const auto mdp = std::make_shared<const TabularMdp>(
      truth, Rewards{truth.phi().times(theta), theta}, Vector::Constant(2, 0.5), gamma);
  double density = 0;  // C
  for (const Kernel& f : members) {
    for (const Condition& c : conditions(
             TabularMdp(f, {f.phi().times(theta), theta}, Vector::Constant(2, 0.5), gamma))) {
      if (c.name == "rank") continue;  // the coin has rank 1
      CAPTURE(c.name, c.value, c.bound);
      REQUIRE(c.holds == Holds::kYes);
    }
    density = std::max(density, f.dense().maxCoeff() / 0.25);
  }
  CandidateClass F{
      .candidates = FeatureClass::of(members), .truth = 4, .distance = {}, .scale = {}};
  return {{mdp, std::move(F)}, {2, 2, gamma, 5, kDelta, density}};
}

}  // namespace

TEST_CASE("Theorem 2: Algorithm 1 at the theorem's constants", "[theory][thm:pac_online]") {
  constexpr Index kEpisodes = Index{1} << 20;
  int reached = 0;
  for (const double gamma : {0.2, 0.5}) {
    for (int turn = 0; turn < 4; ++turn) {
      CAPTURE(gamma, turn);
      const Instance instance = make_instance(gamma, turn);
      TruthEvaluator truth(instance.problem.mdp);
      const double uniform = truth.optimal_value() - truth.at(Policy::uniform(2, 2)).value;
      const double epsilon = uniform / 2;
      REQUIRE(epsilon > 0);
      const double N = bounds::online_theorem_episodes(instance.sizes, epsilon);
      const double class_log = std::log(instance.sizes.class_size / kDelta);
      const double growth = 1 + std::log(static_cast<double>(kEpisodes)) / class_log;
      const bounds::OnlineTheorem t = bounds::online_theorem(instance.sizes, N, growth);
      // The learner's own schedules at constants that give the theorem's α, and its λ at n = 1.
      const double d = instance.sizes.d, A = instance.sizes.actions;
      OnlineRun run;
      run.options.episodes = kEpisodes;
      run.options.delta = kDelta;
      run.options.bonus = {.alpha = t.alpha * (1 - gamma) / (d * std::sqrt(A * class_log)),
                           .lambda = t.lambda_first / (d * class_log)};
      run.seed = static_cast<std::uint64_t>(turn);
      Index measured = 0;  // the last n at which the mixture was not ε-optimal
      const LearnOutcome outcome = run_online(instance.problem, truth, run);
      for (const LearnRow& row : outcome.rows) {
        CAPTURE(row.n, row.alpha, row.lambda);
        REQUIRE(row.alpha >= t.alpha * 0.999);
        REQUIRE(row.lambda >= t.lambda_first * 0.999);
        REQUIRE(row.lambda <= t.lambda_last * 1.001);
        const double n = static_cast<double>(row.n);
        CHECK(row.optimism >= -t.slack / std::sqrt(n));
        CHECK(row.regret <= bounds::online_theorem(instance.sizes, n, growth).regret);
        if (row.gap_mixture > epsilon) measured = row.n;
      }
      reached += measured < kEpisodes ? 1 : 0;
      CHECK(static_cast<double>(measured) <= N);
    }
  }
  // Where the bonus points the same way as the reward the mixture gets there in a hundred episodes;
  // elsewhere it is still larger than the rewards after a million, and the theorem allows 10¹⁰.
  CHECK(reached > 0);
}

TEST_CASE("Theorem 2: the printed exponents, for C held", "[theory][thm:pac_online]") {
  // N ε² grows at most as d⁴|A|²h⁶ times logarithms, and tends to these exponents.
  const auto episodes = [](double d, double A, double gamma, double epsilon) {
    return bounds::online_theorem_episodes({d, A, gamma, 1e3, kDelta, 1}, epsilon);
  };
  const double base = episodes(64, 64, 0.99, 0.1);
  const auto exponent = [&](double N, double factor) {
    return std::log(N / base) / std::log(factor);
  };
  CHECK_THAT(exponent(episodes(256, 64, 0.99, 0.1), 4), WithinAbs(4, 0.4));
  CHECK_THAT(exponent(episodes(64, 256, 0.99, 0.1), 4), WithinAbs(2, 0.4));
  CHECK_THAT(exponent(episodes(64, 64, 0.9975, 0.1), 4), WithinAbs(6, 0.4));
  CHECK_THAT(exponent(episodes(64, 64, 0.99, 0.025), 4), WithinAbs(2, 0.4));
}

}  // namespace theorem_online
