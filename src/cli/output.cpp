#include "speder/cli/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace speder::cli {

void ignore_file_size_signal() { std::signal(SIGXFSZ, SIG_IGN); }

int finish_output(int exit_code, const char* program) {
  constexpr int kLost = 2;
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  fmt::print(stderr, "{}: error: standard output could not be written ({})\n", program,
             errno != 0 ? std::strerror(errno) : "an earlier write failed");
  return kLost;
}

}  // namespace speder::cli
