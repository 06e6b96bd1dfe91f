#include "speder/experiments/rates/needle_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace speder {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

auto setting_of(const NeedleCell& c) {
  return std::tuple(c.rank, c.actions, c.horizon, -c.lead, c.log_class, c.levels);
}

std::string episodes(double n) { return std::isfinite(n) ? fmt::format("{:.0f}", n) : "–"; }

std::string beyond(const NeedleCell& c) {
  return c.reached() ? episodes(c.N.n) : fmt::format("> {:.0f}", c.budget);
}

double stored(const NeedleCell& c, const std::string& metric) {
  const auto it = c.mean.find(metric);
  return it == c.mean.end() ? std::nan("") : it->second;
}

// Runs of a curve that have reached ε by the time the printed learner has, N(ε, δ), in all cells.
struct Successes {
  std::int64_t runs = 0;
  std::int64_t reached = 0;
};
Successes successes(const NeedleCurves& curves, const std::string& curve) {
  Successes out;
  for (const NeedleCell& c : cells_of(curves, curve)) {
    const NeedleCell* printed = same_setting(curves, "printed", c);
    if (printed == nullptr || !printed->reached() || c.budget < printed->N.n) continue;
    out.runs += static_cast<std::int64_t>(c.ends.size());
    out.reached += std::ranges::count_if(c.ends, [&](double e) { return e <= printed->N.n; });
  }
  return out;
}

}  // namespace

bool NeedleCell::reached() const { return std::isfinite(N.n); }

NeedleCurves needle_curves_of(const ExperimentData& data, double delta) {
  std::map<std::string, NeedleCell> cells;
  std::map<std::string, std::map<std::string, RunningMean>> means;
  std::map<std::string, std::string> curve_of_cell;
  for (const Run& run : data.runs) {
    const GridCell key = GridCell::parse(run.key.cell);
    if (run.failed || !key.has("curve")) continue;
    NeedleCell& cell = cells[run.key.cell];
    cell.rank = key.number("rank");
    cell.actions = key.number("actions");
    cell.horizon = key.number("horizon");
    cell.lead = key.number("lead");
    cell.levels = key.number("levels");
    cell.log_class = key.number("log_class");
    cell.scale = key.number("scale");
    cell.budget = key.number("budget");
    curve_of_cell[run.key.cell] =
        key.text("curve") + (cell.scale == 1 ? "" : fmt::format("*{:g}", cell.scale));
    double end = kNever;
    for (const Measure& m : run.measures) {
      if (m.metric == "end") {
        end = m.value;
      } else {
        means[run.key.cell][m.metric].add(m.value);
      }
    }
    cell.ends.push_back(end);
    cell.repetition.push_back(run.key.repetition);
  }
  NeedleCurves out;
  for (auto& [key, cell] : cells) {
    cell.N = run_quantile(cell.ends, 1 - delta);
    for (const auto& [metric, mean] : means[key]) cell.mean[metric] = mean.mean();
    out[curve_of_cell[key]].push_back(cell);
  }
  for (auto& [curve, list] : out) {
    std::ranges::sort(list, [](const NeedleCell& a, const NeedleCell& b) {
      return setting_of(a) < setting_of(b);
    });
  }
  return out;
}

const NeedleCells& cells_of(const NeedleCurves& curves, const std::string& name) {
  static const NeedleCells none;
  const auto it = curves.find(name);
  return it == curves.end() ? none : it->second;
}

const NeedleCell* same_setting(const NeedleCurves& curves, const std::string& curve,
                               const NeedleCell& at) {
  const auto it = curves.find(curve);
  if (it == curves.end()) return nullptr;
  for (const NeedleCell& c : it->second) {
    if (setting_of(c) == setting_of(at)) return &c;
  }
  return nullptr;
}

ScalingGate needle_gate(const NeedleCurves& curves, double delta) {
  ScalingGate gate;
  const auto printed = curves.find("printed");
  if (printed == curves.end()) return gate;
  for (const NeedleCell& c : printed->second) {
    const std::string where =
        fmt::format("at d = {:g}, |A| = {:g}, 1/(1−γ) = {:.3g}", c.rank, c.actions, c.horizon);
    if (!(stored(c, "premises") == 1)) {
      gate.premises_hold = false;
      if (gate.reason.empty()) gate.reason = "a premise fails " + where;
    }
    const NeedleCell* none = same_setting(curves, "none", c);
    if (!c.reached()) continue;
    std::string why;
    if (none == nullptr) {
      why = "no run without bonus ";
    } else if (none->budget < c.N.n) {
      why = "the runs without bonus are too short to tell ";
    } else if (!surely_late(none->ends, c.N.n, delta)) {
      why = "without its bonus the learner gets there as soon ";
    } else {
      continue;
    }
    gate.control_fails = false;
    if (gate.reason.empty()) gate.reason = why + where;
  }
  return gate;
}

