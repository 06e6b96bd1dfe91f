#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "core/types.hpp"

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

/// Exit code of a run that Ctrl-C ended.
inline constexpr int kInterrupted = 130;
/// The first Ctrl-C (or SIGTERM) sets the flag so that the run can save what is done; the second
/// one ends the process.
[[nodiscard]] const std::atomic<bool>& watch_interrupts();

}  // namespace speder::cli
