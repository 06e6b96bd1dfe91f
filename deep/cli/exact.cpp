#include "speder/deep/exact/compare.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "speder/cli/program.hpp"
#include "speder/core/check.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/deep/cli/training.hpp"
#include "speder/sweep/stop_signal.hpp"

namespace speder::deep::cli {
namespace {

struct ExactOptions {
  Common common;
  TrainingOptions training;
  std::string file;
  int observation = 0;
  int class_size = 256;
};

TrainConfig exact_config(const ExactOptions& o, const std::string& env, const TabularMdp& mdp) {
  const std::string text = override_text(o.training);
  TrainConfig c = read_train_config(
      preset_path(o.training.preset),
      text + fmt::format("env = \"{}\"\nalgorithm = \"speder\"\nseed = {}\n", env, o.common.seed));
  const ConfigTable given = ConfigTable::parse(text, "command line");
  if (!given.has("feature_dim")) c.agent.feature_dim = static_cast<int>(mdp.rank());
  if (!given.has("discount")) c.agent.discount = mdp.gamma();
  return c;
}

/// Trains in memory; `data` gets every step.
Agent trained(const TrainConfig& c, const std::shared_ptr<const Physics>& physics, LiveLine& line,
              std::vector<Step>& data) {
  const ExactMdp& exact = *physics->exact;
  TrainObserver observer = line.observer();
  observer.step = [&](const EnvStep& s) {
    const Index chosen = std::max_element(s.action.begin(), s.action.end()) - s.action.begin();
    data.push_back({state_of_observation(exact, s.observation) * exact.mdp->actions() + chosen,
                    state_of_observation(exact, s.next_observation)});
  };
  const StopSignal signal;
  const TrainResult result = train(c, physics, {}, observer);
  line.end();
  if (result.end == TrainEnd::kInterrupted) throw Interrupted("interrupted");
  if (result.end == TrainEnd::kDiverged) throw InputError("stopped: " + result.problem);
  const Agent agent = make_agent(c.agent, physics->spec, at::kCPU, SeedTree(c.seed).child("agent"));
  const at::NoGradGuard no_grad;
  const auto tensors = agent.tensors();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].tensor.detach().copy_(result.tensors[i].tensor.detach());
  }
  return agent;
}

nlohmann::json optional_number(const std::optional<double>& x) {
  return x ? nlohmann::json(*x) : nlohmann::json();
}

void print_json(const ExactOptions& o, const ExactReport& r) {
  nlohmann::json rows = nlohmann::json::array();
  const auto list = [](const auto& v) { return std::vector<double>(v.begin(), v.end()); };
  for (const ExactRow& row : r.rows) {
    rows.push_back({{"name", row.name},
                    {"angles", row.angles},
                    {"singular_values", list(row.singular_values)},
                    {"kernel_error", row.kernel_error},
                    {"plan_gap", row.plan_gap},
                    {"policy_gap", optional_number(row.policy_gap)},
                    {"greedy_gap", optional_number(row.greedy_gap)}});
  }
  const nlohmann::json out = {{"mdp", o.file},
                              {"rank", r.rank},
                              {"steps", r.steps},
                              {"pairs_seen", r.pairs_seen},
                              {"best", r.best},
                              {"uniform", r.uniform},
                              {"singular_values", list(r.singular_values)},
                              {"rows", rows}};
  fmt::print("{}\n", speder::cli::json_text(out));
}

void print_text(const ExactOptions& o, const TabularMdp& mdp, const ExactReport& r) {
  fmt::print("{}: |S| = {}, |A| = {}, rank {}, discount {:g}\n", o.file, mdp.states(),
             mdp.actions(), r.rank, mdp.gamma());
  fmt::print("{} steps of data, {} of {} pairs seen; J* = {:.4f}, uniform policy {:.4f}\n\n",
             r.steps, r.pairs_seen, mdp.pairs(), r.best, r.uniform);
  fmt::print("{:<10}{:>15}{:>12}{:>12}{:>12}{:>12}\n", "", "largest angle", "error of P",
             "gap: plan", "actor", "greedy Q");
  const auto shown = [](const std::optional<double>& x) {
    return x ? fmt::format("{:.4f}", *x) : std::string("-");
  };
  for (const ExactRow& row : r.rows) {
    fmt::print("{:<10}{:>14.2f}°{:>12.4f}{:>12.4f}{:>12}{:>12}\n", row.name, row.angles.back(),
               row.kernel_error, row.plan_gap, shown(row.policy_gap), shown(row.greedy_gap));
  }
  fmt::print("\nsingular values of P* and of each estimate:\n");
  const auto values = [](const std::string& name, const Vector& v) {
    std::string text;
    for (Index i = 0; i < std::min<Index>(v.size(), 8); ++i) text += fmt::format(" {:.4f}", v[i]);
    fmt::print("{:<10}{}{}\n", name, text, v.size() > 8 ? " …" : "");
  };
  values("truth", r.singular_values);
  for (const ExactRow& row : r.rows) values(row.name, row.singular_values);
}

void run(const ExactOptions& o) {
  const std::string env =
      fmt::format("mdp{}:{}", o.observation > 0 ? std::to_string(o.observation) : "", o.file);
  const auto physics = load_physics(env, {});
  const TabularMdp& mdp = *physics->exact->mdp;
  const TrainConfig config = exact_config(o, env, mdp);
  LiveLine line(config, !o.common.json);
  std::vector<Step> data;
  const Agent agent = trained(config, physics, line, data);
  const ExactReport report = compare_with_truth(
      mdp, data,
      {deep_model(agent, *physics->exact, data), spectral_model(mdp, data),
       class_model(mdp, data, o.class_size, SeedTree(o.common.seed).child("class"))});
  o.common.json ? print_json(o, report) : print_text(o, mdp, report);
}

}  // namespace

void add_exact(CLI::App& app) {
  auto o = std::make_shared<ExactOptions>();
  o->training.preset = "exact";
  CLI::App* command =
      app.add_subcommand("exact", "Deep SPEDER on an exact MDP, its factors beside the true ones");
  command->footer(
      "Examples:\n"
      "  speder mdp make --family simplex --states 20 --actions 3 --rank 3 --out m.h5\n"
      "  speder deep exact m.h5 --steps 6000\n"
      "  speder deep exact m.h5 --observation 16 --set feature_dim=8\n\n"
      "Trains on the MDP (as: train --env mdp:m.h5) and compares the learned P with the true one:\n"
      "angles between their leading singular functions, the error of P over the data, and how far\n"
      "the policy planned in it, the actor's and the one greedy in Q are from the best. Beside it\n"
      "least squares on the same data over all kernels of the MDP's rank (spectral) and over a\n"
      "finite class with the truth in it (class).");
  add_common(*command, o->common);
  add_training(*command, o->training);
  command->add_option("FILE", o->file, "An MDP, as written by: speder mdp make")->required();
  command
      ->add_option("--observation", o->observation,
                   "States are seen as this many fixed Gaussian numbers (0: as unit vectors)")
      ->capture_default_str()
      ->check(CLI::Range(0, 4096));
  command->add_option("--class-size", o->class_size, "Kernels in the finite class")
      ->capture_default_str()
      ->check(CLI::Range(2, 1'000'000));
  command->callback([o] { run(*o); });
}

}  // namespace speder::deep::cli
