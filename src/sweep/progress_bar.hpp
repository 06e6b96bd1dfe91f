#pragma once

#include <chrono>
#include <string>

#include "speder/sweep/run_sweep.hpp"

namespace speder {

/// One live line on the terminal: done/total, rate, time left, failures. A line a minute when
/// standard error is no terminal.
class SweepBar {
 public:
  explicit SweepBar(std::string title);
  SweepBar(const SweepBar&) = delete;
  SweepBar& operator=(const SweepBar&) = delete;
  ~SweepBar();  // clears the line
  void show(const SweepProgress& progress);
  void clear();  // before something else is printed; the next show() draws again

 private:
  std::string title_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

/// The line itself, for a width in columns and a time since the start.
[[nodiscard]] std::string progress_line(const std::string& title, const SweepProgress& progress,
                                        double seconds, int width);

/// What a sweep says at its end: "title: 5 of 8 runs in x.db, 2 of them from before, 1 failed …".
[[nodiscard]] std::string sweep_summary(const std::string& title,
                                        const std::filesystem::path& store,
                                        const SweepProgress& progress);

}  // namespace speder
