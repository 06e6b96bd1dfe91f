// Classes of candidates, the learners over many seeds, and the judge of somebody else's learner.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "speder/core/check.hpp"
#include "speder/core/names.hpp"
#include "speder/core/parallel.hpp"
#include "speder/experiments/learn/session.hpp"
#include "speder/mdp/file/class_file.hpp"
#include "speder/oracle/exact.hpp"
#include "support.hpp"

namespace speder::python {
namespace {

using nb::literals::operator""_a;
using Numbers = std::map<std::string, double>;
using Words = std::map<std::string, std::string>;

/// An MDP and the class around it.
struct Problem {
  std::shared_ptr<const LearnProblem> held;
  [[nodiscard]] const CandidateClass& made() const { return held->model_class; }
};

Problem make_candidates(const Mdp& mdp, const std::string& kind, const Numbers& numbers,
                        const Words& words, std::uint64_t seed) {
  ClassSpec spec{.kind = kind};
  spec.size = static_cast<Index>(numbers.at("size"));
  spec.scales = static_cast<int>(numbers.at("scales"));
  spec.base = numbers.at("base");
  spec.radius = numbers.at("radius");
  spec.support = numbers.at("support");
  spec.precision = words.at("precision");
  const std::string& weights = words.at("weights");
  if (weights != "uniform" && weights != "occupancy")
    refuse_name("weights", weights, {"uniform", "occupancy"});
  const bool occupancy = weights == "occupancy";
  return without_lock({}, [held = mdp.held, spec, seed,
                           occupancy](const std::atomic<bool>&) mutable {
    if (occupancy) {
      const Policy uniform = Policy::uniform(held->states(), held->actions());
      spec.weights = uniform.joint(
          visitation({held->kernel(), held->reward(), held->gamma()}, held->rho(), uniform).mass);
    }
    return Problem{std::make_shared<const LearnProblem>(make_problem(held, spec, SeedTree(seed)))};
  });
}

// φ (|F| × S × A × d), μ (|F| × S × d), the base measure of the MDP.
Problem candidates_of(const Mdp& mdp, const Array& phi, const Array& mu,
                      std::optional<Index> truth) {
  const auto count = static_cast<Index>(phi.shape(0));
  const auto S = static_cast<Index>(phi.shape(1));
  const auto A = static_cast<Index>(phi.shape(2));
  const auto d = static_cast<Index>(phi.shape(3));
  if (truth && (*truth < 0 || *truth >= count))
    throw InputError(fmt::format("truth {}: the candidates are 0 .. {}", *truth, count - 1));
  if (S != mdp->states() || A != mdp->actions())
    throw InputError(fmt::format("the class is for |S|={}, |A|={}, the MDP has |S|={}, |A|={}", S,
                                 A, mdp->states(), mdp->actions()));
  const nb::gil_scoped_release free;
  std::vector<Kernel> kernels;
  for (Index c = 0; c < count; ++c) {
    try {
      kernels.emplace_back(
          A, Matrix(Eigen::Map<const Matrix>(phi.data() + c * S * A * d, S * A, d)),
          Matrix(Eigen::Map<const Matrix>(mu.data() + c * S * d, S, d)), mdp->kernel().nu());
    } catch (const std::invalid_argument& error) {
      throw InputError(fmt::format("candidate {}: {}", c, error.what()));
    }
  }
  return Problem{std::make_shared<const LearnProblem>(
      stored_problem(mdp.held, {FeatureClass::of(kernels), truth}, {}))};
}

/// What every run of one call shares.
struct RunSettings {
  bool online = true;
  Index amount = 1000;
  BonusConstants bonus;
  double delta = 0.1;
  Replan replan = Replan::kEvery;
  Criterion criterion = Criterion::kLeastSquares;
  BehaviourSpec behaviour;
  std::vector<Index> grid;
};

RunSettings settings_of(const Numbers& numbers, const Words& words, std::vector<Index> grid) {
  RunSettings out;
  out.online = words.at("mode") == "online";
  out.amount = static_cast<Index>(numbers.at("amount"));
  out.bonus = bonus_constants(words.at("bonus"));
  if (numbers.contains("c_alpha")) out.bonus.alpha = numbers.at("c_alpha");
  if (numbers.contains("c_lambda")) out.bonus.lambda = numbers.at("c_lambda");
  out.delta = numbers.at("delta");
  const std::string& replan = words.at("replan");
  if (replan != "every" && replan != "doubling")
    refuse_name("replan", replan, {"every", "doubling"});
  out.replan = replan == "every" ? Replan::kEvery : Replan::kDoubling;
  const std::string& criterion = words.at("criterion");
  if (criterion == "constrained") {
    out.criterion = Criterion::kConstrained;
  } else if (criterion != "least-squares") {
    refuse_name("criterion", criterion, {"least-squares", "constrained"});
  }
  out.behaviour = {.kind = words.at("behaviour"),
                   .epsilon = numbers.at("epsilon"),
                   .temperature = numbers.at("temperature"),
                   .omega = numbers.at("omega"),
                   .mix = numbers.at("mix"),
                   .c_star = numbers.at("c_star")};
  out.grid = std::move(grid);
  return out;
}

LearnOutcome one_run(const LearnProblem& problem, const RunSettings& s,
                     const std::string& algorithm, std::uint64_t seed, const LearnHooks& hooks) {
  TruthEvaluator truth(problem.mdp);
  if (s.online) {
    OnlineRun run{.algorithm = algorithm, .options = {}, .grid = s.grid, .seed = seed};
    run.options.episodes = s.amount;
    run.options.bonus = s.bonus;
    run.options.delta = s.delta;
    run.options.replan = s.replan;
    run.options.criterion = s.criterion;
    return run_online(problem, truth, run, hooks);
  }
  OfflineRun run{.algorithm = algorithm,
                 .options = {},
                 .transitions = s.amount,
                 .behaviour = s.behaviour,
                 .seed = seed};
  run.options.bonus = s.bonus;
  run.options.delta = s.delta;
  run.options.criterion = s.criterion;
  run.options.checkpoints = s.grid;
  return run_offline(problem, truth, run, hooks);
}

nb::object rows_of(const std::vector<LearnRow>& rows) {
  std::vector<double> table;
  std::size_t width = 0;
  for (const LearnRow& row : rows) {
    const auto named = columns(row);
    width = named.size();
    for (const auto& entry : named) table.push_back(entry.second);
  }
  return owned(std::move(table), {rows.size(), width});
}

nb::list column_names() {
  nb::list out;
  for (const auto& [name, value] : columns(LearnRow{}))
    out.append(nb::str(name.data(), name.size()));
  return out;
}

using RunName = std::pair<std::string, std::uint64_t>;  // learner, seed

nb::list learn(const Problem& problem, const std::vector<RunName>& runs, const Numbers& numbers,
               const Words& words, std::vector<Index> grid, int jobs) {
  const RunSettings settings = settings_of(numbers, words, std::move(grid));
  for (const auto& run : runs) {  // before any of them starts
    if (settings.online) {
      (void)online_algorithm(run.first);
    } else {
      (void)offline_algorithm(run.first);
    }
  }
  std::vector<std::optional<LearnOutcome>> outcomes =
      without_lock({.patient = true}, [=, held = problem.held](const std::atomic<bool>& stop) {
        std::vector<std::optional<LearnOutcome>> out(runs.size());
        const auto n = static_cast<Index>(runs.size());
        const LearnHooks hooks{.on_row = {}, .on_episode = [&](const LearnRow&) { return !stop; }};
        parallel_for(n, jobs, [&](Index i) {
          const auto k = static_cast<std::size_t>(i);
          if (!stop) out[k] = one_run(*held, settings, runs[k].first, runs[k].second, hooks);
        });
        return out;
      });
  nb::list out;
  for (const auto& outcome : outcomes) {
    const Policy& policy = outcome->result.policy;
    const Shape shape = {size(policy.states()), size(policy.actions())};
    out.append(nb::make_tuple(rows_of(outcome->rows), owned(policy.table(), shape),
                              outcome->behaviour.omega, outcome->behaviour.c_star));
  }
  return out;
}

/// The exact evaluator for a learner that is not ours: one policy an episode in, rows out.
class Judge {
 public:
  Judge(const Mdp& mdp, Index episodes, std::vector<Index> grid)
      : truth_(truth_of(mdp)),
        recorder_(truth_, nullptr,
                  {.grid = grid.empty() ? geometric_grid(episodes) : std::move(grid),
                   .online = true,
                   .data_policy = Policy::uniform(mdp->states(), mdp->actions())}) {}

