#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace speder::cli {

/// What `main` of both programs does with its commands, which `build` adds to the app. A command throws
/// InputError for bad input (exit code 2), Interrupted after a signal (130), or sets the exit code.
/// Every failure is one line on standard error; under mpirun all ranks see the same bad input and rank
/// 0 alone reports it. Returns the exit code of the process: 2 also when what was printed did not
/// arrive (disk full).
using AddCommands = std::function<void(CLI::App& app, int& exit_code)>;
[[nodiscard]] int run_program(const char* name, const AddCommands& build, int argc, char** argv);

/// JSON as the commands print it. A file name need not be UTF-8, JSON must be: other bytes are replaced.
[[nodiscard]] std::string json_text(const nlohmann::json& value, int indent = -1);
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace speder::cli
