#include "speder/experiments/rates/laws.hpp"

#include <fmt/format.h>

#include <cmath>

namespace speder {

ReportTable laws_table(std::string id, std::string caption, const ScalingFit& fit,
                       const std::vector<std::string>& symbols) {
  ReportTable table{.id = std::move(id),
                    .caption = std::move(caption) +
                               " Laws on each axis, the others as powers. Error: root mean square "
                               "of log N at a point left out of the fit.",
                    .head = {"axis", "law", "p", "95%", "error left out", "preferred"},
                    .rows = {}};
  for (std::size_t k = 0; k < fit.models.size(); ++k) {
    for (const ModelFit& m : fit.models[k].models) {
      if (!m.fitted) continue;
      table.rows.push_back(
          {symbols[k], std::string(to_string(m.model)), fmt::format("{:.2f}", m.exponent),
           std::isfinite(m.interval.low)
               ? fmt::format("[{:.2f}, {:.2f}]", m.interval.low, m.interval.high)
               : "–",
           fmt::format("{:.3f}", m.held_out), m.model == fit.models[k].preferred ? "yes" : ""});
    }
  }
  return table;
}

std::string shown_n(double n, double budget) {
  std::string digits = fmt::format("{:.0f}", std::isinf(n) ? budget : n);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return (std::isinf(n) ? "> " : "") + digits;
}

std::string held_out_words(const HeldOutPoint& h, const std::string& where,
                           const std::string& measured) {
  return fmt::format(
      "the last point ({}) was left out and predicted from the others: N = {} in [{}, {}]; "
      "measured "
      "{}, {}.",
      where, shown_n(std::exp(h.prediction), 0), shown_n(std::exp(h.interval.low), 0),
      shown_n(std::exp(h.interval.high), 0), measured, h.inside ? "inside" : "OUTSIDE");
}

Finding held_out_finding(const HeldOutPoint& h, const std::string& where,
                         const std::string& measured) {
  Finding out{.claim =
                  fmt::format("N(ε, δ) at the last point ({}) is as the others predict", where)};
  if (!h.predicted) {
    out.reason = "too few other points";
    return out;
  }
  out.measured = measured;
  out.theory = fmt::format("[{}, {}]", shown_n(std::exp(h.interval.low), 0),
                           shown_n(std::exp(h.interval.high), 0));
  out.verdict = h.inside ? Verdict::kConsistent : Verdict::kInconclusive;
  out.reason = fmt::format("predicted {} with a 95% interval from a fit without this point",
                           shown_n(std::exp(h.prediction), 0));
  return out;
}

Series held_out_series(const HeldOutPoint& h, double x) {
  return {.label = "last point, predicted (95%)",
          .x = {x},
          .y = {std::exp(h.prediction)},
          .low = {std::exp(h.interval.low)},
          .high = {std::exp(h.interval.high)},
          .mark = Mark::kPoints,
          .colour = kColours + 1};  // a marker that no curve of a study has
}

}  // namespace speder
