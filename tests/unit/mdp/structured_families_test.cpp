// Families whose numbers can be written down: every entry against the definition, and values
// against closed forms.
#include <cmath>

#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/conditions/conditions.hpp"
#include "speder/mdp/families/families.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace structured_families_test {
namespace {

// V^π by the dense linear system (I − γ P_π) V = r_π.
Vector value_of(const TabularMdp& m, const std::vector<Index>& choice) {
  const Matrix P = m.kernel().dense();
  Matrix M = Matrix::Identity(m.states(), m.states());
  Vector r(m.states());
  for (Index s = 0; s < m.states(); ++s) {
    const Index row = pair_index(s, choice[static_cast<std::size_t>(s)], m.actions());
    M.row(s) -= m.gamma() * P.row(row);
    r[s] = m.reward()[row];
  }
  return M.partialPivLu().solve(r);
}

// The best deterministic policy's value at ρ, over all |A|^|S| of them.
struct Best {
  double value = -1;
  std::vector<Index> choice;
};
Best brute_force(const TabularMdp& m) {
  Best best;
  std::vector<Index> choice(static_cast<std::size_t>(m.states()), 0);
  for (bool more = true; more;) {
    const double value = m.rho().dot(value_of(m, choice));
    if (value > best.value) best = {value, choice};
    more = false;
    for (Index& c : choice) {
      if (++c < m.actions()) {
        more = true;
        break;
      }
      c = 0;
    }
  }
  return best;
}

// A wrong entry would differ by far more than the rounding of ⟨φ, μ⟩.
void check_kernel(const TabularMdp& m, const Matrix& expected) {
  CHECK((m.kernel().dense() - expected).cwiseAbs().maxCoeff() <= tol::kSimplex);
}

}  // namespace

TEST_CASE("river: three states, written out", "[mdp][families][river]") {
  const TabularMdp m = generate({.family = "river", .states = 3});
  const Matrix P = (Matrix(6, 3) << 1, 0, 0,  // s=0 left
                    0.4, 0.6, 0,              // s=0 right
                    1, 0, 0,                  // s=1 left
                    0.05, 0.6, 0.35,          // s=1 right
                    0, 1, 0,                  // s=2 left
                    0, 0.4, 0.6)
                       .finished();  // s=2 right
  check_kernel(m, P);
  CHECK(m.reward() == (Vector(6) << 0.005, 0, 0, 0, 0, 1).finished());
  CHECK(m.rank() == 4);
  CHECK(m.rho() == Vector::Unit(3, 0));
  CHECK(brute_force(m).choice == std::vector<Index>{1, 1, 1});
}

TEST_CASE("two-state: V* is the closed form and the gap is eps", "[mdp][families][two-state]") {
  for (const double gamma : {0.5, 0.9, 0.999}) {
    for (const double eps : {1e-3, 0.1, 0.3}) {
      const TabularMdp m =
          generate({.family = "two-state", .actions = 3, .gamma = gamma, .knobs = {{"eps", eps}}});
      CAPTURE(gamma, eps);
      const Best best = brute_force(m);
      const auto star = best.choice[0];
      const Index wrong = (star + 1) % 3;
      const double x = m.kernel().dense_row(pair_index(0, star, 3))[1];
      CHECK_THAT(best.value,
                 WithinRel(x / ((1 - gamma) * (1 - gamma * (gamma - x))), tol::kSimplex));
      // Two values of size 1/(1−γ) are subtracted.
      CHECK_THAT(best.value - m.rho().dot(value_of(m, {wrong, 0})),
                 WithinAbs(eps, tol::kSimplex / (1 - gamma)));
      CHECK_THAT(m.kernel().dense_row(pair_index(0, wrong, 3))[1],
                 WithinAbs(1 - gamma, tol::kSimplex));
    }
  }
}

TEST_CASE("lock: every latent move and reward against the drawing", "[mdp][families][lock]") {
  // d = 4, one state per latent: three levels.
  for (const double reset : {0.0, 1.0}) {
    const TabularMdp m = generate({.family = "lock",
                                   .states = 4,
                                   .actions = 3,
                                   .rank = 4,
                                   .gamma = 0.9,
                                   .seed = 3,
                                   .knobs = {{"reset", reset}, {"slip", 0.25}}});
    CAPTURE(reset);
    const Matrix mu = m.kernel().mu().to_dense();  // a permutation matrix
    std::vector<Index> state_of(4);
    for (Index s = 0; s < 4; ++s)
      for (Index k = 0; k < 4; ++k)
        if (mu(s, k) == 1) state_of[static_cast<std::size_t>(k)] = s;
    const Index opened = reset == 1 ? 3 : 0;
    const Index wrong = reset == 1 ? 0 : 3;
    const double decoy = m.theta()[wrong];
    CHECK(m.theta()[opened] == 1);
    CHECK(decoy > 0);
    CHECK(m.rho()[state_of[0]] == 1);
    for (Index k = 0; k < 4; ++k) {
      const Index level = k == 3 ? 0 : k;
      const Index ahead = level == 2 ? opened : level + 1;
      Index good_actions = 0;
      for (Index a = 0; a < 3; ++a) {
        const Index pair = pair_index(state_of[static_cast<std::size_t>(k)], a, 3);
        const Vector p = m.kernel().dense_row(pair);
        const Vector fail = Vector::Unit(4, state_of[static_cast<std::size_t>(wrong)]);
        const Vector good =
            0.75 * Vector::Unit(4, state_of[static_cast<std::size_t>(ahead)]) + 0.25 * fail;
        const double pay = (ahead == opened ? 0.75 : 0.0) + 0.25 * decoy;
        if (p == good) {
          ++good_actions;
          CHECK_THAT(m.reward()[pair], WithinAbs(pay, tol::kSimplex));
        } else {
          CHECK(p == fail);
          CHECK(m.reward()[pair] == decoy);
        }
      }
      CHECK(good_actions == (reset == 0 && k == 3 ? 0 : 1));
    }
  }
}

