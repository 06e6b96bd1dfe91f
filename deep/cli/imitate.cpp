#include "deep/imitate/imitate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>

#include "core/check.hpp"
#include "core/grid_cell.hpp"
#include "core/parallel.hpp"
#include "deep/cli/command.hpp"
#include "deep/cli/imitate_report.hpp"
#include "deep/cli/training.hpp"
#include "deep/config.hpp"
#include "deep/data/generate.hpp"
#include "plots/render.hpp"

namespace speder::deep::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  Common common;
  std::string suite = "quick";
  std::vector<std::string> layouts, styles, methods, set;
  int seeds = 0;
  int jobs = 1;
  int checkpoint_every = 5000;
  std::string data, expert, policy, out;
};

std::string quoted_list(const char* key, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  std::string list;
  for (const std::string& w : words) list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", w);
  return fmt::format("{} = [{}]\n", key, list);
}

/// restricted: only what --layout, --style, --method and --seeds name.
ImitateSuite read_suite(const Options& o, bool restricted) {
  TrainingOptions set;
  set.set = o.set;
  std::string text = override_text(set);
  if (restricted) {
    text += quoted_list("layouts", o.layouts) + quoted_list("styles", o.styles) +
            quoted_list("methods", o.methods);
    if (o.seeds > 0) text += fmt::format("seeds = {}\n", o.seeds);
  }
  if (fs::is_regular_file(o.suite)) return read_imitate_suite(o.suite, text);
  if (o.suite != "quick" && o.suite != "paper") {
    throw InputError(
        fmt::format("no suite is called '{}' and no such file; there are: quick paper", o.suite));
  }
  return read_imitate_suite(preset_path("imitate_" + o.suite), text);
}

std::vector<ImitateConfig> grid(const Options& o, const ImitateSuite& suite) {
  std::vector<ImitateConfig> runs;
  for (const std::string& layout : suite.layouts) {
    for (const std::string& style : suite.styles) {
      for (int seed = 0; seed < suite.seeds; ++seed) {
        for (const std::string& method : suite.methods) {
          ImitateConfig c = suite.base;
          c.layout = layout;
          c.style = style;
          c.method = method;
          c.seed = o.common.seed + static_cast<std::uint64_t>(seed);
          runs.push_back(c);
        }
      }
    }
  }
  return runs;
}

