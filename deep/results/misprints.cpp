#include "speder/deep/results/misprints.hpp"

#include <algorithm>

namespace speder::deep {

const std::vector<Misprint>& misprints() {
  static const std::vector<Misprint> list = {
      {"ME-TRPO*", "Reacher", {-13.4, 0.2}, "a slip in the deviation"},
      {"ME-TRPO*", "Hopper-ET", {4.9, 4.0}, "MBBL's Hopper, without early termination"},
      {"ME-TRPO*", "S-Humanoid-ET", {76.1, 8.8}, "MBBL's SlimHumanoid, without early termination"},
      {"ME-TRPO*", "Walker-ET", {-9.5, 4.6}, "MBBL's Walker2D, without early termination"},
      {"PETS-RS*", "Humanoid-ET", {106.9, 102.6}, "two digits swapped"},
      {"PETS-RS*", "Walker-ET", {-0.8, 3.2}, "MBBL's Walker2D, without early termination"},
      {"PETS-CEM*", "Humanoid-ET", {110.8, 91.0}, "two digits of the deviation swapped"},
      {"PETS-CEM*", "CartPole", {199.5, 3.0}, "a slip in a digit"},
      {"PETS-CEM*", "Walker-ET", {-2.5, 6.8}, "MBBL's Walker2D, without early termination"},
      {"Best MBBL", "HalfCheetah", {3639.0, 1185.8}, "a slip in the deviation"},
      {"Best MBBL",
       "Hopper-ET",
       {926.9, 154.1},
       "MBBL's Hopper, without early termination; MB-MF holds the right one"},
      {"Best MBBL",
       "Walker-ET",
       {350.0, 107.6},
       "MBBL's Walker2D, without early termination; MB-MF holds the right one"},
      {"SAC* (3-layer)", "S-Humanoid-ET", {843.6, 313.1}, "two digits swapped"},
  };
  return list;
}

int misprint_of(const PublishedRow& row, std::size_t column) {
  if (row.suite != "mbbl") return -1;
  const std::string& env = suite_envs(row.suite).at(column);
  const auto found = std::ranges::find_if(
      misprints(), [&](const Misprint& m) { return m.method == row.method && m.env == env; });
  return found == misprints().end() ? -1 : static_cast<int>(found - misprints().begin());
}

MeanStd right_value(const PublishedRow& row, std::size_t column) {
  const int slip = misprint_of(row, column);
  return slip < 0 ? row.cells.at(column) : misprints()[static_cast<std::size_t>(slip)].right;
}

}  // namespace speder::deep
