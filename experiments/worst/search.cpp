#include "speder/experiments/worst/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "speder/core/check.hpp"
#include "speder/core/parallel.hpp"
#include "speder/sweep/grid_cell.hpp"
#include "speder/sweep/stop_signal.hpp"

namespace speder::worst {
namespace {

constexpr const char* kExperiment = "worst";
constexpr const char* kStore = "search.db";
constexpr std::size_t kParents = 6;   // the worst so far have children
constexpr double kFreshShare = 0.25;  // of a generation is drawn anew
constexpr double kNever = 0;          // stored for a run that did not get there
constexpr double kCensored = 2;       // a run that did not get there counts as this many budgets

struct Tried {
  Genes genes;
  std::vector<double> ends;  // episodes of each run, ∞ when it did not get there
  [[nodiscard]] double score(Index budget) const {  // mean of log N
    double total = 0;
    for (const double n : ends) {
      total += std::log(std::min(n, kCensored * static_cast<double>(budget)));
    }
    return total / static_cast<double>(ends.size());
  }
};
std::vector<std::size_t> by_score(const std::vector<Tried>& all, Index budget) {
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return all[i].score(budget) > all[j].score(budget);
  });
  return order;
}

std::string settings_text(const SearchOptions& o) {
  const Setting& s = o.setting;
  std::string values;
  for (const Index v : o.values) values += fmt::format("{}{}", values.empty() ? "" : ", ", v);
  return fmt::format(
      "kind = \"{}\"\naxis = \"{}\"\nvalues = [{}]\nrank = {}\nactions = {}\nclass_size = {}\n"
      "gamma = {}\nepsilon = {}\ndelta = {}\noverlap = {}\nc_alpha = {}\nc_lambda = {}\n"
      "episodes = {}\nruns = {}\nfinals = {}\nfinal_runs = {}\nfresh_runs = {}\n",
      s.kind, o.axis, values, s.rank, s.actions, s.class_size, s.gamma, s.epsilon, s.delta,
      s.overlap, s.c_alpha, s.c_lambda, s.episodes, o.runs, o.finals, o.final_runs, o.fresh_runs);
}

// One search: the store, and what it already holds.
class Hunt {
 public:
  Hunt(const SearchOptions& options, const std::function<void(const SweepProgress&)>& progress)
      : o_(options), progress_(progress), store_(ResultStore::open(options.out / kStore)) {
    // `planned` stays 0: a larger budget goes on with the same store.
    record_ = {
        .id = kExperiment, .config = settings_text(o_), .seed = o_.seed, .build = this_build()};
    store_.declare(record_);
    for (Run& run : store_.runs(kExperiment)) {
      const RunKey key = run.key;
      held_.emplace(key, std::move(run));
    }
    const auto values = static_cast<Index>(o_.values.size());
    total_ = values * (o_.budget + std::min(o_.finals, o_.budget) + o_.fresh_runs);
  }

