#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "core/check.hpp"
#include "experiments/cli/command.hpp"
#include "experiments/cli/completion.hpp"
#include "experiments/cli/doctor.hpp"
#include "experiments/cli/numbers.hpp"
#include "experiments/hand_over.hpp"

namespace {

constexpr int kBadInput = 2;

int fail(const std::string& what) {
  fmt::print(stderr, "speder: error: {}\n", what);
  return kBadInput;
}

void add_commands(CLI::App& app, int& exit_code) {
  using namespace speder::cli;
  add_version(app, exit_code);
  add_mdp(app, exit_code);
  add_audit(app, exit_code);
  add_solve(app, exit_code);
  add_learn(app, exit_code);
  add_spectral(app, exit_code);
  add_sweep(app, exit_code);
  add_report(app, exit_code);
  add_validate(app, exit_code);
  add_agreement(app, exit_code);
  add_bench(app, exit_code);
  add_doctor(app, exit_code);
  add_completion(app);
  app.add_subcommand("deep", "MuJoCo and DeepMind Control tasks (speder deep --help)");
  require_sound_numbers(app);
}

// CLI11 explains some mistakes over several lines; the user gets one.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

int run(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "deep") return speder::hand_over_to_deep(argv + 1);
  CLI::App app(
      "speder: exact low-rank MDPs, finite-class SPEDER, and the paper's claims put to the test.");
  app.require_subcommand(0, 1);
  int exit_code = 0;
  add_commands(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {  // --help, --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return fail(one_line(e.what()) + " (--help shows the options)");
  }
  if (app.get_subcommands().empty()) fmt::print("{}", app.help());
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    return fail(one_line(e.what()));
  }
}
