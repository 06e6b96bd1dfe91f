// One run of a cell of a LearnGrid.
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/experiments/learn/grid.hpp"
#include "speder/experiments/learn/grid_instance.hpp"
#include "speder/experiments/learn/session.hpp"
#include "speder/learning/lock_learner.hpp"
#include "speder/learning/needle_learner.hpp"
#include "speder/mdp/conditions/conditions.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/families/own_class.hpp"

namespace speder {
namespace {

Criterion criterion_of(const GridCell& cell) {
  return cell.text("criterion") == "constrained" ? Criterion::kConstrained
                                                 : Criterion::kLeastSquares;
}

double epsilon_of(const GridCell& cell) {  // −1: runs to the end
  return cell.has("epsilon") ? cell.number("epsilon") : -1;
}

Index budget_of(const GridCell& cell) { return static_cast<Index>(cell.number("budget")); }

// The premises are those of the instance, the same for all repetitions but for chance: told once.
void add_premises(const TabularMdp& mdp, std::vector<Measure>& out) {
  for (const Condition& c : conditions(mdp)) {
    if (c.holds == Holds::kNo) out.push_back({"fails_" + c.name, 0, c.value});
  }
}

// The mixture of all policies so far: its rows on a grid of n, and the end where its gap is ε.
class MixtureWatch {
 public:
  MixtureWatch(const GridCell& cell, double best)
      : epsilon_(epsilon_of(cell)), best_(best), grid_(geometric_grid(budget_of(cell))) {}

  /// After episode n, whose policy is worth `value`; false ends the run.
  bool operator()(Index n, double value) {
    regret_ += best_ - value;
    const double gap = regret_ / static_cast<double>(n);
    if (n == grid_[next_]) {
      ++next_;
      rows_.push_back({"gap", n, gap});
      rows_.push_back({"regret", n, regret_});
    }
    if (gap > epsilon_) return true;
    rows_.push_back({"end", 0, static_cast<double>(n)});
    return false;
  }
  [[nodiscard]] std::vector<Measure> rows() && { return std::move(rows_); }

