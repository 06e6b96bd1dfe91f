#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>

namespace speder::deep::cli {

/// A line on standard error.
void warn(const std::string& text);

/// Columns to print in: $COLUMNS, else the width of the terminal on standard output, else 80.
[[nodiscard]] int terminal_width();

/// Options every command shares.
struct Common {
  std::filesystem::path packages;  // --packages; empty: looked up
  std::uint64_t seed = 1;
  bool json = false;
};

/// Adds --packages, --seed and --json to a command.
void add_common(CLI::App& command, Common& common);

// One file per command; main.cpp lists them. A command throws InputError or Interrupted, or sets the
// process's exit code, as cli::run_program has it.
void add_envs(CLI::App& app);
void add_data(CLI::App& app);
void add_exact(CLI::App& app);
void add_heatmap(CLI::App& app);
void add_imitate(CLI::App& app, int& exit_code);
void add_rollout(CLI::App& app);
void add_export(CLI::App& app);
void add_bench_env(CLI::App& app);
void add_train(CLI::App& app);
void add_bench(CLI::App& app, int& exit_code);
void add_bench_update(CLI::App& app);
void add_probe(CLI::App& app);
void add_table(CLI::App& app);
void add_report(CLI::App& app);

}  // namespace speder::deep::cli
