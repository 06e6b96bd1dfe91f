#include "speder/deep/sim/env/assets.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace fs = std::filesystem;
namespace {

struct Origin {
  std::string_view requirement;
  std::string_view folder;
};

Origin origin(Package package) {
  if (package == Package::kGymnasium) return {"gymnasium==1.4.0", "gymnasium/envs/mujoco/assets"};
  return {"dm_control==1.0.50", "dm_control/suite"};
}

/// `.deps/python` in the given folder or the nearest one above it.
fs::path nearest(fs::path folder) {
  for (; !folder.empty(); folder = folder.parent_path()) {
    fs::path candidate = folder / ".deps" / "python";
    std::error_code ignored;
    if (fs::is_directory(candidate, ignored)) return candidate;
    if (folder == folder.root_path()) break;
  }
  return {};
}

}  // namespace

fs::path packages_folder(const fs::path& option) {
  if (!option.empty()) return option;
  if (const char* folder = std::getenv("SPEDER_PACKAGES"); folder != nullptr && *folder != '\0') {
    return folder;
  }
  std::error_code ignored;
  const fs::path executable = fs::read_symlink("/proc/self/exe", ignored);
  for (const fs::path& start : {executable.parent_path(), fs::current_path(ignored)}) {
    if (fs::path found = nearest(start); !found.empty()) return found;
  }
  return SPEDER_PACKAGES_DIR;
}

fs::path model_path(const fs::path& packages, Package package, std::string_view file) {
  const Origin from = origin(package);
  fs::path path = packages / from.folder / file;
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return path;
  throw InputError(
      fmt::format("{}: no such model file; it is part of {}: pip install --no-deps --target {} {} "
                  "(or setup/install deep), or point --packages at a folder that has it",
                  path.string(), from.requirement, packages.string(), from.requirement));
}

}  // namespace speder::deep
