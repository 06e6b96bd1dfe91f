#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "speder/core/check.hpp"
#include "speder/core/parallel.hpp"
#include "speder/experiments/cli/command.hpp"
#include "speder/experiments/worst/files.hpp"
#include "speder/io/durable_file.hpp"
#include "speder/sweep/progress_bar.hpp"
#include "speder/sweep/stop_signal.hpp"

namespace speder::cli {
namespace {

constexpr const char* kFooter = R"(Examples:
  speder worst --out worst                                  the d axis of small latent MDPs
  speder worst --out worst --budget 1024                    the same search, four times as long
  speder worst --axis A --values 2 3 4 5 6 8 --rank 4 --out worst-a
  speder worst --kind needle --values 8 12 16 24 32 --epsilon 0.05 --c-alpha 0.003 --out worst-n
  speder worst --replay worst/worst-d4.json --seed 7        that instance again, on your seeds

d, |A|, gamma, epsilon, |F| and the bound C on the density are held; latent moves, rewards and
the rivals in the class are searched for the largest N(epsilon, delta). The winner is chosen on
seeds of its own and reported on others. Stopped or killed and started again, it goes on where it
was; a larger --budget goes on from a smaller one. The folder has search.db (every instance and
its runs), worst-*.h5 (for any command that takes an MDP), worst-*.json (instance and class) and
report.json.
Exit: 0 no rate is broken; 1 an interval lies above the theorem's exponent; 2 bad input; 130
stopped by a signal.)";

struct WorstCommand {
  worst::SearchOptions options;
  std::string out;
  std::string replay;
  int jobs = 0;
  bool json = false;
};

std::string episodes_text(double n) { return std::isinf(n) ? "never" : fmt::format("{:.0f}", n); }

int replay(const WorstCommand& c, int jobs) {
  const worst::SavedInstance saved = worst::load_instance(c.replay);
  const QuantilePoint n =
      worst::measure(saved.setting, saved.genes, c.options.fresh_runs, c.options.seed, jobs);
  const worst::Setting& s = saved.setting;
  fmt::print("{} d={} |A|={} gamma={} epsilon={}: N(epsilon, {}) = {} over {} runs\n", s.kind,
             s.rank, s.actions, s.gamma, s.epsilon, s.delta, episodes_text(n.n),
             c.options.fresh_runs);
  return 0;
}

void print_report(const worst::SearchOptions& o, const worst::SearchReport& report) {
  fmt::print("{:>4} {:>6} {:>14} {:>12} {:>10} {:>6}\n", o.axis, "tried", "random median",
             "searched", "fresh N", "stuck");
  Index tried = 0;
  for (const worst::WorstInstance& w : report.worst) {
    tried += w.tried;
    fmt::print("{:>4} {:>6} {:>14.0f} {:>12} {:>10} {:>6}\n", w.value, w.tried, w.typical,
               episodes_text(w.searched), episodes_text(w.fresh.n), w.stuck);
  }
  const worst::Setting& s = o.setting;
  fmt::print("{} instances tried; c_alpha = {}, gamma = {}, epsilon = {}, delta = {}{}\n", tried,
             s.c_alpha, s.gamma, s.epsilon, s.delta,
             s.kind == "latent" ? fmt::format(", |F| = {}, C <= (1-o)|A|^2", s.class_size) : "");
  if (report.fit.fitted) {
    const Interval i = report.fit.interval(0);
    fmt::print("worst N ~ {}^{:.2f} [{:.2f}, {:.2f}], theorem {}: {} ({})\n", o.axis,
               report.fit.exponent[0], i.low, i.high, report.theory,
               to_string(report.judgement.verdict), report.judgement.reason);
  } else {
    fmt::print("no exponent: {}\n", report.judgement.reason);
  }
  if (report.judgement.verdict == Verdict::kViolated) {
    fmt::print("THE RATE IS BROKEN on the instances above; see {}\n",
               (o.out / "report.json").string());
  }
}

void run(WorstCommand& c, int& exit_code) {
  const int jobs = c.jobs > 0 ? c.jobs : hardware_jobs();
  if (!c.replay.empty()) {
    exit_code = replay(c, jobs);
    return;
  }
  if (c.out.empty()) throw InputError("worst: name a folder with --out (or --replay FILE)");
  c.options.out = c.out;
  c.options.jobs = jobs;
  worst::require_valid(c.options);
  make_folder(c.out);
  worst::SearchReport report;
  {
    SweepBar bar("worst");
    report = worst::search(c.options, [&](const SweepProgress& p) { bar.show(p); });
  }
  if (!report.obstacle.empty()) {
    throw InputError(fmt::format("{}; the same command goes on", report.obstacle));
  }
  if (!report.complete) {
    fmt::print("stopped; the same command continues where it was\n");
    exit_code = kInterruptedExit;
    return;
  }
  worst::save_report(c.options, report);
  if (c.json) {
    fmt::print("{}", worst::report_json(c.options, report));
  } else {
    print_report(c.options, report);
  }
  exit_code = report.judgement.verdict == Verdict::kViolated ? 1 : 0;
}

}  // namespace

