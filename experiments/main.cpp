#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "core/check.hpp"
#include "experiments/cli/command.hpp"

namespace {

constexpr int kBadInput = 2;

int fail(const char* what) {
  fmt::print(stderr, "speder: error: {}\n", what);
  return kBadInput;
}

int run(int argc, char** argv) {
  CLI::App app(
      "speder: exact low-rank MDPs, finite-class SPEDER, and the paper's claims put to the test.");
  app.require_subcommand(0, 1);
  int exit_code = 0;
  speder::cli::add_report(app, exit_code);
  speder::cli::add_sweep(app, exit_code);
  speder::cli::add_version(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForAllHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return fail(fmt::format("{} (speder --help shows the options)", e.what()).c_str());
  }
  if (app.get_subcommands().empty()) fmt::print("{}", app.help());
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    return fail(e.what());
  }
}
