#pragma once

#include <string>
#include <vector>

namespace speder {

struct ProcessResult {
  bool started = false;  // false: no such program
  int exit_code = -1;    // −1: ended by a signal
  std::string output;    // what it wrote to standard output
  std::string error;     // what it wrote to standard error
};

/// Runs a program found on PATH with these arguments and this standard input. No shell.
[[nodiscard]] ProcessResult run_process(const std::vector<std::string>& arguments,
                                        const std::string& input);

}  // namespace speder
