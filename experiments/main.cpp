#include <memory>
#include <string_view>

#include "speder/cli/program.hpp"
#include "speder/cli/strict.hpp"
#include "speder/experiments/cli/command.hpp"

namespace {

constexpr const char* kFooter = R"(First steps (docs/tutorial.md takes ten minutes):
  speder doctor                                    does everything work here?
  speder mdp make --family simplex --out m.h5      an MDP whose features are known
  speder solve m.h5                                its optimal value, certified
  speder learn online --mdp m.h5 --plot gap.svg    Algorithm 1 on it, and the picture
  speder COMMAND --help                            options, examples, exit codes

Exit codes: 0 done; 1 done, and something did not hold (a disagreement, a missed figure);
2 bad input, one line on standard error says what and where; 130 stopped by a signal, what
was done is kept. --json on any command is for machines. Nothing uses the network.)";

/// Descriptions broken at blanks: CLI11 prints each as one line, however long.
class Wrapping : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    constexpr std::size_t kColumns = 100;
    const std::size_t width = kColumns - get_column_width();
    std::string text = CLI::Formatter::make_option_desc(option);
    for (std::size_t start = 0; text.size() - start > width;) {
      const std::size_t blank = text.rfind(' ', start + width);
      if (blank == std::string::npos || blank <= start) break;
      text[blank] = '\n';
      start = blank + 1;
    }
    return text;
  }
};

void add_commands(CLI::App& app, int& exit_code) {
  using namespace speder::cli;
  app.name("speder");
  app.description(
      "speder: exact low-rank MDPs, finite-class SPEDER, and the paper's claims put to the test.");
  app.footer(kFooter);
  app.formatter(std::make_shared<Wrapping>());
  app.require_subcommand(0, 1);
  add_version(app, exit_code);
  add_mdp(app, exit_code);
  add_audit(app, exit_code);
  add_solve(app, exit_code);
  add_learn(app, exit_code);
  add_spectral(app, exit_code);
  add_scale(app, exit_code);
  add_sweep(app, exit_code);
  add_report(app, exit_code);
  add_validate(app, exit_code);
  add_worst(app, exit_code);
  add_agreement(app, exit_code);
  add_bench(app, exit_code);
  add_doctor(app, exit_code);
  add_completion(app);
  app.add_subcommand("deep", "MuJoCo and DeepMind Control tasks (speder deep --help)");
  require_sound_numbers(app);
}

}  // namespace

int main(int argc, char** argv) {
  const auto build = [&](CLI::App& app, int& exit_code) {
    if (argc > 1 && std::string_view(argv[1]) == "deep") speder::cli::exec_deep(argv + 1);
    add_commands(app, exit_code);
  };
  return speder::cli::run_program("speder", build, argc, argv);
}
