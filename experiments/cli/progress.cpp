#include "speder/experiments/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace speder::cli {
namespace {

constexpr std::chrono::milliseconds kRefresh{200};

std::string duration(double seconds) {
  if (!(seconds < 360'000)) return "--:--";
  const auto s = static_cast<long>(seconds);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

}  // namespace

ProgressLine::ProgressLine(Index total)
    : on_(isatty(STDERR_FILENO) == 1),
      total_(total),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

ProgressLine::~ProgressLine() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressLine::show(Index done, const char* name, double value) {
  if (!on_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kRefresh) return;
  last_ = now;
  drawn_ = true;
  const double rate =
      static_cast<double>(done) / std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r{}/{}  {:.0f}/s  {} left  {} {:.4g}\x1b[K", done, total_, rate,
             duration(static_cast<double>(total_ - done) / rate), name, value);
  std::fflush(stderr);
}

}  // namespace speder::cli