std::vector<ScalingPoint> scaling_points(const NeedleCells& cells,
                                         const std::vector<NeedleAxis>& axes) {
  std::vector<ScalingPoint> out;
  for (const NeedleCell& c : cells) {
    ScalingPoint p;
    p.x.resize(static_cast<Index>(axes.size()));
    for (std::size_t k = 0; k < axes.size(); ++k) p.x[static_cast<Index>(k)] = std::log(axes[k](c));
    p.censored = !c.reached();
    p.log_n = std::log(p.censored ? c.budget : c.N.n);
    p.variance = c.N.log_variance;
    out.push_back(std::move(p));
  }
  return out;
}

std::vector<ScalingPoint> stored_points(const NeedleCells& cells, const std::string& metric,
                                        const std::vector<NeedleAxis>& axes) {
  std::vector<ScalingPoint> out = scaling_points(cells, axes);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].log_n = std::log(stored(cells[i], metric));
    out[i].variance = 0;
    out[i].censored = !std::isfinite(out[i].log_n);
  }
  return out;
}

Finding scaling_finding(std::string claim, const ScalingFit& fit, Index k, double theory,
                        const ScalingGate& gate) {
  const ScalingJudgement judged = judge_scaling(fit, k, theory, gate);
  Finding out{.claim = std::move(claim)};
  out.measured = fit.fitted ? shown(fit.exponent[k]) : "–";
  out.interval = fit.fitted ? shown(fit.interval(k)) : "";
  out.theory = fmt::format("{:g}", theory);
  out.verdict = judged.verdict;
  out.reason = judged.reason;
  if (fit.fitted)
    out.reason +=
        fmt::format("; this design tells exponents apart that differ by {:.2f}", fit.detectable(k));
  return out;
}

Finding optimism_finding(const NeedleCells& printed, double delta) {
  std::int64_t runs = 0, held = 0;
  double worst = 1;
  for (const NeedleCell& c : printed) {
    const auto count = static_cast<double>(c.ends.size());
    runs += static_cast<std::int64_t>(c.ends.size());
    held += std::llround(count * stored(c, "optimistic"));
    worst = std::min(worst, stored(c, "optimistic"));
  }
  Finding out{.claim = "every plan is optimistic in a share 1 − δ of the runs",
              .theory = fmt::format("≥ {:g}", 1 - delta)};
  if (runs == 0) {
    out.reason = "no runs";
    return out;
  }
  const Interval share = clopper_pearson(runs, held, 0.95);
  out.measured = fmt::format("{}/{}", held, runs);
  out.interval = shown(share);
  out.verdict = share.high < 1 - delta   ? Verdict::kViolated
                : share.low >= 1 - delta ? Verdict::kConsistent
                                         : Verdict::kInconclusive;
  out.reason = fmt::format("exact binomial interval over all cells; {:.2f} in the worst", worst);
  return out;
}

Finding failing_mutation(const NeedleCurves& curves, const std::string& curve,
                         const std::string& words, double delta) {
  const Successes s = successes(curves, curve);
  Finding out{.claim = fmt::format("{}: ε-optimal in a share 1 − δ of the runs by the printed "
                                   "learner's N(ε, δ)",
                                   words),
              .theory = fmt::format("≥ {:g}", 1 - delta),
              .role = Role::kMutation};
  if (s.runs == 0) {
    out.reason = "no runs";
    return out;
  }
  const Interval share = clopper_pearson(s.runs, s.reached, 0.95);
  out.measured = fmt::format("{}/{}", s.reached, s.runs);
  out.interval = shown(share);
  out.verdict = share.high < 1 - delta   ? Verdict::kViolated
                : share.low >= 1 - delta ? Verdict::kConsistent
                                         : Verdict::kInconclusive;
  out.reason = "exact binomial interval over all cells";
  return out;
}

std::string theorem_ratio(const NeedleCells& cells) {
  double low = kNever, high = 0;
  for (const NeedleCell& c : cells) {
    if (!c.reached()) continue;
    const double ratio = c.N.n / stored(c, "theorem");
    low = std::min(low, ratio);
    high = std::max(high, ratio);
  }
  return high > 0 ? fmt::format("{:.1e} … {:.1e}", low, high) : "–";
}

