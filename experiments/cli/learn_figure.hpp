#pragma once

#include <string>

#include "speder/experiments/cli/learn_output.hpp"
#include "speder/stats/rate.hpp"

namespace speder::cli {

/// Gap, regret and error against n, as the run has them; draws nothing for a run without rows.
/// `path` ends in .svg, .png or .pdf; empty: the name of `out` (or learn-<command>) with .svg.
/// Gives back the file written.
std::string draw(const LearnRecord& record, std::string path, const std::string& out);
/// The same of several learners overlaid: medians and bands over their runs.
std::string draw_bands(const std::vector<LearnRecord>& records,
                       const std::vector<std::string>& algorithms, std::string path,
                       const std::string& out);
/// A column of the runs of one learner, which have their grid of n in common.
[[nodiscard]] CurveTable curves_of(const std::vector<LearnRecord>& records,
                                   const std::string& algorithm, std::string_view column);
/// Refuses another ending, or a folder that cannot be written, before anything is computed.
void check_picture(const std::string& path);

}  // namespace speder::cli
