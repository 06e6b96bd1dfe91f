#include "speder/deep/sim/data_files.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "speder/core/check.hpp"

namespace speder::deep {

namespace fs = std::filesystem;

fs::path find_data_file(std::string_view kind, const std::string& name) {
  const char* folder = std::getenv(kind == "suites" ? "SPEDER_SUITES" : "SPEDER_POLICIES");
  if (folder != nullptr && *folder != '\0') return fs::path(folder) / name;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  fs::path installed = (program / SPEDER_DEEP_SHARE / kind / name).lexically_normal();
  if (fs::is_regular_file(installed, ignored)) return installed;
  return fs::path(SPEDER_DEEP_SOURCE) / kind / name;
}

fs::path walking_policy(const fs::path& given) {
  if (!given.empty()) return given;
  fs::path ours = find_data_file("policies", "ant_direction.h5");
  std::error_code ignored;
  if (fs::is_regular_file(ours, ignored)) return ours;
  throw InputError(
      fmt::format("{}: no such file; the ant's data need a walking policy: give --policy, or train "
                  "one: speder deep train --env AntDirection --algorithm sac3 --steps 200000 --out "
                  "runs/walk (its policy.h5)",
                  ours.string()));
}

}  // namespace speder::deep
