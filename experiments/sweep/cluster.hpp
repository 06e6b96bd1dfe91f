#pragma once

#include "experiments/sweep/transport.hpp"
#include "experiments/sweep/workers.hpp"

namespace speder {

/// Rank 0's view of the other ranks: each computes one run at a time. Its end tells them to leave.
[[nodiscard]] Workers rank_workers(const Transport& transport);

/// What every other rank does: computes the tasks it is sent until it is told to leave.
void serve(const Transport& transport, const RunTask& run);

/// A run as bytes and back.
[[nodiscard]] Bytes pack(const Run& run);
[[nodiscard]] Run unpack(const Bytes& bytes);

}  // namespace speder
