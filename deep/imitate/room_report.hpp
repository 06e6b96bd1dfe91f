#pragma once

#include "speder/deep/imitate/room_heatmap.hpp"
#include "speder/plots/report/report.hpp"

namespace speder::deep {

/// The pass mark of the empty room: half a standard deviation of the noise.  [docs/imitation.md]
inline constexpr double kPeakLimit = 0.5;

/// A learned heat map as an experiment "heatmap-<objective>": a run for each query with its scores
/// and the raw density of every square.
[[nodiscard]] ExperimentRecord heatmap_record(const HeatmapOptions& options);
[[nodiscard]] std::vector<Run> heatmap_runs(const HeatmapOptions& options,
                                            const HeatmapResult& result);

/// A stored query read back.
struct HeatmapRow {
  RoomQuery query;
  DensityScore score;
  Matrix raw;
};
/// Throws InputError when a run is no heat map of a square room.
[[nodiscard]] std::vector<HeatmapRow> heatmap_rows(const std::vector<Run>& runs);

/// The learned densities beside the truth, the scores, whether every peak is near its target.
[[nodiscard]] ReportSection heatmap_section(const ExperimentData& data);

}  // namespace speder::deep
