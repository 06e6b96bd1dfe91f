#include <H5public.h>
#include <fmt/format.h>
#include <tbb/version.h>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>

#include <Eigen/Core>

#include "build_info.hpp"
#include "speder/experiments/cli/command.hpp"

namespace speder::cli {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string version_text() {
  return fmt::format(
      "speder {} (commit {}, {}, {})\n"
      "Eigen {}.{}.{}, Boost {}, HDF5 {}.{}.{}, TBB {}.{}, CLI11 {}, fmt {}.{}.{}, nlohmann-json "
      "{}.{}.{}",
      kVersion, kCommit, compiler(), kBuildType, EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
      EIGEN_MINOR_VERSION, BOOST_LIB_VERSION, H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE,
      TBB_VERSION_MAJOR, TBB_VERSION_MINOR, CLI11_VERSION, FMT_VERSION / 10000,
      FMT_VERSION / 100 % 100, FMT_VERSION % 100, NLOHMANN_JSON_VERSION_MAJOR,
      NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH);
}

}  // namespace

void add_version(CLI::App& app, int&) {
  app.set_version_flag("--version", version_text, "Commit, compiler and library versions");
}

}  // namespace speder::cli
