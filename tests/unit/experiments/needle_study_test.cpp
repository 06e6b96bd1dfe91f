// The scaling study: what a run stores, the lower bound against the planner and against measured N, the
// gate and the verdicts on planted rows.
#include "speder/experiments/rates/needle_study.hpp"

#include <cmath>
#include <limits>
#include <map>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/experiments/rates/needle_report.hpp"
#include "speder/experiments/rates/registry.hpp"
#include "speder/experiments/rates/suite.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "speder/oracle/bounds/online_explicit.hpp"
#include "speder/oracle/needle_bound.hpp"
#include "speder/sweep/run_sweep.hpp"
#include "tests/catch.hpp"
#include "tests/temporary.hpp"

using namespace speder;
using speder::testing::Folder;

namespace needle_study_test {
namespace {

std::map<std::string, double> measured(const NeedleStudy& study, const GridCell& cell,
                                       const NeedlePoint& reference, std::uint64_t seed) {
  std::map<std::string, double> out;
  for (const Measure& m : run_needle(study, {cell, 0, SeedTree(seed)}, reference)) {
    CHECK(m.n == 0);
    out[m.metric] = m.value;
  }
  return out;
}

// N(ε, δ) of ten runs.
double episodes_of(const NeedleStudy& study, const NeedlePoint& point, const std::string& curve,
                   const NeedlePoint& reference) {
  std::vector<double> ends;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto m = measured(study, curve_cell(study, point, curve), reference, seed);
    ends.push_back(m.contains("end") ? m.at("end") : std::numeric_limits<double>::infinity());
  }
  return run_quantile(ends, 1 - study.delta).n;
}

// A store's rows as they would be if N were N(cell, curve): runs end a little before and after it.
struct Planted {
  std::function<double(const NeedlePoint&, const std::string& curve)> N;
  bool premises = true;
};
ExperimentData planted_rows(const std::string& id, std::string_view size, const Planted& planted) {
  const Suite suite = load_suite(id, size);
  ExperimentData data;
  data.record = suite.record(1);
  for (const GridCell& cell : suite.plan.cells) {
    const auto whole = [&](const char* name) { return static_cast<int>(cell.number(name)); };
    const NeedlePoint p{.rank = whole("rank"),
                        .actions = whole("actions"),
                        .horizon = cell.number("horizon"),
                        .lead = cell.number("lead"),
                        .levels = whole("levels"),
                        .log_class = cell.number("log_class")};
    Rng rng = SeedTree(4).stream(cell.key());
    for (int r = 0; r < suite.plan.repetitions; ++r) {
      Run run;
      run.key = {id, cell.key(), r};
      run.measures = {{"epsilon", 0, 0.1 * p.lead * p.horizon},
                      {"optimism", 0, 1},
                      {"optimistic", 0, 1},
                      {"premises", 0, planted.premises ? 1.0 : 0.0},
                      {"certificate", 0, 1.0 * p.rank * p.actions},
                      {"theorem", 0, 1e9 * std::pow(p.rank, 4) * std::pow(p.actions, 2)}};
      const double n = planted.N(p, cell.text("curve"));
      if (std::isfinite(n)) run.measures.push_back({"end", 0, n * std::exp(0.05 * rng.normal())});
      data.runs.push_back(std::move(run));
    }
  }
  return data;
}

constexpr double kNever = std::numeric_limits<double>::infinity();
bool fails(const std::string& curve) {
  return curve == "none" || curve == "uniform" || curve == "subtracted" ||
         curve == "policy-actions";
}

}  // namespace

TEST_CASE("needle bound: no policy visits a pair's contexts more often", "[experiments][scaling]") {
  for (const Index doors : {2, 4, 8}) {
    for (const double gamma : {0.8, 0.9}) {
      NeedleShape shape{.doors = doors, .actions = 3, .gamma = gamma, .one_key = true};
      NeedleMember truth = draw_needles(shape, SeedTree(3));
      truth.needle[0] = truth.needle[1] = {};  // the pair without its needle
      // Recorded visits: a context at the first step, or its hall and then the action that leads on.
      Vector reward = Vector::Zero(shape.states() * shape.actions);
      for (Index s = 0; s < shape.states(); ++s) {
        const Index group = shape.group_of(s);
        const bool context = group >= shape.half(0, 0) && group < shape.half(2, 0);
        const bool hall = group == shape.hall(0) || group == shape.hall(1);
        for (Index a = 0; a < shape.actions; ++a)
          reward[pair_index(s, a, shape.actions)] = context ? 1
                                                    : hall  ? 1 / static_cast<double>(shape.actions)
                                                            : 0;
      }
      const Kernel kernel = needle_kernel(shape, truth);
      const Vector rho = Vector(needle_emission(shape, truth).col(NeedleShape::kLobby));
      const double most = (1 - gamma) * rho.dot(plan({kernel, reward, gamma}).value);
      CAPTURE(doors, gamma);
      CHECK(needle_lower_bound(shape, 0.01, 0.1).visits ==
            Approx(most).epsilon(tol::kBellman / (1 - gamma)));
    }
  }
}

