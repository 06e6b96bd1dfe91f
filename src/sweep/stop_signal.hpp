#pragma once

#include <atomic>
#include <stdexcept>

namespace speder {

/// While one lives, the first SIGINT or SIGTERM raises the flag and the second one ends the process
/// at once with exit code 130. The store needs no goodbye: what is committed is safe.
class StopSignal {
 public:
  StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();
  /// False until the first one lives: a process has one set of signals, so it has one flag.
  [[nodiscard]] static const std::atomic<bool>& flag();
  static void raise();  // as a signal does
};

/// A signal stopped the command; the text says how to go on. Exit code 130.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr int kInterruptedExit = 130;

}  // namespace speder
