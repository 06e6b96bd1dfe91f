#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "speder/experiments/learn/behaviour.hpp"
#include "speder/experiments/learn/problem.hpp"
#include "speder/learning/bonus.hpp"
#include "speder/learning/representation.hpp"
#include "speder/mdp/classes/candidate_class.hpp"
#include "speder/mdp/families/instance.hpp"
#include "speder/plots/layout/scene.hpp"
#include "speder/sweep/grid_cell.hpp"

namespace speder::cli {

/// What `speder learn` is told, whichever of its three commands.
struct LearnOptions {
  std::string mdp_file;
  InstanceSpec family;
  std::vector<std::string> knobs;
  std::optional<double> gamma;
  ClassSpec class_spec;
  std::string class_weights = "uniform";
  std::uint64_t class_seed = 1;
  std::string save_class;  // file for the class in use
  std::string save_data;   // offline: file for the data in use
  std::vector<std::string> algorithms = {"speder"};
  std::string algorithm = "speder";  // the one that runs
  std::string bonus = "theory";
  std::optional<double> c_alpha;   // absent: as `bonus` says
  std::optional<double> c_lambda;  // likewise
  double delta = 0.1;
  std::string replan = "every";
  std::string criterion = "least-squares";
  std::string data = "iid";  // offline: a file, or empty
  BehaviourSpec behaviour;
  Index amount = 10'000;  // episodes or transitions
  std::uint64_t seed = 1;
  int seeds = 1;  // seed, seed + 1, …: each a run of its own
  int jobs = 0;   // runs at once
  std::string out;
  std::optional<std::string> plot;  // empty text: a name is made up
  PictureStyle style = {};
  bool json = false;
  bool profile = false;
};

void add_mdp_options(CLI::App& app, LearnOptions& options);
void add_class_options(CLI::App& app, LearnOptions& options);
void add_bonus_options(CLI::App& app, LearnOptions& options);
void add_behaviour_options(CLI::App& app, LearnOptions& options);
/// --algorithm, --seeds, --jobs: what several runs at once need.
void add_several_options(CLI::App& app, LearnOptions& options);
void add_output_options(CLI::App& app, LearnOptions& options);

/// Without blanks and '=', which a cell's values do not have.
[[nodiscard]] std::string word(std::string text);
[[nodiscard]] bool is_h5(const std::string& name);
/// InputError naming the option unless the name is empty or ends in .h5.
void require_h5(std::string_view option, const std::string& name);
/// Constants of the kind, overridden where given.
[[nodiscard]] BonusConstants constants_of(const LearnOptions& options);
[[nodiscard]] Criterion criterion_of(const LearnOptions& options);
/// The criterion as a setting, where it is not the usual one.
void add_criterion_cell(const LearnOptions& options, GridCell& cell);
/// The MDP of --mdp or --family. InputError unless exactly one is given, or when --gamma
/// contradicts the file.
[[nodiscard]] std::shared_ptr<const TabularMdp> mdp_of(LearnOptions& options);
/// --class-weights: uniform over pairs, or the occupancy of the uniform policy.
void set_class_weights(const TabularMdp& mdp, LearnOptions& options);
/// The class around the MDP, or that of the file that --class names; saved where --save-class says.
[[nodiscard]] LearnProblem problem_of(std::shared_ptr<const TabularMdp> mdp,
                                      const LearnOptions& options);
/// MDP and class as settings of a run.
[[nodiscard]] GridCell problem_cell(const LearnOptions& options, const TabularMdp& mdp);
void add_behaviour_cell(const LearnOptions& options, GridCell& cell);

}  // namespace speder::cli
