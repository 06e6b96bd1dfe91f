#pragma once

#include <CLI/CLI.hpp>

namespace speder::cli {

/// `speder completion bash`: a script made from the very tree that parses the command line.
void add_completion(CLI::App& app);

/// The script for the commands and options of `app`, for a program called `program`.
[[nodiscard]] std::string bash_completion(const CLI::App& app, const std::string& program);

}  // namespace speder::cli
