#pragma once

#include <CLI/CLI.hpp>

namespace speder::cli {

/// `speder doctor`: tries the installation out and prints the fix for what does not work.
void add_doctor(CLI::App& app, int& exit_code);

}  // namespace speder::cli