  /// False: stopped or an obstacle.
  bool at(Index value, WorstInstance& found) {
    const Setting s = setting_at(o_, value);
    found.value = value;
    std::vector<Tried> all;
    while (static_cast<Index>(all.size()) < o_.budget) {
      if (!generation(s, value, all)) return false;
    }
    found.tried = o_.budget;
    found.typical = typical_;
    // The best few again, on more seeds; the winner, on seeds that chose nothing.
    std::vector<std::size_t> order = by_score(all, s.episodes);
    order.resize(std::min(order.size(), static_cast<std::size_t>(o_.finals)));
    std::vector<Tried> finals;
    for (const std::size_t i : order) finals.push_back({all[i].genes, {}});
    if (!make(s, "final", value, 0, o_.final_runs, finals)) return false;
    const Tried& winner = finals[by_score(finals, s.episodes).front()];
    found.genes = winner.genes;
    found.searched = run_quantile(winner.ends, 1 - s.delta).n;
    std::vector<Tried> fresh(static_cast<std::size_t>(o_.fresh_runs), {winner.genes, {}});
    if (!make(s, "fresh", value, 0, 1, fresh)) return false;
    std::vector<double> ends;
    for (const Tried& t : fresh) ends.push_back(t.ends.front());
    found.fresh = run_quantile(ends, 1 - s.delta);
    found.stuck = std::count_if(ends.begin(), ends.end(), [](double n) { return std::isinf(n); });
    return true;
  }
  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }

 private:
  [[nodiscard]] SeedTree seeds(std::string_view phase, Index value) const {
    return SeedTree(o_.seed).child(phase, static_cast<std::uint64_t>(value));
  }

  // The next kGeneration instances: all drawn anew at first, later most are children of the worst.
  bool generation(const Setting& s, Index value, std::vector<Tried>& all) {
    const Index first = static_cast<Index>(all.size());
    const Index count = std::min(kGeneration, o_.budget - first);
    const std::vector<std::size_t> order = by_score(all, s.episodes);  // whole generations alone
    std::vector<Tried> born;
    std::vector<double> scores;
    for (Index i = 0; i < count; ++i) {
      Rng rng = seeds("instance", value).stream("genes", static_cast<std::uint64_t>(first + i));
      const bool anew = rng.uniform() < kFreshShare || order.empty();
      const auto parent = static_cast<std::size_t>(rng.index(
          static_cast<Index>(std::min(kParents, std::max<std::size_t>(order.size(), 1)))));
      born.push_back({anew ? random_genes(s, rng) : mutated(all[order[parent]].genes, rng), {}});
    }
    if (!make(s, "search", value, first, o_.runs, born)) return false;
    if (first == 0) {
      for (const Tried& t : born) scores.push_back(std::exp(t.score(s.episodes)));
      std::sort(scores.begin(), scores.end());
      typical_ = scores[scores.size() / 2];
    }
    for (Tried& t : born) all.push_back(std::move(t));
    return true;
  }

  // Runs of instances first, first + 1, … that the store does not have; fills their `ends`.
  bool make(const Setting& s, const std::string& phase, Index value, Index first, Index runs,
            std::vector<Tried>& instances) {
    Sweep sweep;
    sweep.record = record_;
    GridCell cell;
    cell.set(o_.axis, static_cast<double>(value)).set("phase", phase);
    // What a larger budget chooses is something else.
    if (phase != "search") cell.set("budget", static_cast<double>(o_.budget));
    for (std::size_t i = 0; i < instances.size(); ++i) {
      sweep.runs.push_back({kExperiment, cell.key(), first + static_cast<Index>(i)});
    }
    const auto missing = [&](const RunKey& key) { return !held_.contains(key); };
    if (std::any_of(sweep.runs.begin(), sweep.runs.end(), missing)) {
      const RunTask task = [&](std::int64_t i) {
        const RunKey key = sweep.runs[static_cast<std::size_t>(i)];
        try {
          Run run{.key = key};
          const Genes& genes = instances[static_cast<std::size_t>(i)].genes;
          const SeedTree own =
              seeds(phase, value).child("run", static_cast<std::uint64_t>(key.repetition));
          for (Index r = 0; r < runs; ++r) {
            const double n =
                episodes_needed(s, genes, own.child("learner", static_cast<std::uint64_t>(r)));
            run.measures.push_back({"episodes", r, std::isinf(n) ? kNever : n});
          }
          if (phase != "fresh") {
            for (std::size_t g = 0; g < genes.size(); ++g) {
              run.measures.push_back({"gene", static_cast<std::int64_t>(g), genes[g]});
            }
          }
          return Outcome{.run = std::move(run)};
        } catch (...) {
          return outcome_of_exception(key, 0);
        }
      };
      const Workers workers = thread_workers(o_.jobs, task);
      const SweepResult result = run_sweep(
          store_, sweep, workers, StopSignal::flag(),
          {.progress =
               [&](const SweepProgress& p) {
                 if (progress_)
                   progress_({.total = total_, .done = before_ + p.done, .failed = p.failed});
               },
           .stored = [&](const Run& run) { held_.insert_or_assign(run.key, run); }});
      if (!result.complete) {
        obstacle_ = result.obstacle;
        return false;
      }
    }
    before_ += static_cast<Index>(sweep.runs.size());
    for (std::size_t i = 0; i < instances.size(); ++i) {
      const Run& run = held_.at(sweep.runs[i]);
      if (run.failed) throw InputError(fmt::format("worst: {}", run.error));
      for (const Measure& m : run.measures) {
        if (m.metric != "episodes") continue;
        instances[i].ends.push_back(m.value == kNever ? std::numeric_limits<double>::infinity()
                                                      : m.value);
      }
    }
    return true;
  }

  const SearchOptions& o_;
  const std::function<void(const SweepProgress&)>& progress_;
  ResultStore store_;
  ExperimentRecord record_;
  std::map<RunKey, Run> held_;
  std::string obstacle_;
  double typical_ = 0;
  Index total_ = 0;
  Index before_ = 0;
};

}  // namespace

Setting setting_at(const SearchOptions& options, Index value) {
  Setting s = options.setting;
  (options.axis == "d" ? s.rank : s.actions) = value;
  return s;
}

void require_valid(const SearchOptions& o) {
  if (o.axis != "d" && o.axis != "A")
    throw InputError(fmt::format("worst: no axis '{}'; there are d and A", o.axis));
  if (o.values.empty()) throw InputError("worst: --values needs at least one value of the axis");
  for (std::size_t i = 1; i < o.values.size(); ++i) {
    if (o.values[i] <= o.values[i - 1])
      throw InputError(fmt::format("worst: --values must increase, {} does not", o.values[i]));
  }
  for (const Index value : o.values) require_valid(setting_at(o, value));
}

SearchReport search(const SearchOptions& options,
                    const std::function<void(const SweepProgress&)>& progress) {
  require_valid(options);
  const StopSignal signal;
  Hunt hunt(options, progress);
  SearchReport report;
  report.theory = options.axis == "d" ? 4 : 2;
  for (const Index value : options.values) {
    WorstInstance found;
    if (!hunt.at(value, found)) {
      report.obstacle = hunt.obstacle();
      return report;
    }
    report.worst.push_back(std::move(found));
  }
  report.complete = true;
  std::vector<ScalingPoint> points;
  for (const WorstInstance& w : report.worst) {
    ScalingPoint p;
    p.x = Vector::Constant(1, std::log(static_cast<double>(w.value)));
    p.censored = std::isinf(w.fresh.n);
    p.log_n = std::log(p.censored ? static_cast<double>(options.setting.episodes) : w.fresh.n);
    p.variance = w.fresh.log_variance;
    points.push_back(p);
  }
  report.fit = fit_scaling(points);
  report.judgement = judge_scaling(report.fit, 0, report.theory);
  return report;
}

QuantilePoint measure(const Setting& setting, const Genes& genes, Index runs, std::uint64_t seed,
                      int jobs) {
  std::vector<double> ends(static_cast<std::size_t>(runs));
  const SeedTree seeds = SeedTree(seed).child("measure");
  parallel_for(runs, jobs, [&](Index r) {
    ends[static_cast<std::size_t>(r)] =
        episodes_needed(setting, genes, seeds.child("learner", static_cast<std::uint64_t>(r)));
  });
  return run_quantile(ends, 1 - setting.delta);
}

}  // namespace speder::worst