std::string task_of(const ImitateConfig& c) {
  return fmt::format("{}-{}", c.body == "ant" ? "AntMaze" : "PointMaze", c.layout);
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
  Suite(const Options& o, const ImitateSuite& suite)
      : o_(o),
        suite_(suite),
        runs_(grid(o, suite)),
        packages_(packages_folder(o.common.packages)),
        experiment_("imitate-" + fs::path(o.suite).stem().string()) {
    if ((o.data.empty() != o.expert.empty()) ||
        (!o.data.empty() && suite.layouts.size() * suite.styles.size() != 1)) {
      throw InputError("--data and --expert go together, with one --layout and one --style");
    }
    fs::create_directories(o.out);
  }

  void run() {
    ResultStore store = ResultStore::open(fs::path(o_.out) / "imitate.db");
    ImitateConfig base = suite_.base;
    base.seed = o_.common.seed;
    store.declare({.id = experiment_,
                   .config = to_toml(base),
                   .seed = o_.common.seed,
                   .planned = std::ssize(grid(o_, read_suite(o_, false))),
                   .build = this_build()});
    const auto finished = store.finished(experiment_);
    const std::set<RunKey> done(finished.begin(), finished.end());
    const StopSignals signals;
    std::vector<const ImitateConfig*> open;
    for (const ImitateConfig& c : runs_) {
      if (!done.contains(key_of(c))) open.push_back(&c);
    }
    parallel_for(std::ssize(open), o_.jobs, [&](Index i) {
      if (!StopSignals::requested()) one(*open[static_cast<std::size_t>(i)], store);
    });
    if (StopSignals::requested()) throw InputError("interrupted; the same command goes on");
    report(store.runs(experiment_));
  }

 private:
  [[nodiscard]] RunKey key_of(const ImitateConfig& c) const {
    return {experiment_, cell_of(c).key(), static_cast<std::int64_t>(c.seed)};
  }

  /// The named files, or files of that kind made once in <out>/data.
  [[nodiscard]] fs::path data_file(const ImitateConfig& c, bool expert) {
    if (!o_.data.empty()) return expert ? o_.expert : o_.data;
    const std::string style = expert ? "expert" : c.style;
    const fs::path folder = fs::path(o_.out) / "data";
    fs::create_directories(folder);
    const fs::path file = folder / fmt::format("{}-{}.h5", task_of(c), style);
    const std::lock_guard lock(mutex_);
    if (fs::exists(file)) return file;
    if (c.body == "ant" && o_.policy.empty()) {
      throw InputError(
          "data of the ant need --policy (policy.h5 of: train --env AntDirection), or "
          "--data and --expert");
    }
    const GenerateOptions g{.body = c.body,
                            .layout = c.layout,
                            .style = style,
                            .policy = o_.policy,
                            .transitions = c.rows,
                            .episodes = c.expert_episodes,
                            .noise = expert ? c.expert_noise : c.data_noise,
                            .new_goal = c.body != "ant",
                            .seed = o_.common.seed};
    const EnvSpec direction = load_physics("AntDirection", packages_)->spec;
    const auto walk = [&]() -> Walk {
      if (c.body == "point") return point_walk();
      return ant_walk(network_policy(o_.policy, direction));
    };
    const GenerateResult made =
        generate(g, load_physics(task_of(c), packages_), walk,
                 {.out = file, .stop = [] { return StopSignals::requested(); }});
    if (!made.finished) throw InputError("interrupted; the same command goes on");
    return file;
  }

  void one(const ImitateConfig& c, ResultStore& store) {
    const auto start = std::chrono::steady_clock::now();
    const ImitationSets sets =
        prepare_sets(read_offline(data_file(c, false)), read_offline(data_file(c, true)), c);
    const std::string name = fmt::format("{} {} {} seed {}", task_of(c), c.style, c.method, c.seed);
    const fs::path folder =
        fs::path(o_.out) / "runs" /
        fmt::format("{}-{}-{}-{}-{}", task_of(c), c.style, c.method, hold(c), c.seed);
    fs::create_directories(folder);
    const bool shown = !o_.common.json;
    ImitateObserver observer;
    observer.stop = [] { return StopSignals::requested(); };
    observer.warning = [&](const std::string& w) {
      fmt::print(stderr, "speder-deep: warning: {}: passed over {}\n", name, w);
    };
    const bool terminal = shown && ::isatty(STDERR_FILENO) != 0;
    if (terminal) {
      observer.progress = [&](int phase, std::int64_t step, const Diagnostics&) {
        fmt::print(stderr, "\r\x1b[K{}: phase {} step {}/{}", name, phase, step,
                   phase == 1 ? c.pretrain_steps : c.steps);
      };
    }
    const ImitateResult r =
        imitate(c, sets, load_physics(task_of(c), packages_),
                {.checkpoints = folder, .checkpoint_every = o_.checkpoint_every}, observer);
    if (r.end == ImitateEnd::kInterrupted) return;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::lock_guard lock(mutex_);
    store.append({.key = key_of(c),
                  .measures = r.measures,
                  .failed = r.end == ImitateEnd::kDiverged,
                  .error = r.problem,
                  .seconds = seconds});
    fs::remove_all(folder);
    if (shown) {
      fmt::print(stderr, "{}{}: {}, {:.0f} s\n", terminal ? "\r\x1b[K" : "", name,
                 r.problem.empty() ? fmt::format("success {:.2f}", r.final_success) : r.problem,
                 seconds);
    }
  }

  void report(const std::vector<Run>& runs) const {
    const std::vector<ImitateRow> rows = imitate_rows(runs, suite_.base.final_episodes);
    if (rows.empty()) throw InputError("no run finished");
    const std::string table = imitate_table(rows);
    const fs::path base = fs::path(o_.out) / "imitate";
    std::ofstream(base.string() + ".md") << table;
    const Figure f = imitate_figure(rows, o_.suite);
    std::ofstream(base.string() + ".csv") << to_csv(f);
    render(f, Picture::kPng, base.string() + ".png");
    fmt::print("{}", table);
  }

  const Options& o_;
  const ImitateSuite& suite_;
  std::vector<ImitateConfig> runs_;
  fs::path packages_;
  std::string experiment_;
  std::mutex mutex_;
};

}  // namespace

void add_imitate(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "imitate", "Latent behavioural cloning on the mazes: runs, table, picture");
  command->footer(
      "Examples:\n"
      "  speder deep imitate --suite quick --out runs/imitate\n"
      "  speder deep imitate --suite quick --layout large --method speder --method bc --seeds 2 "
      "--out runs/two\n"
      "  speder deep imitate --suite paper --policy policy.h5 --out runs/ant\n"
      "  speder deep imitate --layout large --style diverse --method speder --data d.h5 --expert "
      "e.h5 --out runs/mine\n\n"
      "Methods: speder speder-nonorm bc trail-ebm trail-linear opal spirl skild. Phase 1 learns a\n"
      "representation and an action decoder on the offline data, phase 2 clones 10 expert episodes "
      "in\nthe latent space. Finished runs are in imitate.db and are not repeated; an interrupted\n"
      "command goes on from its checkpoints. The folder gets imitate.md, .csv and .png.");
  add_common(*command, o->common);
  command->add_option("--suite", o->suite, "quick, paper, or a TOML file")->capture_default_str();
  command->add_option("--layout", o->layouts, "medium or large, again for more (default: suite's)");
  command->add_option("--style", o->styles, "diverse or play (default: the suite's)");
  command->add_option("--method", o->methods, "Method, again for more (default: all)");
  command->add_option("--seeds", o->seeds, "Seeds per method (default: the suite's)")
      ->check(CLI::Range(1, 1000));
  command->add_option("--jobs", o->jobs, "Runs at the same time")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  command->add_option("--data", o->data, "Offline data (D4RL or Minari) instead of generated ones");
  command->add_option("--expert", o->expert, "Expert data to go with --data");
  command->add_option("--policy", o->policy, "The ant's walking policy, to generate its data");
  command->add_option("--set", o->set, "Any setting of the suite, as key=value; may be repeated");
  command->add_option("--checkpoint-every", o->checkpoint_every, "Steps between checkpoints")
      ->capture_default_str()
      ->check(CLI::Range(1, 2'000'000'000));
  command->add_option("--out", o->out, "Folder of results, data and checkpoints")->required();
  command->callback([o] {
    const ImitateSuite suite = read_suite(*o, true);
    Suite(*o, suite).run();
  });
}

}  // namespace speder::deep::cli
