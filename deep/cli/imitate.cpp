#include "speder/deep/imitate/imitate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "speder/core/check.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/deep/cli/training.hpp"
#include "speder/deep/imitate/page.hpp"
#include "speder/deep/imitate/report.hpp"
#include "speder/deep/learn/config.hpp"
#include "speder/deep/sim/data/generate.hpp"
#include "speder/deep/sim/data_files.hpp"
#include "speder/io/durable_file.hpp"
#include "speder/io/file_lock.hpp"
#include "speder/io/text_file.hpp"
#include "speder/sweep/grid_cell.hpp"
#include "speder/sweep/stop_signal.hpp"

namespace speder::deep::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLockPoll(100);

struct ImitateOptions {
  Common common;
  std::string suite = "quick";
  std::vector<std::string> layouts, styles, methods, set;
  int seeds = 0;
  int jobs = 1;
  int checkpoint_every = 5000;
  std::string data, expert, policy, heatmap, out;
  bool retry_failed = false;
};

/// restricted: only what --layout, --style, --method and --seeds name.
ImitateSuite read_suite(const ImitateOptions& o, bool restricted) {
  TrainingOptions set;
  set.set = o.set;
  std::string text = override_text(set);
  if (restricted) {
    const WriteTo write{text};
    if (!o.layouts.empty()) write("layouts", o.layouts);
    if (!o.styles.empty()) write("styles", o.styles);
    if (!o.methods.empty()) write("methods", o.methods);
    if (o.seeds > 0) write("seeds", o.seeds);
  }
  if (fs::is_regular_file(o.suite)) return read_imitate_suite(o.suite, text);
  if (o.suite != "quick" && o.suite != "reduced" && o.suite != "paper") {
    throw InputError(fmt::format(
        "no suite is called '{}' and no such file; there are: quick reduced paper", o.suite));
  }
  return read_imitate_suite(preset_path("imitate_" + o.suite), text);
}

std::vector<ImitateConfig> all_runs(const ImitateOptions& o, const ImitateSuite& suite) {
  std::vector<ImitateConfig> runs;
  for (const std::string& layout : suite.layouts) {
    for (const std::string& style : suite.styles) {
      for (const std::uint64_t seed : repetition_seeds(o.common.seed, suite.seeds)) {
        for (const std::string& method : suite.methods) {
          ImitateConfig c = suite.base;
          c.layout = layout;
          c.style = style;
          c.method = method;
          c.seed = seed;
          for (const int window : windows_of(suite, method)) {
            c.window = window;
            runs.push_back(c);
          }
        }
      }
    }
  }
  return runs;
}

/// The whole suite and the files that were named, so that other ones are refused.
std::string recorded(const ImitateOptions& o, ImitateSuite suite) {
  suite.base.seed = o.common.seed;
  return given_files({{"data", o.data}, {"expert", o.expert}, {"policy", o.policy}}) +
         to_toml(suite);
}

std::string task_of(const ImitateConfig& c) {
  return fmt::format("{}-{}", c.body == "ant" ? "AntMaze" : "PointMaze", c.layout);
}

std::string name_of(const ImitateConfig& c) {
  return fmt::format("{} {} {} seed {}", task_of(c), c.style, c.method, c.seed);
}

GridCell cell_of(const ImitateConfig& c) {
  GridCell cell;
  cell.set("body", c.body).set("layout", c.layout).set("style", c.style).set("method", c.method);
  if (hold(c) > 1 || find_method(c.method).kind == MethodKind::kSkill) {
    cell.set("window", static_cast<double>(c.window));
  }
  return cell;
}

class Suite {
 public:
  Suite(const ImitateOptions& o, const ImitateSuite& suite)
      : o_(o),
        suite_(suite),
        runs_(all_runs(o, suite)),
        packages_(packages_folder(o.common.packages)),
        experiment_("imitate-" + fs::path(o.suite).stem().string()) {
    if ((o.data.empty() != o.expert.empty()) ||
        (!o.data.empty() && suite.layouts.size() * suite.styles.size() != 1)) {
      throw InputError("--data and --expert go together, with one --layout and one --style");
    }
    make_folder(o.out);
  }

