#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "speder/core/check.hpp"
#include "speder/experiments/cli/command.hpp"

namespace speder::cli {

void exec_deep(char** arguments) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path deep = self.parent_path() / "speder-deep";
  ::execv(deep.c_str(), arguments);
  throw InputError(
      fmt::format("the deep column is not built here (no {}); `./run deep` installs what it needs "
                  "and builds it",
                  deep.filename().string()));
}

}  // namespace speder::cli
