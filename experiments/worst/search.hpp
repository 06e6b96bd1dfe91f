#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "speder/experiments/worst/genome.hpp"
#include "speder/stats/scaling.hpp"
#include "speder/sweep/run_sweep.hpp"

namespace speder::worst {

/// Search, at each value of an axis, for the instance on which the online learner needs most episodes.
struct SearchOptions {
  Setting setting;         // the axis' own number in it is not used
  std::string axis = "d";  // d or A
  std::vector<Index> values = {3, 4, 5, 6, 7, 8};
  Index budget = 256;  // instances at each value
  Index runs = 4;      // of each instance while searching
  Index finals = 6;    // the best of them are measured again …
  Index final_runs = 12;
  Index fresh_runs = 40;  // … and the winner on seeds that chose nothing
  std::uint64_t seed = 1;
  int jobs = 1;
  std::filesystem::path out;  // a folder: store, worst instances, report
};
/// InputError, in one line, for what cannot be searched. Nothing is started.
void require_valid(const SearchOptions& options);
[[nodiscard]] Setting setting_at(const SearchOptions& options, Index value);

/// The worst instance at one value.
struct WorstInstance {
  Index value = 0;
  Index tried = 0;
  double typical = 0;   // median over random instances of their N, search seeds
  double searched = 0;  // N(ε, δ) of the winner as chosen: selection makes it too large
  QuantilePoint fresh;  // N(ε, δ) of the winner on fresh seeds
  Index stuck = 0;      // fresh runs that did not get there
  Genes genes;
};

struct SearchReport {
  std::vector<WorstInstance> worst;
  ScalingFit fit;
  double theory = 0;  // exponent of thm:pac_online in the axis
  ScalingJudgement judgement;
  bool complete = false;      // false: stopped, or there was an obstacle
  std::string obstacle = {};  // why, when it was not told to stop
};

/// Makes what the store does not have. Instance i of a value depends on the seed and on the instances
/// before it in generations of kGeneration, never on --jobs or interruptions.
inline constexpr Index kGeneration = 16;
[[nodiscard]] SearchReport search(const SearchOptions& options,
                                  const std::function<void(const SweepProgress&)>& progress = {});

/// N(ε, δ) of given genes on seeds of the caller's.
[[nodiscard]] QuantilePoint measure(const Setting& setting, const Genes& genes, Index runs,
                                    std::uint64_t seed, int jobs);

}  // namespace speder::worst
