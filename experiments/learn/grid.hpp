#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/mdp/file/class_file.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"
#include "speder/sweep/grid_cell.hpp"
#include "speder/sweep/store.hpp"

namespace speder {

/// A number that a learning run may be given, alone or as a list.
struct LearnNumber {
  std::string_view name;
  double fallback;  // NaN: not set
  double low, high;
  bool whole;
  std::string_view symbol;  // of the axis; empty: a list of it makes separate studies
};
/// states, actions, rank, gamma, …; knobs of families come besides, as knob_<name>.
[[nodiscard]] const std::vector<LearnNumber>& learn_numbers();

[[nodiscard]] bool offline_only(std::string_view number);
[[nodiscard]] bool of_family(std::string_view number);  // an MDP file has its own

/// `speder learn` over lists of anything: the grid is the product of all lists.
struct LearnGrid {
  bool offline = false;
  std::string mdp;  // a file, or else:
  std::vector<std::string> families;
  std::vector<std::string> algorithms = {"speder"};
  std::vector<std::string> classes;  // kinds, or files beside a file; empty: the family's own
  std::vector<std::string> criteria = {"least-squares"};
  std::vector<std::string> replan = {"every"};                      // online
  std::vector<std::string> behaviours = {"uniform"};                // offline
  std::map<std::string, std::vector<double>, std::less<>> numbers;  // absent: the fallback
  std::vector<std::string> axes = {};  // settings in the order of `theory`; empty: all lists
  std::vector<double> theory = {};     // exponents, one an axis; of `metric` in n without epsilon
  std::string metric = "regret";       // what is judged and drawn against n without epsilon
  bool control = true;                 // beside each learner the same one without its bonus
};

/// The class of a family when none is named: needle's product class, or multiscale.
[[nodiscard]] std::string_view own_class(std::string_view family);

/// Settings with more than one value that can be scaled along, in the order of learn_numbers(), knobs
/// last.
[[nodiscard]] std::vector<std::string> scaled_settings(const LearnGrid& grid);

/// All cells, learners first. InputError when a name, a number or a combination is refused by anyone
/// who will have to deal with it; each instance is made once to see.
[[nodiscard]] std::vector<GridCell> learn_cells(LearnGrid& grid);

/// The files of a grid, read once: the library that reads them is not for several threads.
struct LearnFiles {
  std::shared_ptr<const TabularMdp> mdp = {};
  std::map<std::string, StoredClass, std::less<>> classes = {};
};
/// InputError when a file is bad or a class is for another MDP.
[[nodiscard]] LearnFiles read_files(const LearnGrid& grid);

/// One run of a cell: its own instance, class and samples, all from the seeds. With a setting epsilon it
/// ends when the gap is at most that: `end` is N. Online the gap is that of the mixture of all
/// policies so far, offline that of the learned one, from N to the last checkpoint.
[[nodiscard]] std::vector<Measure> run_learn_cell(const GridCell& cell, std::int64_t repetition,
                                                  const SeedTree& seeds,
                                                  const LearnFiles& files = {});

}  // namespace speder
