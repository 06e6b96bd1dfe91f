// A study as findings, tables and figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "speder/experiments/rates/laws.hpp"
#include "speder/experiments/rates/learn/study.hpp"

namespace speder {
namespace {

constexpr double kNormal95 = 1.96;

std::string plain(double value) { return fmt::format("{:.4g}", value); }
std::string shown_range(Interval i) { return fmt::format("[{:.2f}, {:.2f}]", i.low, i.high); }

ReportTable numbers_table(const ScalingStudy& study, std::size_t number) {
  ReportTable table{.id = fmt::format("learn-n-{}", number),
                    .caption = fmt::format("{}: N(ε, δ), δ = {:g}.", study.name, study.delta),
                    .head = {},
                    .rows = {}};
  for (const StudyAxis& axis : study.axes) table.head.push_back(axis.symbol);
  for (const char* column : {"N", "error of log N", "runs that got there", "N without a bonus"})
    table.head.emplace_back(column);
  for (const StudyCell& cell : study.cells) {
    std::vector<std::string> row;
    for (const double x : cell.x) row.push_back(plain(x));
    row.push_back(shown_n(cell.n.n, cell.budget));
    row.push_back(std::isinf(cell.n.n) ? "–"
                                       : fmt::format("{:.2f}", std::sqrt(cell.n.log_variance)));
    row.push_back(fmt::format("{} of {}", cell.ended, cell.runs));
    row.push_back(cell.has_control ? shown_n(cell.control.n, cell.budget) : "–");
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string held_out_text(const ScalingStudy& study) {
  const HeldOutPoint& h = study.held_out;
  if (!h.predicted) return "";
  const StudyCell& cell = study.cells[h.index];
  std::string at;
  for (std::size_t k = 0; k < study.axes.size(); ++k)
    at += fmt::format("{}{} = {}", k == 0 ? "" : ", ", study.axes[k].symbol, plain(cell.x[k]));
  return study.name + ": " + held_out_words(h, at, shown_n(cell.n.n, cell.budget));
}

// Points with bars, those beyond the budget as bounds.
std::vector<Series> n_series(const ScalingStudy& study, std::size_t axis, const std::string& label,
                             int colour, const std::function<bool(const StudyCell&)>& keep) {
  Series known{.label = label, .mark = Mark::kPoints, .colour = colour};
  Series bound{.label = label + ", beyond the budget", .mark = Mark::kPoints, .colour = colour};
  bound.censored = true;
  for (const StudyCell& cell : study.cells) {
    if (!keep(cell)) continue;
    if (std::isinf(cell.n.n)) {
      bound.x.push_back(cell.x[axis]);
      bound.y.push_back(cell.budget);
      continue;
    }
    const double half = kNormal95 * std::sqrt(cell.n.log_variance);
    known.x.push_back(cell.x[axis]);
    known.y.push_back(cell.n.n);
    known.low.push_back(cell.n.n * std::exp(-half));
    known.high.push_back(cell.n.n * std::exp(half));
  }
  std::vector<Series> out;
  if (!known.x.empty()) out.push_back(std::move(known));
  if (!bound.x.empty()) out.push_back(std::move(bound));
  return out;
}

// Where the learner without its bonus gets there, if anywhere.
std::vector<Series> control_series(const ScalingStudy& study, std::size_t axis) {
  Series out{.label = "without its bonus", .mark = Mark::kPoints};
  out.faint = true;
  for (const StudyCell& cell : study.cells) {
    if (!cell.has_control || std::isinf(cell.control.n)) continue;
    out.x.push_back(cell.x[axis]);
    out.y.push_back(cell.control.n);
  }
  if (out.x.empty()) return {};
  return {std::move(out)};
}

std::string power_label(const ScalingStudy& study, Index k) {
  return fmt::format("{}^p, p = {:.2f} {}", study.axes[static_cast<std::size_t>(k)].symbol,
                     study.fit.exponent[k], shown_range(study.fit.interval(k)));
}

Interval x_range(const ScalingStudy& study, std::size_t axis) {
  const auto [low, high] =
      std::ranges::minmax(study.cells, {}, [axis](const StudyCell& cell) { return cell.x[axis]; });
  return {low.x[axis], high.x[axis]};
}

// The learner alone where all studies have the rest of the name in common.
std::string short_name(const ScalingStudy& study, const std::vector<ScalingStudy>& all) {
  const auto rest = [](const ScalingStudy& s) { return s.name.substr(s.name.find(" on ")); };
  const bool same = std::ranges::all_of(
      all, [&](const ScalingStudy& other) { return rest(other) == rest(study); });
  return same ? study.name.substr(0, study.name.find(" on ")) : study.name;
}

// One axis: all studies in one panel.
Figure line_figure(const std::vector<ScalingStudy>& studies) {
  Panel panel;
  panel.x = {.label = studies.front().axes[0].symbol, .scale = Scale::kLog};
  panel.y = {.label = "N(ε, δ) (samples)", .scale = Scale::kLog};
  const auto all = [](const StudyCell&) { return true; };
  for (std::size_t i = 0; i < studies.size(); ++i) {
    const ScalingStudy& study = studies[i];
    const int colour = static_cast<int>(i);
    const std::string name = short_name(study, studies);
    for (Series& s : n_series(study, 0, name, colour, all)) panel.series.push_back(std::move(s));
    if (study.fit.fitted) {
      const Interval x = x_range(study, 0);
      panel.fits.push_back(with_band({.label = name + ": " + power_label(study, 0),
                                      .slope = study.fit.exponent[0],
                                      .intercept = study.fit.intercept,
                                      .from = x.low,
                                      .to = x.high,
                                      .colour = colour},
                                     study.fit, 0, Vector::Zero(study.fit.exponent.size())));
    }
    if (i > 0) continue;  // one of each is enough
    const Interval ends = x_range(study, 0);
    if (study.controlled) {
      std::vector<Series> control = control_series(study, 0);
      panel.references.push_back(
          {.label = control.empty() ? "budget; without its bonus: always beyond" : "budget",
           .x = {ends.low, ends.high},
           .y = {study.cells.front().budget, study.cells.back().budget}});
      for (Series& c : control) panel.series.push_back(std::move(c));
    }
    if (study.held_out.predicted) {
      constexpr double kBeside = 1.03;  // of the measured point
      panel.series.push_back(
          held_out_series(study.held_out, kBeside * study.cells[study.held_out.index].x[0]));
    }
    if (!study.theory.empty() && study.fit.fitted) {
      const Interval x = x_range(study, 0);
      const double at = std::exp(study.fit.value(Vector::Constant(1, std::log(x.low))));
      panel.references.push_back(
          {.label = fmt::format("theory: {}^{:g}", study.axes[0].symbol, study.theory[0]),
           .x = {x.low, x.high},
           .y = {at, at * std::pow(x.high / x.low, study.theory[0])}});
    }
  }
  return {.id = "learn-scaling",
          .caption = fmt::format("N(ε, δ) of {:g}% of the runs; bars: 95%, from the runs.",
                                 100 * (1 - studies.front().delta)),
          .panels = {std::move(panel)},
          .columns = 1};
}

std::vector<double> levels_of(const ScalingStudy& study, std::size_t axis) {
  std::vector<double> out;
  for (const StudyCell& cell : study.cells) out.push_back(cell.x[axis]);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Panel heat_panel(const ScalingStudy& study) {
  Panel panel{.title = "log_{10} N(ε, δ); blank: beyond the budget"};
  panel.x.label = study.axes[0].symbol;
  panel.y.label = study.axes[1].symbol;
  const std::vector<double> columns = levels_of(study, 0), rows = levels_of(study, 1);
  HeatMap heat{.label = "log_{10} N(ε, δ)"};
  for (const double x : columns) heat.columns.push_back(plain(x));
  for (const double y : rows) heat.rows.push_back(plain(y));
  heat.values = Matrix::Constant(static_cast<Index>(rows.size()),
                                 static_cast<Index>(columns.size()), std::nan(""));
  for (const StudyCell& cell : study.cells) {
    if (std::isinf(cell.n.n)) continue;
    const auto j = std::ranges::lower_bound(columns, cell.x[0]) - columns.begin();
    const auto i = std::ranges::lower_bound(rows, cell.x[1]) - rows.begin();
    heat.values(i, j) = std::log10(cell.n.n);
  }
  panel.heat = std::move(heat);
  return panel;
}

Panel slices_panel(const ScalingStudy& study) {
  Panel panel{.title = fmt::format("along {}", study.axes[0].symbol)};
  panel.x = {.label = study.axes[0].symbol, .scale = Scale::kLog};
  panel.y = {.label = "N(ε, δ) (samples)", .scale = Scale::kLog};
  const Interval x = x_range(study, 0);
  int colour = 0;
  for (const double level : levels_of(study, 1)) {
    const std::string label = fmt::format("{} = {}", study.axes[1].symbol, plain(level));
    for (Series& s : n_series(study, 0, label, colour,
                              [&](const StudyCell& cell) { return cell.x[1] == level; })) {
      if (!s.censored) panel.series.push_back(std::move(s));
    }
    if (study.fit.fitted)
      panel.fits.push_back(
          with_band({.label = "",
                     .slope = study.fit.exponent[0],
                     .intercept = study.fit.intercept + study.fit.exponent[1] * std::log(level),
                     .from = x.low,
                     .to = x.high,
                     .colour = colour},
                    study.fit, 0, Vector::Constant(2, std::log(level))));
    ++colour;
  }
  if (study.fit.censored > 0)
    panel.references.push_back({.label = fmt::format("budget; {} cells beyond", study.fit.censored),
                                .x = {x.low, x.high},
                                .y = {study.cells.front().budget, study.cells.front().budget}});
  return panel;
}

// Room around all points of a panel.
void leave_room(Panel& panel) {
  const auto around = [](const std::vector<double>& values, Axis& axis) {
    const auto [low, high] = std::ranges::minmax(values);
    const double room = 0.08 * (high - low);
    axis.low = low - room;
    axis.high = high + room;
  };
  around(drawn_x(panel), panel.x);
  around(drawn_y(panel), panel.y);
}

Panel ellipse_panel(const ScalingStudy& study) {
  Panel panel{.title = "joint 95% ellipse of the exponents"};
  panel.x.label = "p of " + study.axes[0].symbol;
  panel.y.label = "q of " + study.axes[1].symbol;
  Series edge{.label = "95% ellipse", .mark = Mark::kLine, .colour = 0};
  for (const auto& [p, q] : study.fit.ellipse()) {
    edge.x.push_back(p);
    edge.y.push_back(q);
  }
  panel.series.push_back(std::move(edge));
  panel.series.push_back({.label = fmt::format("measured ({:.2f}, {:.2f})", study.fit.exponent[0],
                                               study.fit.exponent[1]),
                          .x = {study.fit.exponent[0]},
                          .y = {study.fit.exponent[1]},
                          .mark = Mark::kPoints,
                          .colour = 0});
  if (study.theory.size() == 2)
    panel.series.push_back(
        {.label = fmt::format("theory ({:g}, {:g})", study.theory[0], study.theory[1]),
         .x = {study.theory[0]},
         .y = {study.theory[1]},
         .mark = Mark::kPoints,
         .colour = 1});
  leave_room(panel);
  return panel;
}

Panel collapse_panel(const ScalingStudy& study) {
  const std::string law =
      fmt::format("{}^{:.2f} · {}^{:.2f}", study.axes[0].symbol, study.fit.exponent[0],
                  study.axes[1].symbol, study.fit.exponent[1]);
  Panel panel{.title = "collapse"};
  panel.x = {.label = law, .scale = Scale::kLog};
  panel.y = {.label = "N(ε, δ) (samples)", .scale = Scale::kLog};
  std::map<double, Series> by_level;
  Interval range{INFINITY, 0};
  for (const StudyCell& cell : study.cells) {
    const double x = std::exp(study.fit.exponent[0] * std::log(cell.x[0]) +
                              study.fit.exponent[1] * std::log(cell.x[1]));
    range = {std::min(range.low, x), std::max(range.high, x)};
    if (std::isinf(cell.n.n)) continue;
    Series& s = by_level[cell.x[1]];
    const double half = kNormal95 * std::sqrt(cell.n.log_variance);
    s.x.push_back(x);
    s.y.push_back(cell.n.n);
    s.low.push_back(cell.n.n * std::exp(-half));
    s.high.push_back(cell.n.n * std::exp(half));
  }
  int colour = 0;
  for (auto& [level, s] : by_level) {
    s.label = fmt::format("{} = {}", study.axes[1].symbol, plain(level));
    s.mark = Mark::kPoints;
    s.colour = colour++;
    panel.series.push_back(std::move(s));
  }
  const double scale = std::exp(study.fit.intercept);
  panel.references.push_back({.label = "the fit",
                              .x = {range.low, range.high},
                              .y = {scale * range.low, scale * range.high}});
  return panel;
}

}  // namespace

std::vector<Figure> study_figures(const std::vector<ScalingStudy>& studies) {
  if (studies.empty() || studies.front().cells.empty()) return {};
  if (studies.front().axes.size() == 1) return {line_figure(studies)};
  std::vector<Figure> out;
  for (std::size_t i = 0; i < studies.size(); ++i) {
    const ScalingStudy& study = studies[i];
    Figure figure{.id = fmt::format("learn-map-{}", i + 1),
                  .caption = fmt::format("{}: N(ε, δ) over {} and {}.", study.name,
                                         study.axes[0].symbol, study.axes[1].symbol),
                  .panels = {heat_panel(study), slices_panel(study)},
                  .columns = 2};
    if (study.fit.fitted) {
      figure.panels.push_back(ellipse_panel(study));
      figure.panels.push_back(collapse_panel(study));
    }
    out.push_back(std::move(figure));
  }
  return out;
}

void add_study(const ScalingStudy& study, std::size_t number, ExperimentReport& out) {
  for (std::size_t k = 0; k < study.verdicts.size(); ++k) {
    const auto axis = static_cast<Index>(k);
    out.findings.push_back(
        {.claim = fmt::format("{}: N(ε, δ) grows like {}^{:g}", study.name, study.axes[k].symbol,
                              study.theory[k]),
         .measured = study.fit.fitted ? fmt::format("{:.2f}", study.fit.exponent[axis]) : "–",
         .interval = study.fit.fitted ? shown_range(study.fit.interval(axis)) : "",
         .theory = plain(study.theory[k]),
         .ratio = "",
         .verdict = study.verdicts[k].verdict,
         .reason = study.verdicts[k].reason});
  }
  if (study.fit.fitted) {
    std::string power;
    for (std::size_t k = 0; k < study.axes.size(); ++k)
      power += fmt::format("{}{:.2f} in {}", k == 0 ? "" : ", ",
                           study.fit.detectable(static_cast<Index>(k)), study.axes[k].symbol);
    out.caveats.push_back(fmt::format(
        "{}: a wrong exponent is rejected with probability 0.9 from a distance of {} on.",
        study.name, power));
  }
  if (const std::string text = held_out_text(study); !text.empty()) out.caveats.push_back(text);
  if (!study.gate.reason.empty())
    out.caveats.push_back(
        fmt::format("{}: no test of the theorem: {}.", study.name, study.gate.reason));
  if (!study.controlled)
    out.caveats.push_back(fmt::format(
        "{}: no control was run; whether exploration matters is not known.", study.name));
  out.tables.push_back(numbers_table(study, number));
  if (!study.fit.fitted) return;
  std::vector<std::string> symbols;
  for (const StudyAxis& axis : study.axes) symbols.push_back(axis.symbol);
  out.tables.push_back(
      laws_table(fmt::format("learn-fit-{}", number), study.name + ".", study.fit, symbols));
}

}  // namespace speder
