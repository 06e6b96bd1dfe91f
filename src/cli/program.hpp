#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace speder::cli {

/// What `main` of both programs does with its commands. A command throws InputError for bad input
/// (exit code 2), Interrupted after a signal (130), or sets `exit_code`. Every failure is one line on
/// standard error; under mpirun all ranks see the same bad input and rank 0 alone reports it. Returns
/// the exit code of the process: 2 also when what was printed did not arrive (disk full).
[[nodiscard]] int run_program(CLI::App& app, const std::string& name, int argc, char** argv,
                              const int& exit_code);

/// JSON as the commands print it. A file name need not be UTF-8, JSON must be: other bytes are replaced.
[[nodiscard]] std::string json_text(const nlohmann::json& value, int indent = -1);
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace speder::cli
