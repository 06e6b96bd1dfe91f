#pragma once

#include "speder/deep/results/table.hpp"

namespace speder::deep {

/// A cell of the paper's table that is not what its source has for that task.
struct Misprint {
  std::string_view method, env;
  MeanStd right;         // as in the source
  std::string_view why;  // what is printed instead
};
/// Those of the MBBL table, read against MBBL's own result table.
[[nodiscard]] const std::vector<Misprint>& misprints();
/// The position of a cell's misprint in that list, or −1.
[[nodiscard]] int misprint_of(const PublishedRow& row, std::size_t column);
/// The number that runs are to be compared with: the source's where the paper slips.
[[nodiscard]] MeanStd right_value(const PublishedRow& row, std::size_t column);

}  // namespace speder::deep
