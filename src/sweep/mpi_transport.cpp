// The only user of MPI: a module that join_job() loads under mpirun.
#include <mpi.h>

#include <memory>

#include "speder/sweep/transport.hpp"

namespace speder {
namespace {

constexpr int kTag = 1;

struct Job {
  Job() {  // runs may use threads; this one alone calls MPI
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job() { MPI_Finalize(); }
};

void send(int rank, const Bytes& bytes) {
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, rank, kTag, MPI_COMM_WORLD);
}

bool receive(Message& out) {
  int arrived = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &arrived, &status);
  if (arrived == 0) return false;
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  out.rank = status.MPI_SOURCE;
  out.bytes.resize(static_cast<std::size_t>(size));
  MPI_Recv(out.bytes.data(), size, MPI_CHAR, out.rank, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return true;
}

}  // namespace
}  // namespace speder

extern "C" void speder_mpi_transport(speder::Transport* out) {
  const auto job = std::make_shared<speder::Job>();
  MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &out->size);
  out->send = [job](int rank, const speder::Bytes& bytes) { speder::send(rank, bytes); };
  out->receive = [job](speder::Message& message) { return speder::receive(message); };
}