ReportTable needle_table(const NeedleCurves& curves, const std::string& id) {
  ReportTable out{.id = id,
                  .caption =
                      "N(ε, δ) in episodes. Lower bound: no learner with Algorithm 1's data "
                      "needs fewer (oracle/needle_bound.hpp). Theorem: docs/theory.md, theorem "
                      "2, every constant, c₁ = c₂ = 1.",
                  .head = {"d", "|A|", "1/(1−γ)", "Δ", "log|F|", "ε", "lower bound", "printed"},
                  .rows = {}};
  const auto printed = curves.find("printed");
  if (printed == curves.end()) return out;
  std::vector<std::string> others;
  for (const char* curve : {"flat", "none", "uniform"}) {
    if (curves.contains(curve)) others.emplace_back(curve);
  }
  out.head.insert(out.head.end(), others.begin(), others.end());
  out.head.emplace_back("theorem");
  for (const NeedleCell& c : printed->second) {
    std::vector<std::string> row = {fmt::format("{:g}", c.rank),
                                    fmt::format("{:g}", c.actions),
                                    fmt::format("{:.3g}", c.horizon),
                                    fmt::format("{:.3g}", c.lead),
                                    fmt::format("{:g}", c.log_class),
                                    fmt::format("{:.3g}", stored(c, "epsilon")),
                                    episodes(std::floor(stored(c, "certificate"))),
                                    beyond(c)};
    for (const std::string& other : others) {
      const NeedleCell* o = same_setting(curves, other, c);
      row.push_back(o == nullptr ? "" : beyond(*o));
    }
    row.push_back(fmt::format("{:.1e}", stored(c, "theorem")));
    out.rows.push_back(std::move(row));
  }
  return out;
}

ReportTable premise_table(const NeedleCurves& curves, const std::string& id) {
  ReportTable out{.id = id,
                  .caption =
                      "Premises on the true instances (largest allowed value in brackets), C "
                      "with its forced minimum |A|²/d², and the share of runs in which every "
                      "plan was optimistic (of all plans in brackets).",
                  .head = {"d", "|A|", "1/(1−γ)", "Δ", "all premises", "∑(∫|φ|)²", "∑(∫r)²", "rank",
                           "C", "|A|²/d²", "|S|/d", "log|F| of the class", "optimistic"},
                  .rows = {}};
  const auto printed = curves.find("printed");
  if (printed == curves.end()) return out;
  for (const NeedleCell& c : printed->second) {
    const auto with_bound = [&](const std::string& name) {
      return fmt::format("{:.3g} ({:.3g})", stored(c, "premise." + name),
                         stored(c, "bound." + name));
    };
    out.rows.push_back(
        {fmt::format("{:g}", c.rank), fmt::format("{:g}", c.actions),
         fmt::format("{:.3g}", c.horizon), fmt::format("{:.3g}", c.lead),
         stored(c, "premises") == 1 ? "hold" : "fail", with_bound("representation_normalisation"),
         with_bound("reward_normalisation"), with_bound("rank"),
         fmt::format("{:.3g}", stored(c, "C")), fmt::format("{:.3g}", stored(c, "C.least")),
         fmt::format("{:.3g}", stored(c, "states") / c.rank),
         fmt::format("{:.3g}", stored(c, "log_class")),
         fmt::format("{:.2f} ({:.3f})", stored(c, "optimistic"), stored(c, "optimism"))});
  }
  return out;
}

std::vector<Series> needle_series(const std::string& label, const NeedleCells& cells,
                                  NeedleAxis axis, int colour) {
  Series inside{.label = label, .mark = Mark::kPoints, .colour = colour};
  Series bound{.label = label + ", beyond the budget",
               .mark = Mark::kPoints,
               .colour = colour,
               .censored = true};
  constexpr double kTwoSided = 1.96;
  for (const NeedleCell& c : cells) {
    Series& s = c.reached() ? inside : bound;
    const double n = c.reached() ? c.N.n : c.budget;
    const double factor = std::exp(c.reached() ? kTwoSided * std::sqrt(c.N.log_variance) : 0);
    s.x.push_back(axis(c));
    s.y.push_back(n);
    s.low.push_back(n / factor);
    s.high.push_back(n * factor);
  }
  std::vector<Series> out;
  if (!inside.x.empty()) out.push_back(std::move(inside));
  if (!bound.x.empty()) out.push_back(std::move(bound));
  return out;
}

}  // namespace speder
