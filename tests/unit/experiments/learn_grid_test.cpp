// The experiment `learn`: its grid, one run of a cell, and the study of planted rows.
#include "speder/experiments/learn/grid.hpp"

#include <cmath>

#include "speder/core/check.hpp"
#include "speder/experiments/learn/grid_instance.hpp"
#include "speder/experiments/learn/session.hpp"
#include "speder/experiments/rates/learn/plan.hpp"
#include "speder/experiments/rates/learn/study.hpp"
#include "speder/mdp/families/families.hpp"
#include "tests/catch.hpp"

namespace speder {
SweepPlan plan_learn(const ConfigTable&);
}

using namespace speder;

namespace learn_grid_test {
namespace {

LearnGrid needle_grid() {
  LearnGrid grid;
  grid.families = {"needle"};
  grid.numbers = {{"rank", {8, 12}},   {"actions", {2, 3}}, {"gamma", {0.8}},
                  {"epsilon", {0.05}}, {"budget", {50}},    {"c_alpha", {0.01}}};
  return grid;
}

double measure(const std::vector<Measure>& rows, std::string_view metric) {
  for (const Measure& m : rows)
    if (m.metric == metric) return m.value;
  return std::nan("");
}

// Runs whose ends are N = scale · d^p |A|^q times noise; `control` is the factor of the control's.
ExperimentData planted(double p, double q, double control, double budget = 1e9) {
  LearnGrid grid = needle_grid();
  grid.numbers["rank"] = {8, 12, 16, 20, 24, 32};
  grid.numbers["actions"] = {2, 4, 8, 16};
  grid.numbers["budget"] = {budget};
  grid.axes = {"rank", "actions"};
  grid.theory = {2, 1};
  const SweepPlan plan = plan_learn_grid(grid);
  ExperimentData data;
  data.record.id = "learn";
  data.record.config = plan.config;
  for (const GridCell& cell : plan.cells) {
    Rng rng(5);  // the same spread in every cell: the exponents are exact
    const bool learner = cell.text("role") == "learner";
    for (int r = 0; r < 20; ++r) {
      Run run{.key = {"learn", cell.key(), r}};
      const double n = 10 * std::pow(cell.number("rank"), p) * std::pow(cell.number("actions"), q) *
                       std::exp(0.2 * rng.normal()) * (learner ? 1 : control);
      if (n <= budget) run.measures.push_back({"end", 0, n});
      data.runs.push_back(std::move(run));
    }
  }
  return data;
}

}  // namespace

TEST_CASE("learn grid: the product of all lists, with a control beside each learner",
          "[learn-grid]") {
  LearnGrid grid = needle_grid();
  CHECK(learn_cells(grid).size() == 8);
  CHECK(grid.axes == std::vector<std::string>{"rank", "actions"});
  grid.algorithms = {"speder", "greedy", "known-phi"};
  CHECK(learn_cells(grid).size() == 20);  // greedy has no bonus to leave out
  grid.control = false;
  CHECK(learn_cells(grid).size() == 12);
  grid.numbers["knob_lead"] = {0.3, 0.4};
  CHECK_THROWS_AS(learn_cells(grid), InputError);  // a third axis
}

TEST_CASE("learn grid: the stored settings are a suite of the same cells", "[learn-grid]") {
  LearnGrid grid = needle_grid();
  grid.numbers["knob_lead"] = {0.3};
  grid.theory = {4, 2};
  grid.axes = {"actions", "rank"};
  const SweepPlan plan = plan_learn_grid(grid);
  const SweepPlan again = plan_learn(ConfigTable::parse(plan.config, "stored"));
  CHECK(again.cells == plan.cells);
  CHECK(again.config == plan.config);
}

TEST_CASE("learn grid: what cannot be run is refused before anything is", "[learn-grid]") {
  const auto refused = [](auto&& change) {
    LearnGrid grid = needle_grid();
    change(grid);
    CHECK_THROWS_AS(learn_cells(grid), InputError);
  };
  refused([](LearnGrid& g) { g.families = {"nedle"}; });
  refused([](LearnGrid& g) { g.families = {}; });
  refused([](LearnGrid& g) { g.numbers["rank"] = {}; });
  refused([](LearnGrid& g) { g.numbers["rank"] = {8, 10}; });  // an odd number of doors
  refused([](LearnGrid& g) { g.numbers["rank"] = {8.5, 12}; });
  refused([](LearnGrid& g) { g.numbers["gamma"] = {1}; });
  refused([](LearnGrid& g) { g.numbers["colour"] = {1}; });
  refused([](LearnGrid& g) { g.numbers["knob_colour"] = {1}; });
  refused([](LearnGrid& g) { g.algorithms = {"rep-ucb"}; });  // would hold the whole product class
  refused([](LearnGrid& g) { g.classes = {"needle", "needle"}; });
  refused([](LearnGrid& g) { g.theory = {1}; });
  refused([](LearnGrid& g) { g.axes = {"rank"}; });
  refused([](LearnGrid& g) { g.numbers["rank"] = {8}, g.numbers["actions"] = {2}; });
}

TEST_CASE("learn grid: a run of a cell is the run that speder learn makes", "[learn-grid]") {
  LearnGrid grid;
  grid.families = {"simplex"};
  grid.numbers = {
      {"states", {12}}, {"rank", {3}}, {"actions", {3}}, {"class_size", {10}}, {"budget", {60}}};
  const GridCell cell = learn_cells(grid).front();
  const SeedTree seeds(3);
  const std::vector<Measure> rows = run_learn_cell(cell, 0, seeds);
  auto mdp = std::make_shared<const TabularMdp>(generate(spec_of(cell), seeds.child("instance")));
  ClassSpec spec;
  spec.size = 10;
  const LearnProblem problem = make_problem(mdp, spec, seeds.child("class"));
  TruthEvaluator truth(mdp);
  OnlineRun run;
  run.options.episodes = 60;
  run.seed = seeds.seed("run");
  const std::vector<LearnRow> direct = run_online(problem, truth, run).rows;
  std::vector<Measure> expected;
  for (const LearnRow& row : direct) expected.push_back({"regret", row.n, row.regret});
  std::vector<Measure> got;
  for (const Measure& m : rows)
    if (m.metric == "regret") got.push_back(m);
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CHECK(got[i].n == expected[i].n);
    CHECK(got[i].value == expected[i].value);
  }
}

