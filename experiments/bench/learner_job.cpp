#include <fmt/format.h>

#include "speder/core/eigen_instances.hpp"
#include "speder/experiments/bench/jobs.hpp"
#include "speder/experiments/bench/measure.hpp"
#include "speder/experiments/learn/problem.hpp"
#include "speder/learning/online.hpp"
#include "speder/mdp/families/families.hpp"

namespace speder::bench {
namespace {

// Multiply-adds of one episode of Algorithm 1 with a product class that cannot be left out when λ_n
// and every member's loss change: the losses by two transitions, the scan of the squared terms, Σ̂,
// the bonus of every pair, one policy evaluation and two passes over Φ.
double multiply_adds(const FeatureClass& F) {
  const auto d = static_cast<double>(F.rank());
  const auto S = static_cast<double>(F.states());
  const auto pairs = static_cast<double>(F.pairs());
  const double triangle = d * (d + 1) / 2;
  const double estimate = static_cast<double>(F.size()) * (2 * d + triangle) +
                          2 * static_cast<double>(F.phi_count()) * triangle;
  const double bonus = d * d + d * d * d / 6 + pairs * (triangle + d);
  const double planning = S * d * d + d * d * d / 3 + 2 * pairs * d + S * d;
  return estimate + bonus + planning;
}

// Multiply-adds a second of a product of two matrices that fit the second cache.
double product_rate() {
  constexpr Index kSize = 192;
  const Eigen::MatrixXd A = Eigen::MatrixXd::Constant(kSize, kSize, 1.0 / kSize);
  Eigen::MatrixXd B = A;
  Eigen::MatrixXd C(kSize, kSize);
  constexpr int kProducts = 20;
  const double seconds = median_seconds(11, [&] {
    for (int i = 0; i < kProducts; ++i) {
      C.noalias() = A * B;
      B.swap(C);
    }
  });
  return kProducts * static_cast<double>(kSize * kSize * kSize) / seconds;
}

}  // namespace

std::vector<Figure> learner_job() {
  constexpr Index kEpisodes = 200;
  const auto mdp = std::make_shared<const TabularMdp>(generate(
      {.family = "simplex", .states = 512, .actions = 16, .rank = 32, .gamma = 0.9, .seed = 1}));
  ClassSpec spec;
  spec.kind = "product";
  spec.size = 10'000;
  const LearnProblem problem = make_problem(mdp, spec, SeedTree(1));
  const FeatureClass& F = problem.model_class.candidates;
  const Simulator env(mdp);
  OnlineOptions options;
  options.episodes = kEpisodes;
  options.bonus = bonus_constants("tuned");
  Index last = -1;
  Index changes = 0;
  const auto watch = [&](const LearnerReport& report) {
    changes += report.candidate != last ? 1 : 0;
    last = report.candidate;
    return true;
  };
  (void)online_speder(env, F, options, SeedTree(1), watch);
  const double seconds =
      median_seconds(5, [&] { (void)online_speder(env, F, options, SeedTree(1)); }) / kEpisodes;
  const double arithmetic = multiply_adds(F) / product_rate();
  return {{.job = "episode, S=512 A=16 d=32 |F|=100x100",
           .measured = fmt::format("{:.3g} ms, a new candidate in {} of {}; {:.3g} million "
                                   "multiply-adds take {:.3g} ms in a matrix product",
                                   1e3 * seconds, changes, kEpisodes, multiply_adds(F) / 1e6,
                                   1e3 * arithmetic),
           .value = seconds / arithmetic,
           .must = 2,
           .at_least = false}};
}

}  // namespace speder::bench
