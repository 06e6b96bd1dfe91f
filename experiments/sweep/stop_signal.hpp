#pragma once

#include <atomic>

namespace speder {

/// While it lives, the first SIGINT or SIGTERM raises a flag and the second one ends the process at
/// once with exit code 130. The store needs no goodbye: what is committed is safe.
class StopSignal {
 public:
  StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();
  [[nodiscard]] const std::atomic<bool>& flag() const;
};

inline constexpr int kInterruptedExit = 130;

}  // namespace speder
