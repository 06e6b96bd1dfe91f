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

}  // namespace speder