  /// Whether `policy` is another one than last time is the caller's word: equal ones are not evaluated.
  void episode(const nb::object& given, Index n, bool changed, Index env_steps) {
    const Policy policy = changed || !last_
                              ? policy_of(given, truth_.mdp().states(), truth_.mdp().actions())
                              : *last_;
    const bool replanned = changed || !last_;
    last_ = policy;
    const nb::gil_scoped_release free;
    const Vector none;
    (void)recorder_({.n = n,
                     .policy = policy,
                     .replanned = replanned,
                     .bonus = none,
                     .value = none,
                     .env_steps = env_steps});
  }
  [[nodiscard]] nb::object rows() const { return rows_of(recorder_.rows()); }
  [[nodiscard]] double optimal_value() const { return truth_.optimal_value(); }

 private:
  static TruthEvaluator truth_of(const Mdp& mdp) {  // solves it
    return without_lock({.brief = brief(*mdp)}, [held = mdp.held](const std::atomic<bool>&) {
      return TruthEvaluator(held);
    });
  }
  TruthEvaluator truth_;
  LearnRecorder recorder_;
  std::optional<Policy> last_;
};

template <class Table>
nb::list names_and_descriptions(const Table& algorithms) {
  nb::list out;
  for (const auto& a : algorithms)
    out.append(nb::make_tuple(nb::str(a.name.data(), a.name.size()),
                              nb::str(a.description.data(), a.description.size())));
  return out;
}

}  // namespace

void add_learn(nb::module_& m) {
  nb::class_<Problem>(m, "Problem", "An MDP and a finite class of candidates.")
      .def_prop_ro("size", [](const Problem& p) { return p.made().candidates.size(); })
      .def_prop_ro("rank", [](const Problem& p) { return p.made().candidates.rank(); })
      .def_prop_ro("truth", [](const Problem& p) { return p.made().truth; })
      .def_prop_ro("distance", [](const Problem& p) { return owned(Vector(p.made().distance)); })
      .def("phi",
           [](const Problem& p, Index c) {
             const FeatureClass& F = p.made().candidates;
             if (c < 0 || c >= F.size()) throw nb::index_error();
             return owned(F.phi(c), {size(F.states()), size(F.actions()), size(F.rank())});
           })
      .def("mu",
           [](const Problem& p, Index c) {
             const FeatureClass& F = p.made().candidates;
             if (c < 0 || c >= F.size()) throw nb::index_error();
             return owned(F.mu(c), {size(F.states()), size(F.rank())});
           })
      .def("save", [](const Problem& p, const std::filesystem::path& path) {
        writing([&] { save_class(path, p.made().candidates, p.made().truth); });
      });
  m.def("make_candidates", &make_candidates, "mdp"_a, "kind"_a, "numbers"_a, "words"_a, "seed"_a);
  m.def("candidates_of", &candidates_of, "mdp"_a, "phi"_a, "mu"_a, "truth"_a.none());
  m.def("load_candidates", [](const Mdp& mdp, const std::filesystem::path& path) {
    return reading(path, [&] {
      return Problem{
          std::make_shared<const LearnProblem>(stored_problem(mdp.held, load_class(path), {}))};
    });
  });
  m.def("learn", &learn, "problem"_a, "runs"_a, "numbers"_a, "words"_a, "grid"_a, "jobs"_a);
  m.def("learn_columns", &column_names);
  m.def("online_algorithms", [] { return names_and_descriptions(online_algorithms()); });
  m.def("offline_algorithms", [] { return names_and_descriptions(offline_algorithms()); });
  nb::class_<Judge>(m, "Judge", "Rows of a learner from its policies, exact in the true MDP.")
      .def(nb::init<const Mdp&, Index, std::vector<Index>>())
      .def("episode", &Judge::episode)
      .def("rows", &Judge::rows)
      .def_prop_ro("optimal_value", &Judge::optimal_value);
}

}  // namespace speder::python