  /// 1 if a run failed, now or before.
  [[nodiscard]] int run() const {
    const ImitateSuite whole = read_suite(o_, false);
    TrainingGrid grid;
    grid.sweep.record = {.id = experiment_,
                         .config = recorded(o_, whole),
                         .seed = o_.common.seed,
                         .planned = std::ssize(all_runs(o_, whole)),
                         .build = this_build()};
    grid.store = fs::path(o_.out) / "imitate.db";
    grid.jobs = o_.jobs;
    grid.shown = !o_.common.json;
    grid.run = [this](std::size_t i) { return learn(runs_[i]); };
    grid.stored = [this](const Run& run) { conclude(run); };
    for (const ImitateConfig& c : runs_) grid.sweep.runs.push_back(key_of(c));
    grid.sweep.retry_failed = o_.retry_failed;
    const auto done = run_grid(grid);
    if (!done) return 0;  // a rank that learned for another one
    report(ResultStore::read(grid.store).runs(experiment_));
    return done->failed + done->failed_before > 0 ? 1 : 0;
  }

 private:
  [[nodiscard]] RunKey key_of(const ImitateConfig& c) const {
    return {experiment_, cell_of(c).key(), static_cast<std::int64_t>(c.seed)};
  }
  [[nodiscard]] fs::path folder_of(const ImitateConfig& c) const {
    return fs::path(o_.out) / "runs" /
           fmt::format("{}-{}-{}-{}-{}", task_of(c), c.style, c.method, hold(c), c.seed);
  }

  /// The named file, or one of that kind in <out>/data, which the first run that needs it makes
  /// while the others wait, on whatever thread or rank they are.
  [[nodiscard]] fs::path data_file(const ImitateConfig& c, bool expert) const {
    if (!o_.data.empty()) return expert ? o_.expert : o_.data;
    const fs::path folder = fs::path(o_.out) / "data";
    make_folder(folder);
    fs::path file = folder / fmt::format("{}-{}.h5", task_of(c), expert ? "expert" : c.style);
    while (!fs::exists(file)) {
      const auto lock = FileLock::acquire(file.string() + ".lock");
      if (lock && !fs::exists(file)) make_data(c, expert, file);
      if (!lock) std::this_thread::sleep_for(kLockPoll);
      if (StopSignal::flag()) throw Interrupted("while data were made");
    }
    return file;
  }

  void make_data(const ImitateConfig& c, bool expert, const fs::path& file) const {
    const std::string policy = c.body == "ant" ? walking_policy(o_.policy).string() : "";
    const GenerateOptions g{.body = c.body,
                            .layout = c.layout,
                            .style = expert ? "expert" : c.style,
                            .policy = policy,
                            .transitions = c.rows,
                            .episodes = c.expert_episodes,
                            .noise = expert ? c.expert_noise : c.data_noise,
                            .new_goal = c.body != "ant",
                            .seed = o_.common.seed};
    const EnvSpec direction = load_physics("AntDirection", packages_)->spec;
    const auto walk = [&]() -> Walk {
      if (c.body == "point") return point_walk();
      return ant_walk(network_controller(policy, direction));
    };
    static_cast<void>(
        generate(g, load_physics(task_of(c), packages_), walk,
                 {.out = file, .stop = [] { return StopSignal::flag().load(); }, .warning = warn}));
  }

  [[nodiscard]] ImitateObserver observer(const ImitateConfig& c) const {
    const std::string name = name_of(c);
    ImitateObserver out;
    out.stop = [] { return StopSignal::flag().load(); };
    out.warning = [name](const std::string& w) {
      warn(fmt::format("{}: passed over {}", name, w));
    };
    if (o_.common.json || !one_by_one(o_.jobs) || ::isatty(STDERR_FILENO) == 0) return out;
    out.progress = [name, &c](int phase, std::int64_t step, const Diagnostics&) {
      fmt::print(stderr, "\r\x1b[K{}: phase {} step {}/{}", name, phase, step,
                 phase == 1 ? c.pretrain_steps : c.steps);
    };
    return out;
  }

  [[nodiscard]] std::optional<Run> learn(const ImitateConfig& c) const {
    const auto start = std::chrono::steady_clock::now();
    const ImitationSets sets =
        prepare_sets(read_offline(data_file(c, false)), read_offline(data_file(c, true)), c);
    make_folder(folder_of(c));
    const ImitateResult r = imitate(
        c, sets, load_physics(task_of(c), packages_),
        {.checkpoints = folder_of(c), .checkpoint_every = o_.checkpoint_every}, observer(c));
    if (r.end == ImitateEnd::kInterrupted) return {};
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return Run{.key = key_of(c),
               .measures = r.measures,
               .failed = r.end == ImitateEnd::kDiverged,
               .error = r.problem,
               .seconds = seconds.count()};
  }

