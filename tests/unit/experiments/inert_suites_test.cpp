// Six suites that this program once had measured the estimator alone: without bonus or penalty their rows
// were the same to the last bit. Their settings are kept here at small sizes, and today's gates must say
// of each that it is not a test, even where every premise is taken for granted.
#include <cmath>
#include <limits>

#include "speder/experiments/instances/instances.hpp"
#include "speder/experiments/learn/session.hpp"
#include "speder/experiments/rates/needle_report.hpp"
#include "speder/experiments/rates/offline/points.hpp"
#include "speder/mdp/conditions/conditions.hpp"
#include "speder/stats/isotonic.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace inert_suites_test {
namespace {

constexpr double kNotThere = std::numeric_limits<double>::infinity();
constexpr double kDelta = 0.1;
constexpr int kRuns = 10;

// The first n of a curve from which on the gap stays at or below ε.
double end_of(const std::vector<std::pair<double, double>>& gap_at, double epsilon) {
  double end = kNotThere;
  for (const auto& [n, gap] : gap_at) {
    if (gap > epsilon) {
      end = kNotThere;
    } else if (!std::isfinite(end)) {
      end = n;
    }
  }
  return end;
}

bool premises_hold(const TabularMdp& mdp) {
  for (const Condition& c : conditions(mdp))
    if (c.holds != Holds::kYes) return false;
  return true;
}

struct OnlineSetting {
  double value;
  int budget;
  double epsilon;
  std::function<LearnProblem(const SeedTree&)> make;
};

double online_end(const OnlineSetting& at, double c_alpha, const SeedTree& seeds) {
  const LearnProblem problem = at.make(seeds.child("instance"));
  OnlineRun online;
  online.options.episodes = at.budget;
  online.options.bonus = {.alpha = c_alpha, .lambda = 1};
  online.options.delta = kDelta;
  online.seed = seeds.seed("learner");
  for (const int n : quarter_octaves(std::max(1, at.budget >> 6), at.budget))
    online.grid.push_back(n);
  TruthEvaluator truth(problem.mdp);
  std::vector<std::pair<double, double>> gaps;
  for (const LearnRow& row : run_online(problem, truth, online).rows)
    gaps.emplace_back(static_cast<double>(row.n), row.gap_mixture);
  return end_of(gaps, at.epsilon);
}

// The suite's cells as the scaling study would have stored them.
NeedleCurves online_curves(const std::vector<OnlineSetting>& settings, double c_alpha) {
  NeedleCurves out;
  for (const OnlineSetting& at : settings) {
    for (const bool bonus : {true, false}) {
      NeedleCell cell;
      cell.rank = at.value;
      cell.budget = at.budget;
      cell.mean["premises"] = 1;
      for (int r = 0; r < kRuns; ++r) {
        const SeedTree seeds = SeedTree(3).child("run", static_cast<std::uint64_t>(r));
        cell.ends.push_back(online_end(at, bonus ? c_alpha : 0, seeds));
        cell.repetition.push_back(r);
      }
      cell.N = run_quantile(cell.ends, 1 - kDelta);
      out[bonus ? "printed" : "none"].push_back(std::move(cell));
    }
  }
  return out;
}

void check_online(const std::vector<OnlineSetting>& settings, double theory) {
  constexpr double kBonus = 0.02;  // of those suites
  const NeedleCurves curves = online_curves(settings, kBonus);
  for (const NeedleCell& c : cells_of(curves, "printed")) {
    CAPTURE(c.rank);
    CHECK(c.reached());  // what is not reached could not be told to be inert
  }
  const ScalingGate gate = needle_gate(curves, kDelta);
  CHECK(!gate.control_fails);
  const ScalingFit fit = fit_scaling(
      scaling_points(cells_of(curves, "printed"), {[](const NeedleCell& c) { return c.rank; }}));
  CHECK(judge_scaling(fit, 0, theory, gate).verdict == Verdict::kNotATest);
}

struct OfflineSetting {
  double value;
  double gap;
  double rare;  // probability of the action that is not best; ½: uniform
};

std::vector<OfflinePoint> offline_cells(const std::vector<OfflineSetting>& settings, double c_alpha,
                                        Index first, Index last) {
  std::vector<OfflinePoint> out;
  for (const OfflineSetting& at : settings) {
    OfflinePoint point;
    point.value = at.value;
    point.budget = static_cast<double>(last);
    point.known["premises_failed"] = 0;
    for (const char* curve : {"printed", "none"}) {
      for (int r = 0; r < kRuns; ++r) {
        const SeedTree seeds = SeedTree(3).child("run", static_cast<std::uint64_t>(r));
        const LearnProblem problem = make_chain(
            {.actions = 2, .gamma = 0.8, .gap = at.gap, .class_size = 16}, seeds.child("instance"));
        TruthEvaluator truth(problem.mdp);
        const Index best = truth.optimal().policy.front();
        Matrix table(2, 2);
        for (Index s = 0; s < 2; ++s) {
          table(s, best) = 1 - at.rare;
          table(s, 1 - best) = at.rare;
        }
        const Policy behaviour = Policy::stochastic(std::move(table));
        OfflineOptions options;
        options.bonus = {.alpha = std::string(curve) == "none" ? 0 : c_alpha, .lambda = 0.01};
        options.delta = kDelta;
        options.omega = 1 / at.rare;
        for (Index n = first; n <= last; n *= 2) options.checkpoints.push_back(n);
        Rng rng = seeds.stream("data");
        const Dataset data = collect_from_occupancy(Simulator(problem.mdp), behaviour, last, rng);
        std::vector<std::pair<double, double>> gaps;
        (void)offline_speder(
            data, problem.model_class.candidates, {problem.mdp->reward(), problem.mdp->gamma()},
            options, [&](const LearnerReport& report) {
              gaps.emplace_back(static_cast<double>(report.n),
                                truth.optimal_value() - truth.at(report.policy).value);
              return true;
            });
        point.ends[curve].push_back(end_of(gaps, at.gap / 2));
      }
    }
    point.N = run_quantile(point.ends["printed"], 1 - kDelta).n;
    out.push_back(std::move(point));
  }
  return out;
}

void check_offline(const std::vector<OfflineSetting>& settings, double c_alpha, Index first,
                   Index last) {
  const std::vector<OfflinePoint> points = offline_cells(settings, c_alpha, first, last);
  for (const OfflinePoint& p : points) {
    CAPTURE(p.value);
    CHECK(std::isfinite(p.N));
    CHECK(p.ends.at("printed") == p.ends.at("none"));
  }
  const ScalingGate gate = offline_gate(points, kDelta);
  CHECK(!gate.control_fails);
  CHECK(judge_scaling({}, 0, 2, gate).verdict == Verdict::kNotATest);
}

}  // namespace

