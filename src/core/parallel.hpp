#pragma once

#include <functional>

#include "speder/core/types.hpp"

namespace speder {

/// Calls body(i) for i in {0, …, n−1} on at most `jobs` threads (0: all cores). The order is
/// unspecified, so bodies write to their own slot and draw from their own stream. The first
/// exception is rethrown after the others have stopped.
void parallel_for(Index n, int jobs, const std::function<void(Index)>& body);

[[nodiscard]] int hardware_jobs();

}  // namespace speder
