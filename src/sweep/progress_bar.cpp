#include "speder/sweep/progress_bar.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace speder {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kRedraw(100);
constexpr std::chrono::seconds kLogLine(60);  // a file or a pipe keeps every line
constexpr int kDefaultWidth = 80;

int terminal_width() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kDefaultWidth;
}

std::string duration(double seconds) {
  const auto s = static_cast<long>(std::ceil(seconds));
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

}  // namespace

std::string progress_line(const std::string& title, const SweepProgress& p, double seconds,
                          int width) {
  const auto fresh = static_cast<double>(p.done - p.restored);
  const double rate = seconds > 0 ? fresh / seconds : 0;
  const std::string left =
      rate > 0 ? duration(static_cast<double>(p.total - p.done) / rate) : "--:--";
  const std::string failures = p.failed > 0 ? fmt::format(", {} failed", p.failed) : "";
  const std::string counts =
      fmt::format(" {}/{}, {:.3g}/s, {} left{}", p.done, p.total, rate, left, failures);
  const int room = width - 1 - static_cast<int>(title.size() + counts.size()) - 3;
  constexpr int kShortest = 5, kLongest = 40;
  std::string bar;
  if (room >= kShortest) {
    const int length = std::min(room, kLongest);
    const auto filled = static_cast<std::size_t>(p.total > 0 ? length * p.done / p.total : length);
    bar = " [" + std::string(filled, '#') +
          std::string(static_cast<std::size_t>(length) - filled, '.') + "]";
  }
  return (title + bar + counts).substr(0, static_cast<std::size_t>(std::max(width - 1, 1)));
}

std::string sweep_summary(const std::string& title, const std::filesystem::path& store,
                          const SweepProgress& p) {
  return fmt::format("{}: {} of {} runs in {}{}{}", title, p.done, p.total, store.string(),
                     p.restored > 0 ? fmt::format(", {} of them from before", p.restored) : "",
                     p.failed > 0
                         ? fmt::format(", {} failed (their errors are in the store)", p.failed)
                         : "") +
         (p.failed_before > 0 ? fmt::format(", {} failed before", p.failed_before) : "");
}

SweepBar::SweepBar(std::string title)
    : title_(std::move(title)), terminal_(::isatty(STDERR_FILENO) == 1), start_(Clock::now()) {}

SweepBar::~SweepBar() { clear(); }

void SweepBar::clear() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
  last_ = {};
}

void SweepBar::show(const SweepProgress& progress) {
  const auto now = Clock::now();
  const bool wait = terminal_ ? now - last_ < kRedraw && progress.done < progress.total
                              : now - std::max(last_, start_) < kLogLine;
  if (wait) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const int width = terminal_ ? terminal_width() : kDefaultWidth;
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r" : "",
             progress_line(title_, progress, seconds, width), terminal_ ? "\033[K" : "\n");
  std::fflush(stderr);
}

}  // namespace speder