TEST_CASE("needle bound: a pair that is not solved costs what the bound says",
          "[experiments][scaling]") {
  const NeedleShape shape{.doors = 6, .actions = 3, .one_key = true};
  const NeedleMember truth = draw_needles(shape, SeedTree(5));
  const double best = needle_values(shape).best;
  constexpr double kSmall = 1e-4;
  const double loss = kSmall / (needle_lower_bound(shape, kSmall, 0.1).unsolved * 3);
  Rng rng(6);
  double least = INFINITY;
  for (int i = 0; i < 4000; ++i) {
    std::vector<std::int32_t> policy(static_cast<std::size_t>(shape.groups()));
    const auto at = [&](Index g) -> std::int32_t& { return policy[static_cast<std::size_t>(g)]; };
    int unsolved = 0;
    for (Index z = 0; z < shape.doors; z += 2) {
      const Index needle = truth.needle[static_cast<std::size_t>(z)].action >= 0 ? z : z + 1;
      const auto prize = truth.needle[static_cast<std::size_t>(needle)].action;
      bool right = true;
      for (const Index c : {z, z + 1}) {
        at(shape.door(c)) = static_cast<std::int32_t>(rng.index(2));
        at(shape.hall(c)) = rng.bernoulli(0.8) ? 1 : 0;
        for (const Index h : {0, 1}) {
          at(shape.half(c, h)) =
              rng.bernoulli(0.7) ? prize : static_cast<std::int32_t>(rng.index(3));
          if (truth.owner(c, h) == needle) right = right && at(shape.half(c, h)) == prize;
        }
      }
      const auto entered = [&](Index c) {
        return at(shape.door(c)) == 1 && at(shape.hall(c)) == 1;
      };
      if (!right || !entered(needle) || entered(needle ^ 1)) ++unsolved;
    }
    const double gap = best - needle_value(shape, truth, policy);
    CHECK(gap >= loss * unsolved - tol::kBellman);
    if (unsolved > 0) least = std::min(least, gap / unsolved);
  }
  CHECK(least <= 1.2 * loss);  // it is attained, up to what was not drawn
}

TEST_CASE("needle bound: exponents near 1, nothing to learn means one episode",
          "[experiments][scaling]") {
  const auto bound = [](Index doors, Index actions, double epsilon) {
    return needle_lower_bound({.doors = doors, .actions = actions, .one_key = true}, epsilon, 0.1)
        .episodes;
  };
  CHECK(bound(4, 4, 1.0) == 1);
  CHECK(bound(40, 8, 0.01) / bound(20, 8, 0.01) == Approx(2).epsilon(0.1));
  CHECK(bound(8, 64, 0.01) / bound(8, 32, 0.01) == Approx(2).epsilon(0.1));
}

TEST_CASE("theorem with its constants: the mean regret is epsilon there",
          "[experiments][scaling]") {
  const bounds::OnlineInputs in{12, 4, 0.8, 16, 128, 0.1};
  const double N = bounds::online_episodes_explicit(in, 0.02);
  CHECK(bounds::online_regret_explicit(in, N) / N == Approx(0.02).epsilon(1e-3));
  bounds::OnlineInputs larger = in;
  larger.d = 24;  // d⁴ up to logarithms
  CHECK(bounds::online_episodes_explicit(larger, 0.02) / N == Approx(16).epsilon(0.2));
}

TEST_CASE("run_needle: the bonus matters and the bounds hold at every small size",
          "[experiments][scaling]") {
  const NeedleStudy study;
  const NeedlePoint reference = study_point(study, 12, 4);
  for (const auto& [d, A] : {std::pair(12, 4), {16, 4}, {12, 6}}) {
    CAPTURE(d, A);
    const NeedlePoint p = study_point(study, d, A);
    const double N = episodes_of(study, p, "printed", reference);
    CHECK(std::isfinite(N));
    CHECK(episodes_of(study, p, "none", reference) == kNever);
    CHECK(episodes_of(study, p, "subtracted", reference) == kNever);
    const auto m = measured(study, curve_cell(study, p, "printed"), reference, 0);
    CHECK(m.at("premises") == 1);
    CHECK(m.at("certificate") < N);
    CHECK(N < m.at("theorem"));
    CHECK(m.at("C") >= m.at("C.least"));
    CHECK(m.at("states") >= 8 * d);
    CHECK(m.at("log_class") < study.log_class);
    CHECK(m.at("gap") <= m.at("epsilon"));
  }
}

