#include "speder/experiments/rates/needle_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "speder/core/check.hpp"
#include "speder/learning/needle_learner.hpp"
#include "speder/mdp/conditions/conditions.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/oracle/bounds/online_explicit.hpp"
#include "speder/oracle/needle_bound.hpp"

namespace speder {
namespace {

NeedleShape shape_of(const NeedlePoint& p) {
  NeedleShape shape{.doors = p.rank / 2 - 2,
                    .actions = p.actions,
                    .gamma = 1 - 1 / p.horizon,
                    .lead = p.lead,
                    .levels = p.levels,
                    .one_key = true};
  if (p.rank % 2 != 0) shape.doors = 1;  // refused
  require_valid(shape);
  return shape;
}

NeedlePoint point_of(const GridCell& cell) {
  const auto whole = [&](std::string_view name) { return static_cast<int>(cell.number(name)); };
  return {whole("rank"),       whole("actions"),     cell.number("horizon"),
          cell.number("lead"), whole("levels"),      cell.number("log_class"),
          cell.text("curve"),  cell.number("scale"), cell.number("budget")};
}

// α_n² / c_α²: it does not depend on n, because n ζ_n = log(|F|/δ).
double alpha_square(const NeedleStudy& study, const NeedlePoint& p) {
  const double root = p.rank * p.horizon;
  return root * root * p.actions * (p.log_class - std::log(study.delta));
}

bool bonus_free(const std::string& curve) { return curve == "none" || curve == "uniform"; }

NeedleOptions options_of(const NeedleStudy& study, const NeedlePoint& p,
                         const NeedlePoint& reference) {
  const double c = p.scale * study.c_alpha;
  // c_λ = c_α² keeps the printed bound on the bonus, α/√λ = √(d|A|)/(1−γ) [lem:norm_bonus].
  NeedleOptions o{.episodes = static_cast<Index>(p.budget),
                  .bonus = {.alpha = bonus_free(p.curve) ? 0 : c, .lambda = c * c},
                  .delta = study.delta,
                  .log_class = p.log_class};
  const bool flat = p.curve == "flat";
  if (flat) {
    const double held = reference.log_class - std::log(study.delta);
    o.bonus.alpha *= std::sqrt(held / (p.log_class - std::log(study.delta)));
    o.alpha_horizon = reference.horizon;
  }
  if (flat || p.curve == "alpha-without-d") o.alpha_rank = reference.rank;
  if (flat || p.curve == "alpha-without-A") o.alpha_actions = reference.actions;
  o.follow_plan = p.curve != "uniform";
  o.subtract = p.curve == "subtracted";
  o.sigma_of_both = p.curve == "sigma-of-both";
  o.drop_second = p.curve == "without-second";
  o.policy_actions = p.curve == "policy-actions";
  return o;
}

void add_premises(const TabularMdp& mdp, std::vector<Measure>& out) {
  bool all = true;
  for (const Condition& c : conditions(mdp)) {
    all = all && c.holds == Holds::kYes;
    out.push_back({"premise." + c.name, 0, c.value});
    out.push_back({"bound." + c.name, 0, c.bound});
  }
  out.push_back({"premises", 0, all ? 1.0 : 0.0});
}

}  // namespace

void read_study(Settings& settings, NeedleStudy& s) {
  settings.read("gamma", s.gamma, kDiscount).read("lead", s.lead, {1e-3, 0.499});
  settings.read("share", s.share, {1e-3, 1}).read("delta", s.delta, kFailure);
  settings.read("c_alpha", s.c_alpha, {1e-9, 1e3}).read("log_class", s.log_class, kLogClass);
  settings.read("levels", s.levels, {1, 256}).read("budget", s.budget);
}

GridCell needle_cell(const NeedlePoint& p) {
  return GridCell()
      .set("rank", p.rank)
      .set("actions", p.actions)
      .set("horizon", p.horizon)
      .set("lead", p.lead)
      .set("levels", p.levels)
      .set("log_class", p.log_class)
      .set("curve", p.curve)
      .set("scale", p.scale)
      .set("budget", p.budget);
}

NeedlePoint study_point(const NeedleStudy& study, int rank, int actions) {
  return {.rank = rank,
          .actions = actions,
          .horizon = 1 / (1 - study.gamma),
          .lead = study.lead,
          .levels = study.levels,
          .log_class = study.log_class};
}

GridCell curve_cell(const NeedleStudy& study, NeedlePoint p, const std::string& curve,
                    double scale) {
  const NeedleShape shape = shape_of(p);
  const double own = NeedleClass(shape, SeedTree(0)).log_size();
  if (p.log_class < own)
    throw InputError(
        fmt::format("log_class = {:g} is less than log|F| = {:.4g} at rank {}, actions "
                    "{}, levels {}; set it to {:.0f} or more",
                    p.log_class, own, p.rank, p.actions, p.levels, std::ceil(own)));
  const double g = shape.gamma;
  const double margin = needle_values(shape).margin;
  const double c_alpha = study.c_alpha * std::max(1.0, scale);
  const double time = c_alpha * c_alpha * alpha_square(study, p) / (margin * margin) *
                      static_cast<double>(shape.doors * shape.actions) * (1 - std::pow(g, 4)) /
                      (1 - g);
  p.curve = curve;
  p.scale = scale;
  p.budget = std::ceil(time * study.budget);
  constexpr double kLongest = 1e9;
  if (p.budget > kLongest)
    throw InputError(
        fmt::format("a run at rank {}, actions {} would take up to {:.1e} episodes; "
                    "make the sizes, the horizon or c_alpha smaller",
                    p.rank, p.actions, p.budget));
  return needle_cell(p);
}

double needle_epsilon(const NeedleStudy& study, const NeedlePoint& p) {
  const NeedleValues values = needle_values(shape_of(p));
  return study.share * (values.best - values.refusal);
}

double lead_for_epsilon(const NeedleStudy& study, NeedlePoint p, double epsilon) {
  double low = 1e-6, high = 0.499;
  p.lead = high;
  if (needle_epsilon(study, p) < epsilon)
    throw InputError(
        fmt::format("epsilon = {:.3g} at 1/(1-gamma) = {:g} needs a lead above {:g}; "
                    "make epsilon smaller or the horizon longer",
                    epsilon, p.horizon, high));
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    p.lead = (low + high) / 2;
    (needle_epsilon(study, p) < epsilon ? low : high) = p.lead;
  }
  return high;
}

