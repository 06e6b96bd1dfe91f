#include "speder/io/manifest.hpp"

#include <fmt/format.h>

#include "build_info.hpp"

namespace speder {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

Manifest this_build() {
  return {.version = kVersion, .commit = kCommit, .compiler = compiler(), .build_type = kBuildType};
}

}  // namespace speder