 private:
  double epsilon_, best_, regret_ = 0;
  std::vector<Index> grid_;
  std::size_t next_ = 0;
  std::vector<Measure> rows_;
};

std::vector<Measure> run_needle(const GridCell& cell, const SeedTree& seeds,
                                std::shared_ptr<const TabularMdp> mdp) {
  const NeedleShape shape = needle_shape_of(cell);
  const NeedleMember truth = draw_needles(shape, seeds.child("instance"));
  const NeedleClass F(shape, seeds.child("class"));
  const std::string& algorithm = cell.text("algorithm");
  NeedleOptions options{
      .episodes = budget_of(cell), .bonus = constants_of(cell), .delta = cell.number("delta")};
  if (algorithm != "speder") options.bonus.alpha = 0;
  options.follow_plan = algorithm != "uniform";
  MixtureWatch watch(cell, F.values().best);
  double value = 0;
  (void)needle_speder(Simulator(std::move(mdp)), F, options, seeds.child("run"),
                      [&](const NeedleReport& report) {
                        if (report.changed) value = needle_value(shape, truth, report.policy);
                        return watch(report.n, value);
                      });
  return std::move(watch).rows();
}

// The same learners over all locks of the instance's shape.
std::vector<Measure> run_lock(const GridCell& cell, const SeedTree& seeds,
                              std::shared_ptr<const TabularMdp> mdp) {
  const LockClass F(comblock_shape(spec_of(cell)), seeds.child("class"));
  const std::string& algorithm = cell.text("algorithm");
  OnlineOptions options{
      .episodes = budget_of(cell), .bonus = constants_of(cell), .delta = cell.number("delta")};
  options.replan = cell.text("replan") == "every" ? Replan::kEvery : Replan::kDoubling;
  if (algorithm != "speder") options.bonus.alpha = 0;
  options.follow_plan = algorithm != "uniform";
  TruthEvaluator truth(mdp);
  MixtureWatch watch(cell, truth.optimal_value());
  double value = 0;
  (void)lock_speder(Simulator(std::move(mdp)), F, options, seeds.child("run"),
                    [&](const LearnerReport& report) {
                      if (report.replanned) value = truth.at(report.policy).value;
                      return watch(report.n, value);
                    });
  return std::move(watch).rows();
}

// A learner without a class is given the truth alone, which it does not look at.
LearnProblem problem_of(const GridCell& cell, std::shared_ptr<const TabularMdp> mdp, bool has_class,
                        const SeedTree& seeds, const LearnFiles& files) {
  if (has_class && is_class_file(cell.text("class")))
    return stored_problem(std::move(mdp), files.classes.at(cell.text("class")), {});
  if (has_class) {
    ClassSpec spec;
    spec.kind = cell.text("class");
    spec.size = static_cast<Index>(cell.number("class_size"));
    spec.jobs = 1;
    return make_problem(std::move(mdp), spec, seeds);
  }
  FeatureClass alone = FeatureClass::of({&mdp->kernel(), 1});
  return {std::move(mdp), {std::move(alone), 0, Vector::Zero(1), {-1}, 0, 0}};
}

void add_curves(const std::vector<LearnRow>& rows, std::vector<Measure>& out) {
  for (const LearnRow& row : rows) {
    const bool online = std::isfinite(row.gap_mixture);
    out.push_back({"gap", row.n, online ? row.gap_mixture : row.gap_last});
    if (online) out.push_back({"regret", row.n, row.regret});
    if (std::isfinite(row.error_rho)) out.push_back({"error_rho", row.n, row.error_rho});
  }
}

std::vector<Measure> run_online_cell(const GridCell& cell, const SeedTree& seeds,
                                     std::shared_ptr<const TabularMdp> mdp,
                                     const LearnFiles& files) {
  const OnlineAlgorithm& algorithm = online_algorithm(cell.text("algorithm"));
  const LearnProblem problem =
      problem_of(cell, std::move(mdp), algorithm.has_class, seeds.child("class"), files);
  TruthEvaluator truth(problem.mdp);
  OnlineRun run;
  run.algorithm = cell.text("algorithm");
  run.seed = seeds.seed("run");
  run.options.episodes = budget_of(cell);
  run.options.bonus = constants_of(cell);
  run.options.delta = cell.number("delta");
  run.options.criterion = criterion_of(cell);
  run.options.replan = cell.text("replan") == "every" ? Replan::kEvery : Replan::kDoubling;
  const double epsilon = epsilon_of(cell);
  std::vector<Measure> out;
  const auto watch = [&](const LearnRow& row) {
    const auto n = static_cast<double>(row.n);
    if (row.regret / n > epsilon) return true;
    out.push_back({"end", 0, n});
    return false;
  };
  add_curves(run_online(problem, truth, run, {.on_row = {}, .on_episode = watch}).rows, out);
  return out;
}

std::vector<Measure> run_offline_cell(const GridCell& cell, const SeedTree& seeds,
                                      std::shared_ptr<const TabularMdp> mdp,
                                      const LearnFiles& files) {
  const OfflineAlgorithm& algorithm = offline_algorithm(cell.text("algorithm"));
  const LearnProblem problem =
      problem_of(cell, std::move(mdp), algorithm.has_class, seeds.child("class"), files);
  TruthEvaluator truth(problem.mdp);
  OfflineRun run;
  run.algorithm = cell.text("algorithm");
  run.transitions = budget_of(cell);
  run.behaviour = {.kind = cell.text("behaviour"),
                   .epsilon = cell.number("exploration"),
                   .temperature = cell.number("temperature"),
                   .omega = cell.number("omega"),
                   .mix = cell.number("mix")};
  run.options.bonus = constants_of(cell);
  run.options.delta = cell.number("delta");
  run.options.criterion = criterion_of(cell);
  run.seed = seeds.seed("run");
  const std::vector<LearnRow> rows = run_offline(problem, truth, run).rows;
  std::vector<Measure> out;
  const double epsilon = epsilon_of(cell);
  auto first = rows.end();
  while (first != rows.begin() && std::prev(first)->gap_last <= epsilon) --first;
  if (first != rows.end()) out.push_back({"end", 0, static_cast<double>(first->n)});
  add_curves(rows, out);
  return out;
}

}  // namespace

std::vector<Measure> run_learn_cell(const GridCell& cell, std::int64_t repetition,
                                    const SeedTree& seeds, const LearnFiles& files) {
  std::shared_ptr<const TabularMdp> mdp = files.mdp;
  if (!mdp)
    mdp = std::make_shared<const TabularMdp>(generate(spec_of(cell), seeds.child("instance")));
  std::vector<Measure> premises;
  if (repetition == 0) add_premises(*mdp, premises);
  std::vector<Measure> out;
  if (cell.text("mode") == "offline") {
    out = run_offline_cell(cell, seeds, std::move(mdp), files);
  } else if (cell.text("class") == kNeedleClass &&
             online_algorithm(cell.text("algorithm")).has_class) {
    out = run_needle(cell, seeds, std::move(mdp));
  } else if (cell.text("class") == kLockClass &&
             online_algorithm(cell.text("algorithm")).has_class) {
    out = run_lock(cell, seeds, std::move(mdp));
  } else {
    out = run_online_cell(cell, seeds, std::move(mdp), files);
  }
  out.insert(out.end(), premises.begin(), premises.end());
  return out;
}

}  // namespace speder