void add_worst(CLI::App& app, int& exit_code) {
  auto c = std::make_shared<WorstCommand>();
  worst::SearchOptions& o = c->options;
  worst::Setting& s = o.setting;
  CLI::App* command = app.add_subcommand(
      "worst", "Searches for the instances on which the online learner needs most episodes");
  command->add_option("-o,--out", c->out, "Folder of the search")->type_name("DIR");
  command
      ->add_option("--kind", s.kind, "latent (any small latent MDP) or needle (the family's knobs)")
      ->capture_default_str();
  command->add_option("--axis", o.axis, "d or A")->capture_default_str();
  command->add_option("--values", o.values, "Values of the axis, increasing")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  command->add_option("--budget", o.budget, "Instances to try at each value")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--rank", s.rank, "d when the axis is A")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  command->add_option("--actions", s.actions, "|A| when the axis is d")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  command->add_option("--class-size", s.class_size, "|F| of kind latent")
      ->check(CLI::Range(2, 4096))
      ->capture_default_str();
  command->add_option("--gamma", s.gamma, "Discount")
      ->check(CLI::Range(0.01, 0.999))
      ->capture_default_str();
  command->add_option("--epsilon", s.epsilon, "Gap to reach, in units of value")
      ->check(CLI::Range(1e-6, 1e3))
      ->capture_default_str();
  command->add_option("--delta", s.delta, "Failure probability")
      ->check(CLI::Range(0.001, 0.999))
      ->capture_default_str();
  command->add_option("--overlap", s.overlap, "Overlap of the emissions of kind latent")
      ->check(CLI::Range(0.0, 0.49))
      ->capture_default_str();
  command->add_option("--c-alpha", s.c_alpha, "Constant of the bonus, the same for all instances")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command->add_option("--c-lambda", s.c_lambda, "Constant of the ridge")
      ->check(CLI::Range(1e-9, 1e6))
      ->capture_default_str();
  command->add_option("--episodes", s.episodes, "Most episodes of a run")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command->add_option("--runs", o.runs, "Runs of an instance while searching")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--fresh-runs", o.fresh_runs, "Runs of the winner that are reported")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--seed", o.seed, "Root of all randomness")->capture_default_str();
  command
      ->add_option("-j,--jobs", c->jobs,
                   "Instances at once (0: all cores); the results do not depend on it")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->add_option("--replay", c->replay, "Measure a saved instance on the seeds of --seed")
      ->type_name("FILE");
  command->add_flag("--json", c->json, "The report as JSON");
  command->footer(kFooter);
  command->callback([c, &exit_code] { run(*c, exit_code); });
}

}  // namespace speder::cli
