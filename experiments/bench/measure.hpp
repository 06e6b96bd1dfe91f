#pragma once

#include <cstdint>
#include <functional>

namespace speder::bench {

/// Median of `repeats` timed calls, seconds.
[[nodiscard]] double median_seconds(int repeats, const std::function<void()>& body);

/// Growth of this process's peak resident memory during the call, bytes; −1 where the system
/// does not tell.
[[nodiscard]] std::int64_t peak_growth(const std::function<void()>& body);

/// Peak resident memory of this process so far, bytes; −1 where the system does not tell.
[[nodiscard]] std::int64_t peak_memory();

}  // namespace speder::bench