TEST_CASE("lock: opening is optimal below the decoy threshold and not above it",
          "[mdp][families][lock]") {
  for (const double reset : {0.0, 1.0}) {
    for (const double slip : {0.0, 0.3}) {
      // Two locks that differ in the decoy alone; at knob 0.99 opening still wins. Above δ* it
      // must lose: the reward is raised by hand, θ_wrong = 1.01 δ*.
      const TabularMdp m = generate({.family = "lock",
                                     .states = 4,
                                     .actions = 2,
                                     .rank = 4,
                                     .gamma = 0.8,
                                     .seed = 9,
                                     .knobs = {{"reset", reset}, {"slip", slip}, {"decoy", 0.99}}});
      CAPTURE(reset, slip);
      const Index wrong = reset == 1 ? 0 : 3;
      const auto opens = [&](const TabularMdp& lock) {  // does π* ever arrive at `opened` from ρ?
        const Best best = brute_force(lock);
        const double always_wrong = lock.theta()[wrong] / (1 - lock.gamma());
        return best.value > always_wrong * (1 + tol::kSimplex);
      };
      CHECK(opens(m));
      Vector theta = m.theta();
      theta[wrong] *= 1.01 / 0.99;
      const TabularMdp richer(m.kernel(), {.table = m.kernel().phi().times(theta), .theta = theta},
                              m.rho(), m.gamma());
      CHECK(!opens(richer));
    }
  }
}

TEST_CASE("deepsea: the treasure is N right moves away", "[mdp][families][deepsea]") {
  const TabularMdp m =
      generate({.family = "deepsea", .gamma = 0.9, .knobs = {{"size", 3}, {"shuffle", 0}}});
  CHECK(m.states() == 9);
  CHECK(m.rank() == 8);
  Matrix P = Matrix::Zero(18, 9);
  const std::vector<std::pair<Index, Index>> next = {
      {3, 4}, {3, 5}, {4, 5}, {6, 7}, {6, 8}, {7, 8}, {0, 0}, {0, 0}, {0, 0}};  // left, right
  for (Index s = 0; s < 9; ++s) {
    P(2 * s, next[static_cast<std::size_t>(s)].first) = 1;
    P(2 * s + 1, next[static_cast<std::size_t>(s)].second) = 1;
  }
  check_kernel(m, P);
  for (Index s = 0; s < 9; ++s) {
    CHECK(m.reward()[2 * s] == 0.01 / 3);
    CHECK(m.reward()[2 * s + 1] == (s == 8 ? 1 : 0));
  }
  // Right all the way: V(0) = γ² + γ³ V(0).
  CHECK_THAT(value_of(m, std::vector<Index>(9, 1))[0],
             WithinAbs(0.81 / (1 - 0.729), tol::kSimplex));
}

TEST_CASE("garnet and canonical: phi and mu are what their names say", "[mdp][families]") {
  const TabularMdp garnet =
      generate({.family = "garnet", .states = 8, .actions = 2, .knobs = {{"successors", 3}}});
  CHECK(garnet.kernel().phi().to_dense() == garnet.kernel().dense());
  CHECK(garnet.kernel().phi().nonzeros() == 8 * 2 * 3);
  const TabularMdp canonical =
      generate({.family = "canonical", .states = 8, .actions = 2, .knobs = {{"successors", 3}}});
  CHECK(canonical.rank() == 16);
  CHECK(canonical.kernel().phi().to_dense() == Matrix::Identity(16, 16));
  CHECK(canonical.theta() == canonical.reward());
}

TEST_CASE("continuous: smooth densities that integrate to one", "[mdp][families][continuous]") {
  const TabularMdp m = generate({.family = "continuous", .states = 400, .actions = 3, .rank = 6});
  const Vector mass = m.kernel().mu().transpose_times(m.kernel().nu());
  CHECK((mass.array() - 1).abs().maxCoeff() <= tol::kSimplex);
  // |w'| ≤ (π/2)(d−1) and ∑_s w_k ≥ |S|/(2(d−1)) − 1 (half a bump at the edges): one grid step
  // moves μ_k ν by at most (π/2)(d−1)/|S| over that.
  const Matrix density = m.kernel().mu().to_dense() * m.kernel().nu()[0];
  const double step = (density.bottomRows(399) - density.topRows(399)).cwiseAbs().maxCoeff();
  CHECK(step <= std::acos(-1.0) / 2 * 5 / 400 / (400 / 10.0 - 1));
}

TEST_CASE("continuous: full rank on the coarsest grid allowed", "[mdp][families][continuous]") {
  for (const Index d : {1, 2, 3, 7, 20}) {
    for (const double waves : {1.0, 1.5, 4.0}) {
      for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
        const auto states = static_cast<Index>(std::ceil(4 * waves * static_cast<double>(d)));
        const TabularMdp m = generate({.family = "continuous",
                                       .states = states,
                                       .actions = 1,
                                       .rank = d,
                                       .seed = seed,
                                       .knobs = {{"waves", waves}}});
        CAPTURE(d, waves, seed);
        CHECK(kernel_rank(m.kernel()).rank == d);
      }
    }
  }
}

}  // namespace structured_families_test
