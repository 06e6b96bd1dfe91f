#pragma once

#include <chrono>
#include <string>

#include "experiments/sweep/engine.hpp"

namespace speder::cli {

/// One live line on the terminal: done/total, rate, time left, failures. Silent when standard error
/// is no terminal.
class SweepBar {
 public:
  explicit SweepBar(std::string title);
  SweepBar(const SweepBar&) = delete;
  SweepBar& operator=(const SweepBar&) = delete;
  ~SweepBar();  // clears the line
  void show(const SweepProgress& progress);

 private:
  std::string title_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

/// The line itself, for a width in columns and a time since the start.
[[nodiscard]] std::string progress_line(const std::string& title, const SweepProgress& progress,
                                        double seconds, int width);

}  // namespace speder::cli
