#pragma once

#include <string>
#include <vector>

#include "speder/plots/analysis.hpp"
#include "speder/stats/scaling.hpp"

namespace speder {

/// A setting that moves, as the number that N is a power of.
struct StudyAxis {
  std::string setting;  // rank, actions, …
  std::string symbol;   // d, |A|, …
};
[[nodiscard]] StudyAxis study_axis(const std::string& setting);
[[nodiscard]] double axis_value(const std::string& setting, double value);  // d, |A|, 1/(1−γ), …

struct StudyCell {
  std::vector<double> x;  // one an axis
  QuantilePoint n;        // N(ε, δ); infinite: beyond the budget
  double budget = 0;
  int runs = 0, ended = 0;
  bool has_control = false;
  QuantilePoint control = {};  // of the same learner without its bonus
};

/// One learner on one family along one or two axes, from stored rows.
struct ScalingStudy {
  std::string name;  // what sets it apart from the others of the store
  std::vector<StudyAxis> axes = {};
  std::vector<StudyCell> cells = {};  // by x
  double delta = 0.1;
  std::vector<ScalingPoint> points = {};  // one a cell
  ScalingFit fit = {};
  HeldOutPoint held_out = {};
  ScalingGate gate = {};
  bool controlled = false;
  std::vector<double> theory = {};  // empty, or one an axis
  std::vector<ScalingJudgement> verdicts = {};
};
[[nodiscard]] std::vector<ScalingStudy> scaling_studies(const ExperimentData& data);

/// Findings, tables and caveats of a study, and its figures.
void add_study(const ScalingStudy& study, std::size_t number, ExperimentReport& out);
[[nodiscard]] std::vector<Figure> study_figures(const std::vector<ScalingStudy>& studies);

}  // namespace speder
