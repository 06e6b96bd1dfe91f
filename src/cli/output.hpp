#pragma once

namespace speder::cli {

/// A file that grows past `ulimit -f` is then an error of the write, not the end of the program.
void ignore_file_size_signal();

/// The exit code of a program that has said everything: `exit_code`, or 2 with a line on standard
/// error when what it printed did not arrive (disk full).
[[nodiscard]] int finish_output(int exit_code, const char* program);

}  // namespace speder::cli
