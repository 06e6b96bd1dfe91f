#pragma once

#include <chrono>
#include <string>

#include "speder/core/types.hpp"

namespace speder::cli {

/// A line on the terminal: done, rate, time left and one number of the caller's. Nothing when
/// standard error is no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(Index total);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(Index done, const char* name, double value);

 private:
  bool on_;
  Index total_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace speder::cli
