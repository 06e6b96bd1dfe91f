#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "speder/experiments/rates/needle_report.hpp"
#include "speder/io/toml_file.hpp"

namespace speder {
namespace {

constexpr double kTheoryRank = 4, kTheoryActions = 2;  // [thm:pac_online]

double rank_axis(const NeedleCell& c) { return c.rank; }
double actions_axis(const NeedleCell& c) { return c.actions; }
const std::vector<NeedleAxis> kBoth = {rank_axis, actions_axis};

std::vector<double> values_of(const NeedleCells& cells, NeedleAxis axis) {
  std::set<double> out;
  for (const NeedleCell& c : cells) out.insert(axis(c));
  return {out.begin(), out.end()};
}

NeedleCells where(const NeedleCells& cells, NeedleAxis axis, double value) {
  NeedleCells out;
  for (const NeedleCell& c : cells) {
    if (axis(c) == value) out.push_back(c);
  }
  return out;
}

// Pictures.

Panel map_heat_panel(const NeedleCells& cells) {
  const std::vector<double> d = values_of(cells, rank_axis), A = values_of(cells, actions_axis);
  HeatMap heat{.label = "log₁₀ N(ε, δ)"};
  for (const double x : d) heat.columns.push_back(fmt::format("{:g}", x));
  for (const double y : A) heat.rows.push_back(fmt::format("{:g}", y));
  heat.values = Matrix::Constant(static_cast<Index>(A.size()), static_cast<Index>(d.size()),
                                 std::numeric_limits<double>::quiet_NaN());
  for (const NeedleCell& c : cells) {
    const auto row = std::ranges::find(A, c.actions) - A.begin();
    const auto column = std::ranges::find(d, c.rank) - d.begin();
    if (c.reached()) heat.values(row, column) = std::log10(c.N.n);
  }
  Panel panel{.title = "measured", .x = {.label = "d (features)"}, .y = {.label = "|A| (actions)"}};
  panel.heat = std::move(heat);
  return panel;
}

// Where the measured N crosses a level, by interpolation in log d at each |A|, and the fit's line.
Panel contour_panel(const NeedleCells& cells, const ScalingFit& fit) {
  Panel panel{.title = "equal N",
              .x = {.label = "d (features)", .scale = Scale::kLog},
              .y = {.label = "|A| (actions)", .scale = Scale::kLog}};
  double low = INFINITY, high = 0;
  for (const NeedleCell& c : cells) {
    if (!c.reached()) continue;
    low = std::min(low, c.N.n);
    high = std::max(high, c.N.n);
  }
  constexpr int kLevels = 4;
  for (int k = 1; k <= kLevels && high > low; ++k) {
    const double level = low * std::pow(high / low, k / (kLevels + 1.0));
    Series s{.label = fmt::format("N = {:.1e}", level), .mark = Mark::kLinePoints, .colour = k - 1};
    ReferenceLine line{.label = k == 1 ? "joint fit" : ""};
    for (const double A : values_of(cells, actions_axis)) {
      const NeedleCells row = where(cells, actions_axis, A);
      for (std::size_t i = 1; i < row.size(); ++i) {
        const double a = row[i - 1].N.n, b = row[i].N.n;
        if (!std::isfinite(b) || !(a <= level && level < b)) continue;
        const double t = std::log(level / a) / std::log(b / a);
        s.x.push_back(row[i - 1].rank * std::pow(row[i].rank / row[i - 1].rank, t));
        s.y.push_back(A);
        if (!fit.fitted) continue;
        line.x.push_back(std::exp(
            (std::log(level) - fit.intercept - fit.exponent[1] * std::log(A)) / fit.exponent[0]));
        line.y.push_back(A);
      }
    }
    if (s.x.size() < 2) continue;
    panel.series.push_back(std::move(s));
    if (line.x.size() >= 2) panel.references.push_back(std::move(line));
  }
  return panel;
}

// One arm of the cross through the reference.
Panel cross_panel(const NeedleCurves& curves, const ScalingFit& fit, bool along_rank, double at) {
  const NeedleAxis moves = along_rank ? rank_axis : actions_axis;
  const NeedleAxis held = along_rank ? actions_axis : rank_axis;
  Panel panel{.x = {.label = along_rank ? "d (features)" : "|A| (actions)", .scale = Scale::kLog},
              .y = {.label = "N(ε, δ) (episodes)", .scale = Scale::kLog}};
  const NeedleCells& printed = cells_of(curves, "printed");
  const NeedleCells line = where(printed, held, at);
  if (line.empty()) return panel;
  panel.title = fmt::format("{} = {:g}", along_rank ? "|A|" : "d", at);
  int colour = 0;
  for (const char* curve : {"printed", "flat", "uniform", "none"}) {
    for (Series& s : needle_series(curve, where(cells_of(curves, curve), held, at), moves, colour))
      panel.series.push_back(std::move(s));
    ++colour;
  }
  if (fit.fitted) {
    const Index k = along_rank ? 0 : 1;
    panel.fits.push_back({.label = fmt::format("joint fit, slope {}", shown(fit.exponent[k])),
                          .slope = fit.exponent[k],
                          .intercept = fit.intercept + fit.exponent[1 - k] * std::log(at),
                          .from = moves(line.front()),
                          .to = moves(line.back()),
                          .colour = 0});
  }
  ReferenceLine bound{.label = "lower bound"};
  for (const NeedleCell& c : line) {
    if (!c.mean.contains("certificate")) continue;
    bound.x.push_back(moves(c));
    bound.y.push_back(c.mean.at("certificate"));
  }
  if (bound.x.size() >= 2) panel.references.push_back(std::move(bound));
  return panel;
}

struct NamedFit {
  std::string name;
  ScalingFit fit;
};

Panel map_ellipse_panel(const std::vector<NamedFit>& fits) {
  Panel panel{.title = "joint exponents, 95% ellipses",
              .x = {.label = "exponent of d"},
              .y = {.label = "exponent of |A|"}};
  const auto mark = [&](std::string name, double p, double q, int colour) {
    panel.series.push_back(
        {.label = std::move(name), .x = {p}, .y = {q}, .mark = Mark::kPoints, .colour = colour});
  };
  int colour = 0;
  for (const NamedFit& f : fits) {
    if (!f.fit.fitted) continue;
    mark(f.name, f.fit.exponent[0], f.fit.exponent[1], colour);
    Series rim{.mark = Mark::kLine, .colour = colour};
    for (const auto& [p, q] : f.fit.ellipse()) {
      rim.x.push_back(p);
      rim.y.push_back(q);
    }
    panel.series.push_back(std::move(rim));
    ++colour;
  }
  mark("theorem, as printed (4, 2)", kTheoryRank, kTheoryActions, colour);
  return panel;
}

Panel map_collapse_panel(const NeedleCells& cells, const ScalingFit& fit) {
  Panel panel{
      .title = "collapse",
      .x = {.label = fmt::format("d^{:.2f} |A|^{:.2f} (no unit)", fit.exponent[0], fit.exponent[1]),
            .scale = Scale::kLog},
      .y = {.label = "N(ε, δ) (episodes)", .scale = Scale::kLog}};
  double low = INFINITY, high = 0;
  const auto x_of = [&](const NeedleCell& c) {
    return std::pow(c.rank, fit.exponent[0]) * std::pow(c.actions, fit.exponent[1]);
  };
  int colour = 0;
  for (const double A : values_of(cells, actions_axis)) {
    Series s{.label = fmt::format("|A| = {:g}", A), .mark = Mark::kPoints, .colour = colour++};
    for (const NeedleCell& c : where(cells, actions_axis, A)) {
      if (!c.reached()) continue;
      s.x.push_back(x_of(c));
      s.y.push_back(c.N.n);
      low = std::min(low, s.x.back());
      high = std::max(high, s.x.back());
    }
    if (!s.x.empty()) panel.series.push_back(std::move(s));
  }
  if (high > low)
    panel.fits.push_back({.label = "fit, slope 1",
                          .slope = 1,
                          .intercept = fit.intercept,
                          .from = low,
                          .to = high,
                          .colour = 0});
  return panel;
}

// Tables and findings.

ReportTable exponent_table(const std::vector<NamedFit>& fits, const NeedleCurves& curves) {
  ReportTable out{
      .id = "map-exponents",
      .caption =
          "log N = a + p log d + q log|A| with 95% intervals: jointly for each "
          "curve, and along each line of the printed map.",
      .head = {"what", "p (d)", "interval", "q (|A|)", "interval", "points", "scatter τ"},
      .rows = {{"theorem, as printed", "4", "", "2", "", "", ""}}};
  for (const NamedFit& f : fits) {
    if (!f.fit.fitted) {
      out.rows.push_back({f.name, "–", "", "–", "", fmt::format("{}", f.fit.points), ""});
      continue;
    }
    out.rows.push_back({f.name, shown(f.fit.exponent[0]), shown(f.fit.interval(0)),
                        shown(f.fit.exponent[1]), shown(f.fit.interval(1)),
                        fmt::format("{}", f.fit.points), fmt::format("{:.3f}", f.fit.tau)});
  }
  const NeedleCells& printed = cells_of(curves, "printed");
  for (const bool along_rank : {true, false}) {
    const NeedleAxis moves = along_rank ? rank_axis : actions_axis;
    const NeedleAxis held = along_rank ? actions_axis : rank_axis;
    for (const double at : values_of(printed, held)) {
      const ScalingFit fit = fit_scaling(scaling_points(where(printed, held, at), {moves}));
      if (!fit.fitted) continue;
      std::vector<std::string> row = {
          fmt::format("printed at {} = {:g}", along_rank ? "|A|" : "d", at)};
      if (!along_rank) row.insert(row.end(), {"", ""});
      row.insert(row.end(), {shown(fit.exponent[0]), shown(fit.interval(0))});
      if (along_rank) row.insert(row.end(), {"", ""});
      row.insert(row.end(), {fmt::format("{}", fit.points), fmt::format("{:.3f}", fit.tau)});
      out.rows.push_back(std::move(row));
    }
  }
  return out;
}

// log(N of the printed learner / N of the other) along an axis.
std::vector<ScalingPoint> ratio_points(const NeedleCurves& curves, const std::string& curve,
                                       NeedleAxis axis) {
  std::vector<ScalingPoint> out;
  for (const NeedleCell& c : cells_of(curves, curve)) {
    const NeedleCell* printed = same_setting(curves, "printed", c);
    if (printed == nullptr) continue;
    ScalingPoint p;
    p.x = Vector::Constant(1, std::log(axis(c)));
    p.censored = !c.reached() || !printed->reached();
    p.log_n = p.censored ? 0 : std::log(printed->N.n / c.N.n);
    p.variance = printed->N.log_variance + c.N.log_variance;
    out.push_back(std::move(p));
  }
  return out;
}

Finding wrong_schedule(const NeedleCurves& curves, const std::string& curve, NeedleAxis axis,
                       const std::string& symbol) {
  const ScalingFit fit = fit_scaling(ratio_points(curves, curve, axis));
  Finding out{.claim = fmt::format("α without {}: N grows with {} as it does with the printed α",
                                   symbol, symbol),
              .theory = "0",
              .role = Role::kMutation};
  if (!fit.fitted) {
    out.reason = "too few points";
    return out;
  }
  const Interval i = fit.interval(0);
  out.measured = shown(fit.exponent[0]);
  out.interval = shown(i);
  out.verdict = i.low > 0 || i.high < 0 ? Verdict::kViolated : Verdict::kInconclusive;
  out.reason = fmt::format("slope of log(N printed / N mutated) in log {}", symbol);
  return out;
}

Finding harmless_mutation(const NeedleCurves& curves, const std::string& curve,
                          const std::string& words) {
  constexpr double kFactor = 2;
  constexpr double kTwoSided = 1.96;
  Finding out{
      .claim = fmt::format("harmless: {} changes N by less than a factor {:g} in every cell", words,
                           kFactor),
      .theory = fmt::format("{:g} … {:g}", 1 / kFactor, kFactor)};
  double low = INFINITY, high = 0;
  bool sure = true, refuted = false;
  for (const NeedleCell& c : cells_of(curves, curve)) {
    const NeedleCell* printed = same_setting(curves, "printed", c);
    if (printed == nullptr || !printed->reached()) continue;
    const double ratio = c.N.n / printed->N.n;  // +∞ beyond the budget
    const double error =
        std::exp(kTwoSided * std::sqrt(printed->N.log_variance + c.N.log_variance));
    low = std::min(low, ratio);
    high = std::max(high, ratio);
    sure = sure && ratio * error < kFactor && ratio / error > 1 / kFactor;
    refuted = refuted || ratio / error > kFactor || ratio * error < 1 / kFactor;
  }
  if (high == 0) {
    out.reason = "no runs";
    return out;
  }
  out.measured = fmt::format("{:.2f} … {:.2f}", low, high);
  out.verdict = refuted ? Verdict::kViolated : sure ? Verdict::kConsistent : Verdict::kInconclusive;
  out.reason =
      "N of the mutated learner / N of the printed one, smallest and largest cell, each "
      "with its 95% interval";
  return out;
}

// In each cell the constant with the least N on the even repetitions, N on the odd ones.
NeedleCells best_cells(const NeedleCurves& curves, double delta) {
  NeedleCells out;
  for (const NeedleCell& at : cells_of(curves, "printed")) {
    const auto half = [&](const NeedleCell& c, bool odd) {
      std::vector<double> ends;
      for (std::size_t i = 0; i < c.ends.size(); ++i) {
        if ((c.repetition[i] % 2 == 1) == odd) ends.push_back(c.ends[i]);
      }
      return ends.empty() ? QuantilePoint{INFINITY, 0} : run_quantile(ends, 1 - delta);
    };
    const NeedleCell* best = nullptr;
    double least = INFINITY;
    int tried = 0;
    for (const auto& [name, cells] : curves) {
      if (!name.starts_with("printed")) continue;
      const NeedleCell* c = same_setting(curves, name, at);
      if (c == nullptr) continue;
      ++tried;
      if (const double n = half(*c, false).n; n < least) {
        least = n;
        best = c;
      }
    }
    if (tried < 2 || best == nullptr) continue;
    NeedleCell chosen = *best;
    chosen.N = half(*best, true);
    out.push_back(std::move(chosen));
  }
  return out;
}

ReportTable best_table(const NeedleCells& best, const NeedleCurves& curves) {
  ReportTable out{
      .id = "map-best",
      .caption = "The best constant: chosen on the even repetitions, N on the odd ones.",
      .head = {"d", "|A|", "best c_α / the study's", "N", "N printed"},
      .rows = {}};
  for (const NeedleCell& c : best) {
    const NeedleCell* printed = same_setting(curves, "printed", c);
    out.rows.push_back(
        {fmt::format("{:g}", c.rank), fmt::format("{:g}", c.actions), fmt::format("{:g}", c.scale),
         c.reached() ? fmt::format("{:.0f}", c.N.n) : "–",
         printed != nullptr && printed->reached() ? fmt::format("{:.0f}", printed->N.n) : "–"});
  }
  return out;
}

std::string uniform_words(const NeedleCurves& curves) {
  int sooner = 0, all = 0;
  for (const NeedleCell& c : cells_of(curves, "uniform")) {
    const NeedleCell* printed = same_setting(curves, "printed", c);
    if (printed == nullptr || !printed->reached()) continue;
    ++all;
    if (c.reached() && c.N.n <= printed->N.n) ++sooner;
  }
  return fmt::format(
      "Uniform data without a bonus gets there sooner than the printed learner in {} "
      "of {} cells.",
      sooner, all);
}

}  // namespace

ExperimentReport judge_map(const ExperimentData& data) {
  double delta = 0.1, c_alpha = 0, gamma = 0, lead = 0, share = 0, log_class = 0;
  const ConfigTable config = ConfigTable::parse(data.record.config, data.record.id);
  config.read("delta", delta);
  config.read("c_alpha", c_alpha);
  config.read("gamma", gamma);
  config.read("lead", lead);
  config.read("share", share);
  config.read("log_class", log_class);
  double reference_rank = 0, reference_actions = 0;
  config.read("reference_rank", reference_rank);
  config.read("reference_actions", reference_actions);
  const NeedleCurves curves = needle_curves_of(data, delta);
  const NeedleCells& printed = cells_of(curves, "printed");
  const ScalingGate gate = needle_gate(curves, delta);
  const ScalingFit fit = fit_scaling(scaling_points(printed, kBoth));

  ExperimentReport out;
  out.design = fmt::format(
      "Needle MDPs: d = 2M + 4 and |A| move. Held: γ = {:g}, Δ = {:g}, V* and all gaps, ε = {:g} "
      "of "
      "what refusing every door loses, δ = {:g}, the walk to a context (two steps), the log|F| = "
      "{:g} that the schedules are told. One c_α = {:g} with c_λ = c_α² for all cells, from "
      "`speder sweep calibrate`. A plan in every episode. N(ε, δ): the n from which on the mixture "
      "of π₁ … π_n is ε-optimal in a share 1 − δ of the runs; every run has an instance of its "
      "own.",
      gamma, lead, share, delta, log_class, c_alpha);
  out.findings = {
      scaling_finding("N(ε, δ) grows at most like d⁴, |A| and all else held", fit, 0, kTheoryRank,
                      gate),
      scaling_finding("N(ε, δ) grows at most like |A|², d and all else held", fit, 1,
                      kTheoryActions, gate),
      optimism_finding(printed, delta),
      failing_mutation(curves, "none", "no bonus", delta),
      failing_mutation(curves, "subtracted", "bonus subtracted", delta),
      failing_mutation(curves, "policy-actions", "actions of π in place of U(A)", delta),
      wrong_schedule(curves, "alpha-without-d", rank_axis, "d"),
      wrong_schedule(curves, "alpha-without-A", actions_axis, "|A|"),
      harmless_mutation(curves, "sigma-of-both", "Σ̂ over D and D'"),
      harmless_mutation(curves, "without-second", "leaving out D'")};
  for (Finding* f : {&out.findings[0], &out.findings[1]}) f->ratio = theorem_ratio(printed);

  const NeedleCells best = best_cells(curves, delta);
  std::vector<NamedFit> fits = {{"printed α", fit}};
  for (const char* curve : {"flat", "uniform"})
    fits.push_back({curve, fit_scaling(scaling_points(cells_of(curves, curve), kBoth))});
  if (!best.empty())
    fits.push_back({"best c_α, on the cross", fit_scaling(scaling_points(best, kBoth))});
  fits.push_back({"lower bound", fit_scaling(stored_points(printed, "certificate", kBoth))});
  fits.push_back(
      {"theorem with its constants and C", fit_scaling(stored_points(printed, "theorem", kBoth))});

  out.caveats = {
      uniform_words(curves),
      "flat holds α at the smallest cell's value: what is left is the instance's own part "
      "and the uniform actions'. The printed α² adds d²|A|.",
      "C can't be held: it is at least |A|²/d² under the premises (docs/theory.md). The "
      "theorem with its constants therefore has other exponents than (4, 2)."};
  out.tables = {exponent_table(fits, curves), needle_table(curves, "map-N"),
                premise_table(curves, "map-premises")};
  if (!best.empty()) out.tables.push_back(best_table(best, curves));
  const std::size_t runs = printed.empty() ? 0 : printed.front().ends.size();
  out.figures = {
      {.id = "map",
       .caption = fmt::format("N(ε, δ) of Algorithm 1 over d and |A|, {} runs a cell.", runs),
       .panels = {map_heat_panel(printed), contour_panel(printed, fit)},
       .columns = 2},
      {.id = "map-cross",
       .caption = "A cross through the map with the controls and the lower bound.",
       .panels = {cross_panel(curves, fit, true, reference_actions),
                  cross_panel(curves, fit, false, reference_rank)},
       .columns = 2}};
  if (fit.fitted)
    out.figures.push_back({.id = "map-fit",
                           .caption =
                               "Joint exponents with 95% ellipses, and all cells against the "
                               "fitted product of powers.",
                           .panels = {map_ellipse_panel(fits), map_collapse_panel(printed, fit)},
                           .columns = 2});
  return out;
}

}  // namespace speder
