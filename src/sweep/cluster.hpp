#pragma once

#include "speder/sweep/transport.hpp"
#include "speder/sweep/workers.hpp"

namespace speder {

/// Rank 0's view of the other ranks: each computes one run at a time. Its end tells them to leave.
[[nodiscard]] Workers rank_workers(const Transport& transport);

/// What every other rank does: computes the tasks it is sent until it is told to leave.
void serve(const Transport& transport, const RunTask& run);

/// What became of a task as bytes and back.
[[nodiscard]] Bytes pack(const Outcome& outcome);
[[nodiscard]] Outcome unpack(const Bytes& bytes);

}  // namespace speder
