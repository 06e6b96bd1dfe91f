#include <dlfcn.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <thread>

#include "speder/core/check.hpp"
#include "speder/sweep/transport.hpp"

namespace speder {
namespace {

// Set by mpirun (OpenMPI), and by Slurm's and Hydra's launchers.
constexpr std::array kSizeVariables = {"OMPI_COMM_WORLD_SIZE", "PMIX_SIZE", "PMI_SIZE"};
constexpr std::array kRankVariables = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
constexpr std::array kLocalVariables = {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID",
                                        "MPI_LOCALRANKID"};

int first_set(std::span<const char* const> names, int otherwise) {
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) {
      return static_cast<int>(std::strtol(value, nullptr, 10));
    }
  }
  return otherwise;
}

}  // namespace

int rank_in_job() { return first_set(kRankVariables, 0); }
int local_rank_in_job() { return first_set(kLocalVariables, 0); }
bool in_job() { return first_set(kSizeVariables, 1) > 1; }

std::optional<Transport> join_job() {
  if (!in_job()) return std::nullopt;
  const auto module =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / SPEDER_MPI_MODULE;
  // RTLD_GLOBAL: OpenMPI's own plug-ins look its symbols up in the global scope.
  void* handle = ::dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr && !std::filesystem::exists(module)) {
    throw InputError(
        "started by mpirun, but this speder was built without MPI; install libopenmpi-dev and "
        "build again, or start it without mpirun");
  }
  if (handle == nullptr) throw InputError(fmt::format("MPI cannot be loaded: {}", ::dlerror()));
  const auto make = reinterpret_cast<void (*)(Transport*)>(::dlsym(handle, "speder_mpi_transport"));
  require(make != nullptr, "the MPI module has no entry point");
  Transport transport;
  make(&transport);
  return transport;
}

void wait_for_rank_0() {
  constexpr std::chrono::seconds kTimeToSpeak(3);
  if (rank_in_job() != 0) std::this_thread::sleep_for(kTimeToSpeak);
}

}  // namespace speder
