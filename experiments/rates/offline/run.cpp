// off-n, off-omega, off-C: how many transitions Algorithm 2 needs until its policy is ε-optimal, on
// needle MDPs whose doors the behaviour policy mostly neglects (instance.hpp). On one instance the gap
// is that of refusing every door until the penalty of the well-covered doors has fallen below what
// they are worth, and zero soon after: a step, not a power of n. So N(ε) is measured, and the theorem
// gap ≤ √(ω²d⁴C* log(|F|/δ)/((1−γ)⁶n)) is read as N ∝ ε⁻², ω², C*: DEVIATION-11.  [thm:pac_offline]
//   off-n      Δ moves, and with it ε, a fixed share of what there is to gain
//   off-omega  the arms that the behaviour does not like become rarer; C* does not see arms
//   off-C      the behaviour enters the good doors less often, at a fixed ω
//   off-calibrate  c_α: the least at which the learner is pessimistic, on seeds of its own
#include "speder/experiments/rates/experiment.hpp"

#include <cmath>

#include "speder/core/check.hpp"
#include "speder/experiments/rates/offline/instance.hpp"
#include "speder/learning/needle_offline.hpp"
#include "speder/mdp/conditions/conditions.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/oracle/bounds/pac.hpp"

namespace speder {
namespace {

struct OfflineConfig {
  std::vector<double> leads = {0.0707, 0.05, 0.0354, 0.025, 0.0177, 0.0125, 0.00884};  // Δ
  std::vector<double> omegas = {40, 80, 160, 320, 640, 1280};
  std::vector<double> coverages = {16, 32, 64, 128, 256, 512};  // C*
  int doors = 8, actions = 4, levels = 1;
  double gamma = 0.8, overlap = 0.02;
  double lead = 0.1, omega = 40, neglect = 0.05;  // where they do not move
  double wide_omega = 2048;                       // of off-C, with neglect 4/ω
  double share = 0.15;  // ε as a share of V* − V(refuse every door): less than one mistake costs
  double delta = 0.1, c_alpha = 1e-3, c_lambda = 0.01;
  int first = 4096;  // n
  double last = 4.0e10;
  std::vector<double> constants;  // c_α, of off-calibrate
};

OfflineShape shape_of(const OfflineConfig& c, const GridCell& cell) {
  OfflineShape out{.needle = {.doors = c.doors,
                              .actions = c.actions,
                              .gamma = c.gamma,
                              .overlap = c.overlap,
                              .lead = c.lead,
                              .levels = c.levels},
                   .omega = c.omega,
                   .neglect = c.neglect};
  const std::string& axis = cell.text("axis");
  if (axis == "lead") out.needle.lead = cell.number("value");
  if (axis == "omega") out.omega = cell.number("value");
  if (axis == "coverage") {
    out.omega = c.wide_omega;
    out.neglect = 4 / c.wide_omega;
    out.good = cell.number("good");
  }
  return out;
}

// 2^(1/4) apart.
std::vector<Index> grid_of(const OfflineConfig& c) {
  std::vector<Index> out;
  for (int i = 0;; ++i) {
    const double n = c.first * std::exp2(i / 4.0);
    if (n > c.last) return out;
    out.push_back(static_cast<Index>(std::llround(n)));
  }
}

// Behaviour cloning on groups: the frequencies of actions, uniform where nothing was seen.
class GroupClone {
 public:
  explicit GroupClone(const NeedleShape& shape)
      : counts_(Matrix::Zero(shape.groups(), shape.actions)) {}
  void add(const std::vector<NeedleCount>& fresh) {
    for (const NeedleCount& c : fresh) counts_(c.group, c.action) += c.count;
  }
  [[nodiscard]] GroupPolicy policy() const {
    GroupPolicy out = counts_;
    for (Index g = 0; g < out.rows(); ++g) {
      const double total = counts_.row(g).sum();
      if (total > 0) out.row(g) /= total;
      if (total == 0) out.row(g).setConstant(1 / static_cast<double>(out.cols()));
    }
    return out;
  }

