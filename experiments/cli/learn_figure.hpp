#pragma once

#include <string>

#include "speder/experiments/cli/learn_output.hpp"

namespace speder::cli {

/// Gap, regret and error against n, as the run has them; draws nothing for a run without rows.
/// `path` ends in .svg, .png or .pdf; empty: the name of `out` (or learn-<command>) with .svg.
/// Gives back the file written.
std::string draw(const LearnRecord& record, std::string path, const std::string& out);
/// Refuses another ending, or a folder that cannot be written, before anything is computed.
void check_picture(const std::string& path);

}  // namespace speder::cli
