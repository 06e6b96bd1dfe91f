// All locks of a shape, level by level, against the same class written out member by member.
#include "speder/learning/lock_estimator.hpp"

#include <cmath>
#include <memory>

#include "speder/core/tolerance.hpp"
#include "speder/learning/lock_learner.hpp"
#include "speder/learning/representation.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/families/own_class.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace lock_estimator_test {
namespace {

Kernel kernel_of_member(const LockShape& shape, const LockMember& member) {
  return {shape.actions, lock_phi(shape, member), lock_emission(shape, member),
          Vector::Ones(shape.states())};
}

std::vector<LockMember> all_members(const LockClass& F) {
  std::vector<LockMember> out;
  const auto size = static_cast<std::int64_t>(std::llround(std::exp(F.log_size())));
  for (std::int64_t i = 0; i < size; ++i) out.push_back(F.member(i));
  return out;
}

FeatureClass written_out(const LockClass& F) {
  std::vector<Kernel> kernels;
  for (const LockMember& m : all_members(F)) kernels.push_back(kernel_of_member(F.shape(), m));
  return FeatureClass::of(kernels);
}

// A step of the true lock from any pair.
Step any_step(const LockShape& shape, const Matrix& P, Rng& rng) {
  const Index x = rng.index(shape.states() * shape.actions);
  double u = rng.uniform();
  Index y = 0;
  while (y + 1 < shape.states() && u >= P(x, y)) u -= P(x, y++);
  return {x, y};
}

}  // namespace

TEST_CASE("lock: mass and energy are the kernel's", "[learning][lock]") {
  for (const double overlap : {0.0, 0.13}) {
    const LockShape shape{.levels = 3, .actions = 3, .copies = 4, .overlap = overlap, .duds = 3};
    const LockClass F(shape, SeedTree(2));
    for (const std::int64_t i : {0, 17, 4711, 3999}) {
      const LockMember member = F.member(i);
      const Matrix P = kernel_of_member(shape, member).dense();
      for (Index s = 0; s < shape.states(); ++s) {
        for (Index a = 0; a < shape.actions; ++a) {
          const Index x = pair_index(s, a, shape.actions);
          CHECK(lock_energy(shape, member, s, a) ==
                Approx(P.row(x).squaredNorm()).epsilon(tol::kSimplex));
          for (Index y = 0; y < shape.states(); ++y)
            CHECK(std::abs(lock_mass(shape, member, s, a, y) - P(x, y)) <= tol::kSimplex);
        }
      }
    }
  }
}

TEST_CASE("lock: the order counts every member once", "[learning][lock]") {
  const LockClass F({.levels = 3, .actions = 2, .copies = 2, .duds = 2}, SeedTree(3));
  const std::vector<LockMember> all = all_members(F);
  REQUIRE(all.size() == 7 * 7 * 7 * 4);
  for (std::size_t i = 0; i < all.size(); i += 97)
    CHECK(std::count(all.begin(), all.end(), all[i]) == 1);
  CHECK_THROWS(F.member(static_cast<std::int64_t>(all.size())));
}

TEST_CASE("lock: least squares by levels is least squares over all members", "[learning][lock]") {
  for (const double overlap : {0.0, 0.125}) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      CAPTURE(overlap, seed);
      const LockShape shape{
          .levels = 3, .actions = 2, .copies = 2, .overlap = overlap, .leak = 0.5, .duds = 2};
      const LockClass F(shape, SeedTree(seed).child("class"));
      const LockMember truth = draw_lock(shape, SeedTree(seed));
      const Matrix P = kernel_of_member(shape, truth).dense();
      const FeatureClass members = written_out(F);
      Estimator by_members(members, Criterion::kLeastSquares);
      LockEstimator by_levels(F, 1);
      Rng rng = SeedTree(seed).stream("steps");
      CHECK(by_levels.best() == F.member(0));  // all tie
      for (int n = 1; n <= 300; ++n) {
        const Step step = any_step(shape, P, rng);
        by_members.add(step);
        by_levels.add(step);
        if (n > 20 && n % 10 != 0) continue;
        CAPTURE(n);
        const Estimate least = by_members.best();
        const LockMember& best = by_levels.best();
        CHECK(by_levels.loss() == Approx(least.loss).epsilon(1e-10));
        // Sums of two products may round apart where emissions overlap: there the loss alone decides.
        if (overlap == 0) CHECK(best == F.member(least.candidate));
      }
      if (overlap == 0) CHECK(by_levels.best() == truth);
    }
  }
}

TEST_CASE("lock: lock_speder is online_speder on the class written out", "[learning][lock]") {
  InstanceSpec spec{.family = "comblock", .actions = 2, .rank = 7, .gamma = 0.9, .seed = 4};
  spec.knobs["copies"] = 2;
  const auto mdp = std::make_shared<const TabularMdp>(generate(spec));
  const LockClass F(comblock_shape(resolve(spec)), SeedTree(8));
  const FeatureClass members = written_out(F);
  OnlineOptions options{.episodes = 150, .bonus = {.alpha = 0.002, .lambda = 0.01}};
  std::vector<double> values;
  std::vector<Index> steps;
  (void)online_speder(Simulator(mdp), members, options, SeedTree(5), [&](const LearnerReport& r) {
    values.push_back(r.value.sum());
    steps.push_back(r.env_steps);
    return true;
  });
  std::size_t i = 0;
  (void)lock_speder(Simulator(mdp), F, options, SeedTree(5), [&](const LearnerReport& r) {
    CAPTURE(r.n);
    CHECK(r.value.sum() == Approx(values.at(i)).epsilon(1e-9));
    CHECK(r.env_steps == steps.at(i));
    ++i;
    return true;
  });
  CHECK(i == values.size());
  OnlineOptions other = options;
  other.criterion = Criterion::kLikelihood;
  CHECK_THROWS_AS(lock_speder(Simulator(mdp), F, other, SeedTree(5)), std::invalid_argument);
}

}  // namespace lock_estimator_test
