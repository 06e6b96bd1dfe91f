#pragma once

#include "speder/sweep/transport.hpp"
#include "speder/sweep/workers.hpp"

namespace speder {

/// Rank 0's view of the other ranks: each computes one run at a time. Its end tells them to leave.
/// An exception would end in MPI's own end, which waits for ranks that wait for us: it ends the process.
[[nodiscard]] Workers rank_workers(const Transport& transport) noexcept;

/// What every other rank does: computes the tasks it is sent until it is told to leave. No exception leaves it, since
/// rank 0 would wait for the answer for ever: it ends the process, and mpirun the job.
void serve(const Transport& transport, const RunTask& run) noexcept;

/// What became of a task as bytes and back.
[[nodiscard]] Bytes pack(const Outcome& outcome);
[[nodiscard]] Outcome unpack(const Bytes& bytes);

}  // namespace speder
