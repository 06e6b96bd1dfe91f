#pragma once

#include "speder/deep/results/table.hpp"

namespace speder::deep {

/// A suite's table for a page, a paper or a program. Published rows are marked as such in each, misprinted
/// cells have a footnote (csv: a column with the right number).
[[nodiscard]] std::string markdown_table(std::string_view suite,
                                         const std::vector<ResultRow>& rows);
/// A table environment that needs no package; every row of ours in bold face.
[[nodiscard]] std::string latex_table(std::string_view suite, const std::vector<ResultRow>& rows);
/// suite,row,source,task,mean,std,note,right_mean,right_std: a line a cell.
[[nodiscard]] std::string csv_table(std::string_view suite, const std::vector<ResultRow>& rows);

}  // namespace speder::deep
