#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace speder::cli {

/// One line for a command line that `app` refused: CLI11's own words, or, where a command or an
/// option is misspelt or missing, the name that was probably meant and the names there are.
[[nodiscard]] std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc,
                                  const char* const* argv);

}  // namespace speder::cli