TEST_CASE("run_needle: a learner whose alpha lacks d or |A| is told from the right one",
          "[experiments][scaling]") {
  const NeedleStudy study;
  const NeedlePoint reference = study_point(study, 12, 4);
  // α² is (20/12)² or 8/4 times smaller, and the same instances end sooner: of ten equal learners nine
  // or more would do so once in a hundred tests.
  const auto sooner = [&](const NeedlePoint& p, const std::string& curve) {
    int count = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto right = measured(study, curve_cell(study, p, "printed"), reference, seed);
      const auto wrong = measured(study, curve_cell(study, p, curve), reference, seed);
      if (wrong.contains("end") && right.contains("end") && wrong.at("end") < right.at("end"))
        ++count;
    }
    return count;
  };
  CHECK(sooner(study_point(study, 20, 4), "alpha-without-d") >= 9);
  CHECK(sooner(study_point(study, 12, 8), "alpha-without-A") >= 9);
}

TEST_CASE("run_needle: what holds at its end still holds four times later",
          "[experiments][scaling]") {
  // A learner's mixture that stays ε-optimal: the run's end is no accident.
  const NeedleStudy study;
  const NeedlePoint p = study_point(study, 12, 4);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    NeedleStudy strict = study;
    strict.share = study.share / 4;  // its end is later, and its mixture is better there
    strict.budget = 4 * study.budget;
    const auto loose = measured(study, curve_cell(study, p, "printed"), p, seed);
    const auto tight = measured(strict, curve_cell(strict, p, "printed"), p, seed);
    REQUIRE(tight.contains("end"));
    CHECK(tight.at("end") > 2 * loose.at("end"));
    CHECK(tight.at("gap") < loose.at("epsilon"));
  }
}

TEST_CASE("map: planted exponents come back with the right verdicts", "[experiments][scaling]") {
  const auto verdicts = [](double p, double q) {
    const auto N = [=](const NeedlePoint& at, const std::string& curve) {
      if (fails(curve)) return kNever;
      double n = 100 * std::pow(at.rank / 12.0, p) * std::pow(at.actions / 4.0, q);
      if (curve == "alpha-without-d" || curve == "flat") n /= std::pow(at.rank / 16.0, 2);
      if (curve == "alpha-without-A" || curve == "flat") n /= at.actions / 6.0;
      return n;
    };
    return judge(planted_rows("map", "quick", {N})).report.findings;
  };
  const auto right = verdicts(3, 2);
  CHECK(right[0].verdict == Verdict::kBelow);
  CHECK(right[1].verdict == Verdict::kTight);
  for (const Finding& f : right) {
    CAPTURE(f.claim, f.reason);
    CHECK(acceptable(f));
  }
  CHECK(verdicts(4, 1)[0].verdict == Verdict::kTight);
  CHECK(verdicts(4, 1)[1].verdict == Verdict::kBelow);
  CHECK(verdicts(5.5, 2)[0].verdict == Verdict::kViolated);
  CHECK(verdicts(3, 3.5)[1].verdict == Verdict::kViolated);
}

TEST_CASE("map: a bonus without effect or a failed premise is not a test",
          "[experiments][scaling]") {
  const auto N = [](const NeedlePoint& at, const std::string&) {
    return 100 * std::pow(at.rank / 12.0, 3) * std::pow(at.actions / 4.0, 2);
  };
  const auto inert = judge(planted_rows("map", "quick", {N})).report.findings;
  CHECK(inert[0].verdict == Verdict::kNotATest);
  CHECK(inert[1].verdict == Verdict::kNotATest);
  CHECK_THAT(inert[0].reason, Catch::Contains("without its bonus the learner gets there as soon"));
  const auto explored = [&](const NeedlePoint& at, const std::string& curve) {
    return fails(curve) ? kNever : N(at, curve);
  };
  const auto broken = judge(planted_rows("map", "quick", {explored, false})).report.findings;
  CHECK(broken[0].verdict == Verdict::kNotATest);
  CHECK_THAT(broken[0].reason, Catch::Contains("a premise fails"));
}

