#pragma once

#include <CLI/CLI.hpp>

namespace speder::cli {

/// Each command adds its options to the app and, when chosen, throws InputError or sets the process's
/// exit code, as cli::run_program has it. One file per command; main.cpp lists them.
void add_report(CLI::App& app, int& exit_code);
void add_sweep(CLI::App& app, int& exit_code);
void add_scale(CLI::App& app, int& exit_code);
void add_audit(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);
void add_mdp(CLI::App& app, int& exit_code);
void add_learn(CLI::App& app, int& exit_code);
void add_solve(CLI::App& app, int& exit_code);
void add_spectral(CLI::App& app, int& exit_code);
void add_agreement(CLI::App& app, int& exit_code);
void add_validate(CLI::App& app, int& exit_code);
void add_version(CLI::App& app, int& exit_code);
void add_worst(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
/// `speder completion bash`: a script made from the very tree that parses the command line.
void add_completion(CLI::App& app);

/// `speder deep …`: replaces this process by the `speder-deep` beside it, so that the theory tool
/// never loads libtorch or MuJoCo. Throws InputError when there is none.
[[noreturn]] void exec_deep(char** arguments);

}  // namespace speder::cli
