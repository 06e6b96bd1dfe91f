#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace speder::cli {

/// Every number on the command line of `app` and its subcommands must be a finite decimal number
/// that its type can hold. CLI11 alone takes "-1" and 10²³ for a seed (as 2⁶⁴ − 1), "" for 0, and
/// infinities.
void require_sound_numbers(CLI::App& app);

/// CLI11 explains some mistakes over several lines; the user gets one.
[[nodiscard]] std::string one_line(std::string text);

}  // namespace speder::cli
