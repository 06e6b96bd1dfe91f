#pragma once

#include <string>
#include <vector>

#include "core/results.hpp"
#include "plots/figure.hpp"

namespace speder::deep::cli {

/// Success of one method on one data set over its seeds.
struct ImitateRow {
  std::string data;    // "PointMaze-medium diverse"
  std::string method;  // with its skill length
  std::vector<double> success;
  // 95%: the hull of Student's interval over seeds and the exact binomial one over all episodes, so
  // that seeds which agree by chance do not pass for certainty.
  double mean = 0, low = 0, high = 0;
};

/// `episodes`: of one final evaluation.
[[nodiscard]] std::vector<ImitateRow> imitate_rows(const std::vector<Run>& runs, int episodes);
[[nodiscard]] std::string imitate_table(const std::vector<ImitateRow>& rows);
[[nodiscard]] Figure imitate_figure(const std::vector<ImitateRow>& rows, const std::string& suite);

}  // namespace speder::deep::cli