TEST_CASE("map, pac: the last point is predicted, and a jump there is seen",
          "[experiments][scaling]") {
  const auto last = [](const std::string& id, double jump) {
    const Suite suite = load_suite(id, "full");
    double farthest = 0;
    for (const GridCell& c : suite.plan.cells)
      farthest = std::max(farthest, c.number("rank") * c.number("actions"));
    const auto N = [=](const NeedlePoint& at, const std::string& curve) {
      if (fails(curve)) return kNever;
      const double n = 20 * std::pow(at.rank / 12.0, 3) * std::pow(at.actions / 4.0, 2);
      return at.rank * at.actions == farthest ? jump * n : n;
    };
    const ExperimentReport report = judge(planted_rows(id, "full", {N})).report;
    CHECK(std::ranges::any_of(report.tables, [&](const ReportTable& t) {
      return t.id == id + "-laws" && !t.rows.empty();
    }));
    for (const Finding& f : report.findings)
      if (f.claim.starts_with("N(ε, δ) at the last point")) return f.verdict;
    throw std::runtime_error("no last point");
  };
  for (const char* id : {"map", "pac-d", "pac-A"}) {
    CAPTURE(id);
    CHECK(last(id, 1) == Verdict::kConsistent);
    CHECK(last(id, 3) == Verdict::kInconclusive);
  }
}

TEST_CASE("pac: planted exponents come back along every axis", "[experiments][scaling]") {
  struct Axis {
    std::string id;
    double theory;
    double first;  // value of x
    double (*x)(const NeedlePoint&);
  };
  const std::vector<Axis> axes = {
      {"pac-d", 4, 12, [](const NeedlePoint& p) { return double(p.rank); }},
      {"pac-A", 2, 4, [](const NeedlePoint& p) { return double(p.actions); }},
      {"pac-gamma", 6, 5, [](const NeedlePoint& p) { return p.horizon; }},
      {"pac-eps", 2, 2.5, [](const NeedlePoint& p) { return 1 / p.lead; }},
      {"pac-F", 1, 128, [](const NeedlePoint& p) { return p.log_class; }}};
  for (const Axis& axis : axes) {
    for (const std::string_view size : {"quick", "full"}) {
      CAPTURE(axis.id, size);
      const auto verdict = [&](double exponent) {
        const auto N = [=](const NeedlePoint& p, const std::string& curve) {
          return fails(curve) ? kNever : 20 * std::pow(axis.x(p) / axis.first, exponent);
        };
        return judge(planted_rows(axis.id, size, {N})).report.findings[0].verdict;
      };
      CHECK(verdict(axis.theory) == Verdict::kTight);
      CHECK(verdict(axis.theory - 0.9) == Verdict::kBelow);
      CHECK(verdict(axis.theory + 1.5) == Verdict::kViolated);
    }
  }
}

TEST_CASE("map: the same rows for any number of threads", "[experiments][scaling]") {
  const Suite suite =
      read_suite(ConfigTable::parse("experiment = 'map'\n[quick]\nrank = [12]\nactions = [4, 6]\n"
                                    "reference_rank = 12\nreference_actions = 4\nshare = 0.5\n"
                                    "repetitions = 2\n",
                                    "s.toml"),
                 "quick");
  const auto content = [&](int threads) {
    const Folder folder;
    ResultStore store = ResultStore::open(folder.path / "a.db");
    const std::atomic<bool> never = false;
    run_sweep(store, suite_runs(suite, 3), thread_workers(threads, run_task(suite, 3)), never);
    return store.content();
  };
  CHECK(content(1) == content(3));
}

TEST_CASE("map, pac: sizes that break a premise or a range are refused in one line",
          "[experiments][scaling]") {
  const auto says = [](const std::string& text, const std::string& message) {
    CHECK_THROWS_WITH(read_suite(ConfigTable::parse(text, "s.toml"), "quick"),
                      Catch::Contains(message));
  };
  says("experiment = 'map'\n[quick]\nrank = [14]\nreference_rank = 14", "rank must be 2M + 4");
  says("experiment = 'map'\n[quick]\nrank = []", "the list is empty");
  says("experiment = 'map'\n[quick]\ncurves = ['x']", "no curve 'x'; there are: printed, ");
  says("experiment = 'map'\n[quick]\nreference_rank = 20", "must be one of `rank`");
  says("experiment = 'map'\n[quick]\nlog_class = 8", "log_class = 8 is less than log|F|");
  says("experiment = 'map'\n[quick]\nc_alpha = 10",
       "make the sizes, the horizon or c_alpha smaller");
  says("experiment = 'pac-d'\n[quick]\nreference = 12", "values: the key is missing");
  says("experiment = 'pac-eps'\n[quick]\nvalues = [2]", "make epsilon smaller");
  says("experiment = 'pac-F'\n[quick]\nvalues = [128, 256]\nlevels_of_value = [4]",
       "needs one number for each value");
  says("experiment = 'calibrate'\n[quick]\nc_alpha = 1", "takes `constants` and `chosen`");
}

}  // namespace needle_study_test
