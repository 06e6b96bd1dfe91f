#include "speder/experiments/rates/offline/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "speder/io/toml_file.hpp"

namespace speder {
namespace {

std::optional<double> measure_of(const Run& run, std::string_view metric) {
  for (const Measure& m : run.measures)
    if (m.metric == metric) return m.value;
  return std::nullopt;
}

}  // namespace

double offline_setting(const ExperimentData& data, std::string_view key, double fallback) {
  const ConfigTable config = ConfigTable::parse(data.record.config, data.record.id);
  config.read(key, fallback);
  return fallback;
}

int OfflinePoint::broken(const std::string& curve) const {
  const auto found = not_pessimistic.find(curve);
  return found == not_pessimistic.end() ? 0 : found->second;
}

std::vector<OfflinePoint> offline_points(const ExperimentData& data, double delta) {
  const double last = offline_setting(data, "last", 0);
  std::map<double, OfflinePoint> cells;
  for (const Run& run : data.runs) {
    if (run.failed) continue;
    const double value = GridCell::parse(run.key.cell).number("value");
    OfflinePoint& point = cells[value];
    point.value = value;
    point.budget = last;
    for (const Measure& m : run.measures)
      if (m.n == 0 && !m.metric.starts_with("end.") && !m.metric.starts_with("pessimistic."))
        point.known[m.metric] = m.value;
    for (const char* const curve : kOfflineCurves) {
      const std::optional<double> end = measure_of(run, fmt::format("end.{}", curve));
      if (!end) continue;
      point.ends[curve].push_back(*end > 0 ? *end : std::numeric_limits<double>::infinity());
      if (measure_of(run, fmt::format("pessimistic.{}", curve)) == 0.0)
        ++point.not_pessimistic[curve];
    }
  }
  std::vector<OfflinePoint> out;
  for (auto& [value, point] : cells) {
    if (!point.ends["printed"].empty()) point.N = run_quantile(point.ends["printed"], 1 - delta).n;
    if (point.known.contains("epsilon")) out.push_back(std::move(point));
  }
  return out;
}

ScalingGate offline_gate(const std::vector<OfflinePoint>& points, double delta) {
  for (const OfflinePoint& p : points) {
    const auto failed = p.known.find("premises_failed");
    if (failed == p.known.end() || failed->second > 0)
      return {.premises_hold = false,
              .reason = fmt::format("a condition of the theory fails at {:g}", p.value)};
    if (!std::isfinite(p.N)) continue;  // the fit says so
    const auto& none = p.ends.at("none");
    if (!surely_late(none, p.N, delta)) {
      const auto early = std::ranges::count_if(none, [&](double end) { return end <= p.N; });
      return {.control_fails = false,
              .reason = fmt::format("without a penalty {} of {} runs get there as early at {:g}",
                                    early, none.size(), p.value)};
    }
  }
  return {};
}

}  // namespace speder
