#include "speder/experiments/cli/scale_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "speder/experiments/rates/laws.hpp"

namespace speder::cli {
namespace {

std::size_t shown_width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Columns as wide as their widest entry, right-aligned.
std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], shown_width(row[k]));
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k)
      out += std::string(2 + width[k] - shown_width(row[k]), ' ') + row[k];
    out += '\n';
  }
  return out;
}

std::vector<std::vector<std::string>> line_rows(const ScalingStudy& study) {
  std::vector<std::vector<std::string>> rows = {
      {study.axes[0].symbol, "N", "got there", "N without a bonus"}};
  for (const StudyCell& cell : study.cells) {
    rows.push_back({fmt::format("{:.4g}", cell.x[0]), shown_n(cell.n.n, cell.budget),
                    fmt::format("{}/{}", cell.ended, cell.runs),
                    cell.has_control ? shown_n(cell.control.n, cell.budget) : "-"});
  }
  return rows;
}

std::vector<std::vector<std::string>> map_rows(const ScalingStudy& study) {
  std::set<double> columns, lines;
  for (const StudyCell& cell : study.cells) {
    columns.insert(cell.x[0]);
    lines.insert(cell.x[1]);
  }
  std::vector<std::vector<std::string>> rows = {{""}};
  for (const double x : columns)
    rows[0].push_back(fmt::format("{} = {:.4g}", study.axes[0].symbol, x));
  for (const double y : lines) {
    rows.push_back({fmt::format("{} = {:.4g}", study.axes[1].symbol, y)});
    for (const double x : columns) {
      const auto cell = std::ranges::find(study.cells, std::vector{x, y}, &StudyCell::x);
      rows.back().push_back(cell == study.cells.end() ? "-" : shown_n(cell->n.n, cell->budget));
    }
  }
  return rows;
}

nlohmann::json finite(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

nlohmann::json both(Interval i) { return {finite(i.low), finite(i.high)}; }

nlohmann::json fit_json(const ScalingStudy& study) {
  if (!study.fit.fitted) return nullptr;
  const ScalingFit& fit = study.fit;
  nlohmann::json out = {{"intercept", fit.intercept}, {"tau", fit.tau},   {"points", fit.points},
                        {"censored", fit.censored},   {"bend", fit.bend}, {"bend_p", fit.bend_p}};
  for (std::size_t k = 0; k < study.axes.size(); ++k) {
    const auto axis = static_cast<Index>(k);
    nlohmann::json models = nlohmann::json::array();
    for (const ModelFit& m : fit.models[k].models) {
      if (m.fitted)
        models.push_back({{"law", to_string(m.model)},
                          {"p", m.exponent},
                          {"interval", both(m.interval)},
                          {"error_left_out", m.held_out}});
    }
    out["axes"].push_back({{"setting", study.axes[k].setting},
                           {"exponent", fit.exponent[axis]},
                           {"interval", both(fit.interval(axis))},
                           {"detectable", fit.detectable(axis)},
                           {"models", std::move(models)},
                           {"preferred", to_string(fit.models[k].preferred)}});
  }
  for (Index i = 0; i < fit.covariance.rows(); ++i) {
    for (Index j = 0; j < fit.covariance.cols(); ++j)
      out["covariance"][static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] =
          fit.covariance(i, j);
  }
  return out;
}

}  // namespace

std::string study_text(const ScalingStudy& study) {
  std::string out =
      fmt::format("\n{}: N(epsilon, {:g})\n{}", study.name, study.delta,
                  aligned(study.axes.size() == 1 ? line_rows(study) : map_rows(study)));
  if (study.fit.fitted) {
    for (std::size_t k = 0; k < study.axes.size(); ++k) {
      const auto axis = static_cast<Index>(k);
      const Interval i = study.fit.interval(axis);
      out += fmt::format(
          "  {}^p: p = {:.2f} [{:.2f}, {:.2f}]; {} predicts left-out points best; a p "
          "wrong by {:.2f} would be seen\n",
          study.axes[k].symbol, study.fit.exponent[axis], i.low, i.high,
          to_string(study.fit.models[k].preferred), study.fit.detectable(axis));
    }
  } else {
    out += fmt::format("  no fit: {} known points are too few\n", study.fit.points);
  }
  if (study.held_out.predicted) {
    const StudyCell& cell = study.cells[study.held_out.index];
    out +=
        fmt::format("  last point predicted from the others: {} [{}, {}], measured {}: {}\n",
                    shown_n(std::exp(study.held_out.prediction), 0),
                    shown_n(std::exp(study.held_out.interval.low), 0),
                    shown_n(std::exp(study.held_out.interval.high), 0),
                    shown_n(cell.n.n, cell.budget), study.held_out.inside ? "inside" : "outside");
  }
  for (std::size_t k = 0; k < study.verdicts.size(); ++k)
    out += fmt::format("  {} against {:g}: {}: {}\n", study.axes[k].symbol, study.theory[k],
                       to_string(study.verdicts[k].verdict), study.verdicts[k].reason);
  if (study.verdicts.empty() && !study.gate.reason.empty())
    out += fmt::format("  not a test: {}\n", study.gate.reason);
  if (!study.controlled) out += "  no control: whether the bonus matters is not known\n";
  return out;
}

nlohmann::json study_json(const ScalingStudy& study) {
  nlohmann::json out = {{"name", study.name}, {"delta", study.delta}, {"fit", fit_json(study)}};
  for (const StudyAxis& axis : study.axes)
    out["axes"].push_back({{"setting", axis.setting}, {"symbol", axis.symbol}});
  for (const StudyCell& cell : study.cells) {
    out["cells"].push_back(
        {{"x", cell.x},
         {"n", finite(cell.n.n)},
         {"beyond_budget", std::isinf(cell.n.n)},
         {"budget", cell.budget},
         {"log_sd", std::sqrt(cell.n.log_variance)},
         {"runs", cell.runs},
         {"ended", cell.ended},
         {"control", cell.has_control
                         ? nlohmann::json{{"n", finite(cell.control.n)},
                                          {"beyond_budget", std::isinf(cell.control.n)}}
                         : nlohmann::json()}});
  }
  const HeldOutPoint& h = study.held_out;
  out["held_out"] =
      h.predicted ? nlohmann::json{{"cell", h.index},
                                   {"predicted", std::exp(h.prediction)},
                                   {"interval",
                                    both({std::exp(h.interval.low), std::exp(h.interval.high)})},
                                   {"inside", h.inside}}
                  : nlohmann::json();
  out["gate"] = {{"premises_hold", study.gate.premises_hold},
                 {"control_fails", study.gate.control_fails},
                 {"controlled", study.controlled},
                 {"reason", study.gate.reason}};
  out["verdicts"] = nlohmann::json::array();
  for (std::size_t k = 0; k < study.verdicts.size(); ++k)
    out["verdicts"].push_back({{"axis", study.axes[k].setting},
                               {"theory", study.theory[k]},
                               {"verdict", to_string(study.verdicts[k].verdict)},
                               {"reason", study.verdicts[k].reason}});
  return out;
}

}  // namespace speder::cli