TEST_CASE("learn grid: the needle learner is the general one, and ends at epsilon",
          "[learn-grid]") {
  // Without a bonus nothing is found: the run ends only where epsilon lets it.
  LearnGrid grid = needle_grid();
  grid.numbers["rank"] = {8, 12};
  grid.numbers["actions"] = {2};
  grid.numbers["epsilon"] = {10};
  const GridCell cell = learn_cells(grid).front();
  CHECK(measure(run_learn_cell(cell, 0, SeedTree(1)), "end") == 1);
  grid.numbers["epsilon"] = {1e-9};
  const std::vector<Measure> rows = run_learn_cell(learn_cells(grid).front(), 0, SeedTree(1));
  CHECK(std::isnan(measure(rows, "end")));
  CHECK(rows.back().n == 50);
  // Every stated premise holds on this family.
  for (const Measure& m : rows) CHECK_FALSE(m.metric.starts_with("fails_"));
}

TEST_CASE("learn study: planted exponents, what is no test, and points beyond the budget",
          "[learn-grid]") {
  const std::vector<ScalingStudy> studies = scaling_studies(planted(2, 1, 1e9));
  REQUIRE(studies.size() == 1);
  const ScalingStudy& study = studies.front();
  CHECK(study.name == "speder on needle");
  CHECK(study.cells.size() == 24);
  CHECK(study.fit.ellipse_contains(2, 1));
  CHECK(study.verdicts[0].verdict == Verdict::kTight);
  CHECK(study.verdicts[1].verdict == Verdict::kTight);
  CHECK(study.held_out.inside);
  CHECK(scaling_studies(planted(1, 1, 1e9)).front().verdicts[0].verdict == Verdict::kBelow);
  CHECK(scaling_studies(planted(4, 1, 1e9)).front().verdicts[0].verdict == Verdict::kViolated);
  const ScalingStudy same = scaling_studies(planted(2, 1, 1)).front();
  CHECK(same.verdicts[0].verdict == Verdict::kNotATest);
  CHECK(same.gate.reason.find("24 of 24") != std::string::npos);
  const ScalingStudy cut = scaling_studies(planted(2, 1, 1e9, 50'000)).front();
  CHECK(cut.fit.censored > 0);
  CHECK(cut.verdicts[0].verdict == Verdict::kTight);
}

}  // namespace learn_grid_test