TEST_CASE("inert suites: pac-eps is not a test", "[experiments][scaling][inert]") {
  std::vector<OnlineSetting> settings;
  for (const auto& [value, budget] : {std::pair{4.0, 512}, {8.0, 2048}, {16.0, 8192}})
    settings.push_back({value, budget, 1 / value, [value = value](const SeedTree& seeds) {
                          return make_chain(
                              {.actions = 2, .gamma = 0.8, .gap = 2 / value, .class_size = 16},
                              seeds);
                        }});
  check_online(settings, 2);
}

TEST_CASE("inert suites: pac-A is not a test, and its premises fail",
          "[experiments][scaling][inert]") {
  std::vector<OnlineSetting> settings;
  for (const auto& [value, budget] : {std::pair{4.0, 8192}, {8.0, 16384}})
    settings.push_back(
        {value, budget, 0.1, [value = value](const SeedTree& seeds) {
           return make_chain(
               {.actions = static_cast<Index>(value), .gamma = 0.8, .gap = 0.2, .class_size = 128},
               seeds);
         }});
  check_online(settings, 2);
  for (const OnlineSetting& at : settings) CHECK(!premises_hold(*at.make(SeedTree(1)).mdp));
}

TEST_CASE("inert suites: pac-gamma is not a test", "[experiments][scaling][inert]") {
  std::vector<OnlineSetting> settings;
  for (const auto& [value, budget] : {std::pair{6.4, 4096}, {10.0, 16384}})
    settings.push_back({value, budget, 0.2, [value = value](const SeedTree& seeds) {
                          return make_chain({.actions = 2,
                                             .gamma = 1 - 1 / value,
                                             .gap = 0.4,
                                             .class_size = 16,
                                             .climb = 1 / value,
                                             .stay = 1 - 1 / value},
                                            seeds);
                        }});
  check_online(settings, 6);
}

TEST_CASE("inert suites: pac-F is not a test", "[experiments][scaling][inert]") {
  std::vector<OnlineSetting> settings;
  for (const double value : {4.0, 16.0})
    settings.push_back(
        {value, 2048, 0.05, [value](const SeedTree& seeds) {
           return make_code(
               {.half = 64, .gamma = 0.5, .lead = 0.1, .class_size = static_cast<Index>(value)},
               seeds);
         }});
  check_online(settings, 1);
}

TEST_CASE("inert suites: off-n and off-omega are not tests", "[experiments][offline][inert]") {
  check_offline({{1 / 0.226, 0.226, 0.5}, {1 / 0.113, 0.113, 0.5}, {1 / 0.08, 0.08, 0.5}}, 0.0025,
                512, 65536);
  check_offline({{4, 0.226, 0.25}, {8, 0.226, 0.125}, {16, 0.226, 0.0625}}, 0.0005, 512, 65536);
}

}  // namespace inert_suites_test
