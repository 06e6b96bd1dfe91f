#pragma once

#include <functional>
#include <optional>
#include <string>

namespace speder {

using Bytes = std::string;

struct Message {
  int rank = 0;
  Bytes bytes;
};

/// Ordered messages between the ranks of one job; leaves the job when the last copy is gone.
struct Transport {
  int rank = 0;
  int size = 1;
  std::function<void(int rank, const Bytes& bytes)> send;
  std::function<bool(Message& out)> receive;  // false when nothing has arrived; never blocks
};

/// The transport of the job this process was started in, or none: outside mpirun, or when it has
/// one rank. MPI lives in a module of its own beside the program and is loaded only here, so that
/// no other command pays for it. Throws InputError when mpirun started a program without MPI.
[[nodiscard]] std::optional<Transport> join_job();

/// The rank mpirun gave this process; 0 outside a job. Known before joining, so that one rank alone
/// reports a mistake all of them see.
[[nodiscard]] int rank_in_job();

/// For a rank other than 0 that is about to fail with what all ranks see: mpirun ends the job with
/// the first that fails, so the others give rank 0 the time to say why.
void wait_for_rank_0();
/// Counts the job's processes on this machine; 0 outside a job. For what they share out, as GPUs.
[[nodiscard]] int local_rank_in_job();
[[nodiscard]] bool in_job();

}  // namespace speder
