// Tables and findings of the (d, |A|) map.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "speder/experiments/rates/laws.hpp"
#include "speder/experiments/rates/map/figures.hpp"
#include "speder/io/toml_file.hpp"

namespace speder {
namespace {

const std::vector<NeedleAxis> kBoth = {rank_axis, actions_axis};

constexpr std::string_view kLowerBound = "lower bound";

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
    for (const double at : axis_values(printed, held)) {
      const ScalingFit fit = fit_scaling(scaling_points(cells_where(printed, held, at), {moves}));
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

// What no learner beats, what was measured and what the theorem allows, side by side.
ReportTable exponents_in_short(const std::vector<NamedFit>& fits) {
  ReportTable out{.id = "map-in-short",
                  .caption =
                      "Exponents of N: no learner needs less than the lower bound, and the "
                      "theorem promises no more than its own.",
                  .head = {"exponent of", "lower bound", "measured", "theorem"},
                  .rows = {{"d", "–", "–", "4"}, {"|A|", "–", "–", "2"}}};
  for (const NamedFit& f : fits) {
    const bool measured = &f == &fits.front();
    if (!f.fit.fitted || (!measured && f.name != kLowerBound)) continue;
    for (const Index k : {0, 1})
      out.rows[static_cast<std::size_t>(k)][measured ? 2 : 1] =
          shown(f.fit.exponent[k]) + " " + shown(f.fit.interval(k));
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

Finding last_cell_finding(const NeedleCells& cells, const HeldOutPoint& held_out) {
  if (cells.empty()) return held_out_finding(held_out, "", "");
  const NeedleCell& c = cells[held_out.index];
  return held_out_finding(held_out, fmt::format("d = {:g}, |A| = {:g}", c.rank, c.actions),
                          shown_n(c.N.n, c.budget));
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

// The bonus of a door falls to what the door decides after (α/margin)² recorded entries, which come to one of
// M = (d − 4)/2 doors with one of |A| actions: N ∝ α²M|A|, and the printed α² is ∝ d²|A|.
std::string mechanism_words(const NeedleCells& printed) {
  double low = INFINITY, high = 0, least = INFINITY, most = 0;
  for (const NeedleCell& c : printed) {
    if (!c.reached()) continue;
    const double ratio = c.N.n / (c.rank * c.rank * (c.rank - 4) * c.actions * c.actions);
    low = std::min(low, ratio);
    high = std::max(high, ratio);
    least = std::min(least, c.N.n);
    most = std::max(most, c.N.n);
  }
  if (high == 0) return "No cell was reached.";
  return fmt::format(
      "What the schedule and the number of doors ask for, d²(d − 4)|A|², explains the map: N "
      "divided by it lies in [{:.2f}, {:.2f}] over all cells, while N itself grows by a factor of "
      "{:.0f}. A fitted exponent of d above 3 is the −4.",
      low, high, most / least);
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
  const std::vector<ScalingPoint> points = scaling_points(printed, kBoth);
  const ScalingFit fit = fit_scaling(points);
  const HeldOutPoint held_out = hold_out_last(points);

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
      last_cell_finding(printed, held_out),
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
  fits.push_back(
      {std::string(kLowerBound), fit_scaling(stored_points(printed, "certificate", kBoth))});
  fits.push_back(
      {"theorem with its constants and C", fit_scaling(stored_points(printed, "theorem", kBoth))});

  out.caveats = {
      mechanism_words(printed), uniform_words(curves),
      "flat holds α at the reference cell's value: what is left is the instance's own part "
      "and the uniform actions'. The printed α² adds d²|A|.",
      "C can't be held: it is at least |A|²/d² under the premises (docs/theory.md). The "
      "theorem with its constants therefore has other exponents than (4, 2)."};
  out.lead = exponents_in_short(fits);
  out.tables = {exponent_table(fits, curves),
                laws_table("map-laws", "The printed learner.", fit, {"d", "|A|"}),
                needle_table(curves, "map-N"), premise_table(curves, "map-premises")};
  if (!best.empty()) out.tables.push_back(best_table(best, curves));
  out.figures = map_figures({curves, fits, held_out, reference_rank, reference_actions});
  return out;
}

}  // namespace speder
