#pragma once

#include <string>

#include "speder/experiments/cli/learn_output.hpp"
#include "speder/plots/layout/scene.hpp"
#include "speder/stats/rate.hpp"

namespace speder::cli {

/// Where a picture goes. `path` ends in .svg, .png, .pdf or .tex; empty: the name of `out`, the file of the
/// rows (or learn-<command>), with .svg.
struct LearnPicture {
  std::string path, out;
  PictureStyle style = {};
};
/// Gap, regret and error against n, as the run has them; draws nothing for a run without rows. Gives back
/// the file written; its numbers lie beside it as CSV.
std::string draw(const LearnRecord& record, const LearnPicture& picture);
/// The same of several learners overlaid: medians and bands over their runs.
std::string draw_bands(const std::vector<LearnRecord>& records,
                       const std::vector<std::string>& algorithms, const LearnPicture& picture);
/// A column of the runs of one learner, which have their grid of n in common.
[[nodiscard]] CurveTable curves_of(const std::vector<LearnRecord>& records,
                                   const std::string& algorithm, std::string_view column);
/// Refuses another ending, or a folder that cannot be written, before anything is computed.
void check_picture(const std::string& path);

}  // namespace speder::cli
