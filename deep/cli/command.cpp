#include "speder/deep/cli/command.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace speder::deep::cli {

void warn(const std::string& text) { fmt::print(stderr, "speder-deep: warning: {}\n", text); }

int terminal_width() {
  constexpr int kDefault = 80, kLeast = 20;
  const char* columns = std::getenv("COLUMNS");
  const int asked = columns == nullptr ? 0 : std::atoi(columns);
  if (asked > 0) return std::max(asked, kLeast);
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? std::max<int>(size.ws_col, kLeast) : kDefault;
}

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
