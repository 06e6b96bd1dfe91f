#include "speder/deep/cli/command.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace speder::deep::cli {

void warn(const std::string& text) { fmt::print(stderr, "speder-deep: warning: {}\n", text); }

void add_common(CLI::App& command, Common& common) {
  command.add_option("--packages", common.packages,
                     "Folder with the gymnasium and dm_control packages whose model files are read "
                     "(default: $SPEDER_PACKAGES, else the nearest .deps/python)");
  command.add_option("--seed", common.seed, "Root seed of every random stream")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command.add_flag("--json", common.json, "One JSON object on standard output");
}

}  // namespace speder::deep::cli