  void conclude(const Run& run) const {
    const auto c = std::ranges::find(runs_, run.key, [this](const auto& r) { return key_of(r); });
    std::error_code ignored;
    fs::remove_all(folder_of(*c), ignored);
    if (o_.common.json) return;
    const auto success = std::ranges::find(run.measures, "final_success", &Measure::metric);
    fmt::print(stderr, "{}: {}, {:.0f} s\n", name_of(*c),
               run.failed ? run.error : fmt::format("success {:.2f}", success->value), run.seconds);
  }

  void report(const std::vector<Run>& runs) const {
    const std::vector<ImitateRow> rows = imitate_rows(runs, suite_);
    const std::string table = imitate_table(rows);
    const fs::path out = o_.out;
    write_text_file(out / "imitate.md", table);
    std::vector<fs::path> stores = {out / "imitate.db"};
    if (!o_.heatmap.empty()) stores.emplace_back(o_.heatmap);
    const std::vector<ReportSection> sections = deep_sections(stores);
    const fs::path page = write_deep_report(sections, out / "report");
    if (o_.common.json) {
      fmt::print("{}", report_json(sections));
    } else {
      fmt::print("{}\n{}{}\n", table, verdict_lines(sections), page.string());
    }
  }

  const ImitateOptions& o_;
  const ImitateSuite& suite_;
  std::vector<ImitateConfig> runs_;
  fs::path packages_;
  std::string experiment_;
};

}  // namespace

void add_imitate(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<ImitateOptions>();
  CLI::App* command =
      app.add_subcommand("imitate", "Latent behavioural cloning on the mazes: runs, table, page");
  command->footer(
      "Examples:\n"
      "  speder deep imitate --suite quick --out runs/imitate\n"
      "  speder deep imitate --suite quick --layout large --method speder --method bc --seeds 2 "
      "--out runs/two\n"
      "  speder deep imitate --suite reduced --layout medium --style diverse --out runs/ant\n"
      "  speder deep imitate --suite paper --policy policy.h5 --out runs/paper\n"
      "  mpirun -n 9 speder deep imitate --suite quick --out runs/imitate   rank 0 schedules, "
      "eight learn\n"
      "  speder deep imitate --layout large --style diverse --method speder --data d.h5 --expert "
      "e.h5 --out runs/mine\n\n"
      "Methods: speder speder-nonorm bc trail-ebm trail-linear opal spirl skild. Phase 1 learns a\n"
      "representation and an action decoder on the offline data, phase 2 clones 10 expert episodes "
      "in\nthe latent space. Finished runs are in imitate.db and are not repeated; an interrupted\n"
      "command goes on from its checkpoints. The folder gets imitate.md and report/index.html, "
      "which\nspeder deep report makes again without running anything.\n"
      "Exit code 0: all runs are done; 1: some of them failed; 130: stopped by a signal; 2: bad "
      "input.");
  add_common(*command, o->common);
  command
      ->add_option("--suite", o->suite,
                   "quick (PointMaze), reduced or paper (AntMaze), or a TOML file")
      ->capture_default_str();
  command->add_option("--layout", o->layouts, "medium or large, again for more (default: suite's)");
  command->add_option("--style", o->styles, "diverse or play (default: the suite's)");
  command->add_option("--method", o->methods, "Method, again for more (default: all)");
  command->add_option("--seeds", o->seeds, "Seeds per method (default: the suite's)")
      ->check(CLI::Range(1, 1000));
  command->add_option("--jobs", o->jobs, "Runs at the same time (not under mpirun)")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  command->add_option("--data", o->data, "Offline data (D4RL or Minari) instead of generated ones");
  command->add_option("--expert", o->expert, "Expert data to go with --data");
  command->add_option("--policy", o->policy,
                      "The ant's walking policy, to generate its data (default: the one that comes "
                      "with the program)");
  command->add_option("--heatmap", o->heatmap,
                      "Folder of speder deep heatmap, for a section of the page");
  command->add_option("--set", o->set, "Any setting of the suite, as key=value; may be repeated");
  command->add_option("--checkpoint-every", o->checkpoint_every, "Steps between checkpoints")
      ->capture_default_str()
      ->check(CLI::Range(1, 2'000'000'000));
  command->add_option("--out", o->out, "Folder of results, data and checkpoints")->required();
  command->add_flag("--retry-failed", o->retry_failed, "Makes the runs again that failed before");
  command->callback([o, &exit_code] {
    const ImitateSuite suite = read_suite(*o, true);
    exit_code = Suite(*o, suite).run();
  });
}

}  // namespace speder::deep::cli