 private:
  Matrix counts_;
};

// A learner with its multiple of the printed α, its last checkpoint at which the gap was above ε, and
// whether V̂ ≤ V^π̂ has held so far.
struct OfflineCurve {
  std::string name;
  double factor = 1;
  Index settled = 0;  // index into the grid
  bool pessimistic = true;
};

// The premises, on the MDP itself; they do not depend on the truth drawn.
void store_premises(const OfflineConfig& c, const OfflineShape& shape,
                    const OfflineInstance& instance, double epsilon, std::vector<Measure>& out) {
  const NeedleShape& needle = shape.needle;
  InstanceSpec spec{.family = "needle",
                    .actions = needle.actions,
                    .rank = needle.rank(),
                    .gamma = needle.gamma,
                    .seed = 1};
  // The conditions are the same for every rotation; unrotated they are exact.
  spec.knobs = {{"overlap", needle.overlap}, {"lead", needle.lead}, {"rotate", 0}};
  const TabularMdp mdp = generate(spec);
  double failed = 0;
  for (const Condition& condition : conditions(mdp)) {
    out.push_back({"condition." + condition.name, 0, condition.value});
    failed += condition.holds == Holds::kYes ? 0 : 1;
  }
  const auto states = static_cast<double>(needle.states());
  const double c_star = needle_coverage(needle, instance.truth, instance.best, instance.behaviour);
  const NeedleClass F(needle, SeedTree(1));
  const double theorem =
      bounds::offline_gap_printed<double>(
          {static_cast<double>(needle.rank()), static_cast<double>(needle.actions), needle.gamma,
           1.0, std::exp(F.log_size()), c.delta},
          instance.omega, c_star) /
      epsilon;
  out.insert(out.end(),
             {{"premises_failed", 0, failed},
              {"C", 0, states / (static_cast<double>(needle.copies) * mdp.kernel().nu().sum())},
              {"states_per_rank", 0, states / static_cast<double>(needle.rank())},
              {"rank", 0, static_cast<double>(needle.rank())},
              {"log_class", 0, F.log_size()},
              {"c_alpha", 0, c.c_alpha},
              {"omega", 0, instance.omega},
              {"c_star", 0, c_star},
              {"epsilon", 0, epsilon},
              {"lower_bound", 0, offline_lower_bound(needle, instance, c.delta)},
              {"theorem", 0, theorem * theorem}});
}

// Runs all curves on one data set; `row` sees their gaps at every checkpoint.
template <class Row>
void follow(const OfflineConfig& c, const OfflineShape& shape, const OfflineInstance& instance,
            double epsilon, const SeedTree& seeds, std::vector<OfflineCurve>& curves,
            const Row& row) {
  const NeedleShape& needle = shape.needle;
  const NeedleClass F(needle, seeds.child("class"));
  const NeedleData data(needle, instance.truth, instance.behaviour);
  const BonusSchedule schedule = offline_schedule(F, {1, c.c_lambda}, c.delta, instance.omega);
  NeedleOffline learner(F);
  GroupClone clone(needle);
  Rng rng = seeds.stream("data");
  const std::vector<Index> grid = grid_of(c);
  Index n = 0;
  for (std::size_t k = 0; k < grid.size(); ++k) {
    const std::vector<NeedleCount> fresh = data.draw(grid[k] - n, rng);
    n = grid[k];
    learner.add(fresh);
    clone.add(fresh);
    for (OfflineCurve& curve : curves) {
      double value = 0;
      double slack = 0;
      if (curve.name == "clone") {
        value = needle_value(needle, instance.truth, clone.policy());
      } else {
        const auto at = static_cast<double>(n);
        const auto plan = learner.plan(curve.factor * schedule.alpha(at), schedule.lambda(at));
        value = needle_value(needle, instance.truth, plan.policy);
        slack = value - plan.value;
      }
      const double gap = F.values().best - value;
      if (gap > epsilon) curve.settled = static_cast<Index>(k) + 1;
      if (slack < 0) curve.pessimistic = false;
      row(curve, k, n, gap);
    }
  }
}

double epsilon_of(const OfflineConfig& c, const NeedleShape& shape) {
  const NeedleValues values = needle_values(shape);
  return c.share * (values.best - values.refusal);
}

std::vector<Measure> run(const OfflineConfig& c, const RunContext& context) {
  const SeedTree seeds = context.seeds.child(context.cell.key());
  const OfflineShape shape = shape_of(c, context.cell);
  const OfflineInstance instance = make_offline_instance(shape, seeds.child("instance"));
  const double epsilon = epsilon_of(c, shape.needle);
  std::vector<OfflineCurve> curves = {
      {"printed", c.c_alpha}, {"none", 0}, {"added", -c.c_alpha}, {"clone"}};
  // α held at the first cell's: it has ω, and nothing else that moves.
  if (context.cell.text("axis") == "omega")
    curves.push_back({"flat", c.c_alpha * std::sqrt(c.omegas.front() / instance.omega)});
  std::vector<Measure> out;
  if (context.repetition == 0) store_premises(c, shape, instance, epsilon, out);
  follow(c, shape, instance, epsilon, seeds, curves,
         [&](const OfflineCurve& curve, std::size_t k, Index n, double gap) {
           constexpr std::size_t kOctave = 4;
           if (k % kOctave == 0) out.push_back({"gap." + curve.name, n, gap / epsilon});
         });
  const std::vector<Index> grid = grid_of(c);
  for (const OfflineCurve& curve : curves) {
    // The least checkpoint from which on the run stays ε-optimal; 0: there is none.
    const auto k = static_cast<std::size_t>(curve.settled);
    out.push_back({"end." + curve.name, 0, k < grid.size() ? static_cast<double>(grid[k]) : 0.0});
    out.push_back({"pessimistic." + curve.name, 0, curve.pessimistic ? 1.0 : 0.0});
  }
  return out;
}

std::vector<Measure> calibrate(const OfflineConfig& c, const RunContext& context) {
  const SeedTree seeds = context.seeds.child(context.cell.key());
  const OfflineShape shape = shape_of(c, context.cell);
  const OfflineInstance instance = make_offline_instance(shape, seeds.child("instance"));
  std::vector<OfflineCurve> curves;
  for (const double constant : c.constants)
    curves.push_back({fmt::format("{:g}", constant), constant});
  follow(c, shape, instance, epsilon_of(c, shape.needle), seeds, curves,
         [](const OfflineCurve&, std::size_t, Index, double) {});
  std::vector<Measure> out;
  for (const OfflineCurve& curve : curves)
    out.push_back({"pessimistic." + curve.name, 0, curve.pessimistic ? 1.0 : 0.0});
  return out;
}

OfflineConfig read(const ConfigTable& table, Settings& settings) {
  OfflineConfig c;
  settings.read("leads", c.leads, {1e-4, 0.49}).read("omegas", c.omegas, {8, 1e6});
  settings.read("coverages", c.coverages, {1, 1e6});
  settings.read("doors", c.doors, {2, 1000}).read("actions", c.actions, {3, 1000});
  settings.read("levels", c.levels, {1, 1000}).read("gamma", c.gamma, kDiscount);
  settings.read("overlap", c.overlap, {0, 0.49}).read("lead", c.lead, {1e-4, 0.49});
  settings.read("omega", c.omega, {8, 1e6}).read("neglect", c.neglect, {1e-6, 0.5});
  settings.read("wide_omega", c.wide_omega, {8, 1e6}).read("share", c.share, {0.01, 0.99});
  settings.read("delta", c.delta, kFailure);
  settings.read("c_alpha", c.c_alpha, {0, 1e6}).read("c_lambda", c.c_lambda, kScale);
  settings.read("first", c.first).read("last", c.last, {1, 1e15});
  if (c.last < c.first) table.fail("last", "the grid of n ends before it begins");
  return c;
}

void put_cells(const OfflineConfig& c, std::string_view axis, std::vector<GridCell>& out) {
  const std::vector<double>& values = axis == "lead"    ? c.leads
                                      : axis == "omega" ? c.omegas
                                                        : c.coverages;
  for (const double value : values) {
    GridCell cell = GridCell().set("axis", axis).set("value", value);
    if (axis == "coverage") {
      GridCell any = cell;
      cell.set("good", entry_for_coverage(shape_of(c, any.set("good", 0.5)), value));
    }
    // Nothing is started that cannot be run.
    (void)make_offline_instance(shape_of(c, cell), SeedTree(1));
    out.push_back(cell);
  }
}

SweepPlan plan_offline(const ConfigTable& table, std::string_view axis) {
  Settings settings(table);
  const OfflineConfig c = read(table, settings);
  SweepPlan plan;
  put_cells(c, axis, plan.cells);
  plan.config = settings.text();
  plan.run = [c](const RunContext& context) { return run(c, context); };
  return plan;
}

}  // namespace

SweepPlan plan_off_n(const ConfigTable& settings) { return plan_offline(settings, "lead"); }
SweepPlan plan_off_omega(const ConfigTable& settings) { return plan_offline(settings, "omega"); }
SweepPlan plan_off_coverage(const ConfigTable& settings) {
  return plan_offline(settings, "coverage");
}

SweepPlan plan_off_calibrate(const ConfigTable& table) {
  Settings settings(table);
  OfflineConfig c = read(table, settings);
  settings.read("constants", c.constants, {0, 1e6});
  if (c.constants.empty()) table.fail("constants", "the key is missing");
  SweepPlan plan;
  for (const std::string_view axis : {"lead", "omega", "coverage"}) put_cells(c, axis, plan.cells);
  plan.config = settings.text();
  plan.run = [c](const RunContext& context) { return calibrate(c, context); };
  return plan;
}

}  // namespace speder
