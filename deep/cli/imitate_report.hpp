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
  double mean = 0, low = 0, high = 0;  // Student's 95% interval over seeds, cut to [0, 1]
};

[[nodiscard]] std::vector<ImitateRow> imitate_rows(const std::vector<Run>& runs);
[[nodiscard]] std::string imitate_table(const std::vector<ImitateRow>& rows);
[[nodiscard]] Figure imitate_figure(const std::vector<ImitateRow>& rows, const std::string& suite);

}  // namespace speder::deep::cli