const std::vector<std::string>& needle_curves() {
  static const std::vector<std::string> names = {
      "printed",       "flat",           "none",           "uniform",         "subtracted",
      "sigma-of-both", "without-second", "policy-actions", "alpha-without-d", "alpha-without-A"};
  return names;
}

void require_curves(const ConfigTable& table, std::string_view key,
                    const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::ranges::find(needle_curves(), name) == needle_curves().end())
      table.fail(
          key, fmt::format("no curve '{}'; there are: {}", name, fmt::join(needle_curves(), ", ")));
  }
}

std::vector<Measure> run_needle(const NeedleStudy& study, const RunContext& context,
                                const NeedlePoint& reference) {
  const NeedlePoint p = point_of(context.cell);
  const NeedleShape shape = shape_of(p);
  const NeedleValues values = needle_values(shape);
  const double epsilon = study.share * (values.best - values.refusal);
  // All curves of a setting meet the same instances.
  const SeedTree seeds = context.seeds.child(
      fmt::format("{} {} {} {} {}", p.rank, p.actions, p.horizon, p.lead, p.levels));
  InstanceSpec spec{.family = "needle",
                    .states = shape.states(),
                    .actions = shape.actions,
                    .rank = shape.rank(),
                    .gamma = shape.gamma,
                    .seed = seeds.seed("instance")};
  // Losses, bonuses, plans and every premise are the same for all rotations of the factors.
  spec.knobs = {{"overlap", shape.overlap},
                {"lead", shape.lead},
                {"copies", static_cast<double>(shape.copies)},
                {"one_key", 1},
                {"rotate", 0}};
  const auto mdp = std::make_shared<const TabularMdp>(generate(spec));
  const NeedleMember truth = draw_needles(shape, SeedTree(spec.seed));
  const NeedleClass F(shape, seeds.child("class"));
  const NeedleOptions options = options_of(study, p, reference);

  double total = 0, gap = 0;  // ∑ V* − V^{π_i}, and its last term
  Index end = 0, optimistic = 0, last = 0;
  needle_speder(Simulator(mdp), F, options, seeds, [&](const NeedleReport& r) {
    if (r.changed) gap = values.best - needle_value(shape, truth, r.policy);
    total += gap;
    last = r.n;
    if (r.value >= values.best) ++optimistic;
    if (total > epsilon * static_cast<double>(r.n)) {
      end = 0;
    } else if (end == 0) {
      end = r.n;
    }
    return end == 0 || static_cast<double>(r.n) < kHold * static_cast<double>(end);
  });

  const auto number = [](Index i) { return static_cast<double>(i); };
  std::vector<Measure> out = {{"epsilon", 0, epsilon},
                              {"episodes", 0, number(last)},
                              {"gap", 0, total / number(last)},
                              {"optimism", 0, number(optimistic) / number(last)},
                              {"optimistic", 0, optimistic == last ? 1.0 : 0.0}};
  if (end > 0) out.push_back({"end", 0, number(end)});
  if (p.curve != "printed" || p.scale != 1) return out;
  add_premises(*mdp, out);
  const double C = mdp->kernel().mu().to_dense().maxCoeff();  // rows of φ are in the simplex
  const double ratio = number(shape.actions) / number(shape.rank());
  out.push_back({"C", 0, C});
  out.push_back({"C.least", 0, ratio * ratio});
  out.push_back({"states", 0, number(shape.states())});
  out.push_back({"log_class", 0, F.log_size()});
  out.push_back({"certificate", 0, needle_lower_bound(shape, epsilon, study.delta).episodes});
  out.push_back({"theorem", 0,
                 bounds::online_episodes_explicit({number(shape.rank()), number(shape.actions),
                                                   shape.gamma, C, p.log_class, study.delta},
                                                  epsilon)});
  return out;
}

}  // namespace speder
