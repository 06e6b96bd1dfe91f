#pragma once

#include <string>
#include <vector>

#include "speder/experiments/rates/needle_report.hpp"

// The pictures of the (d, |A|) map.
namespace speder {

inline constexpr double kTheoryRank = 4, kTheoryActions = 2;  // [thm:pac_online]

[[nodiscard]] double rank_axis(const NeedleCell& cell);
[[nodiscard]] double actions_axis(const NeedleCell& cell);
/// All values of an axis, ascending, and the cells that have one of them.
[[nodiscard]] std::vector<double> axis_values(const NeedleCells& cells, NeedleAxis axis);
[[nodiscard]] NeedleCells cells_where(const NeedleCells& cells, NeedleAxis axis, double value);

struct NamedFit {
  std::string name;
  ScalingFit fit;
};

struct MapPictures {
  const NeedleCurves& curves;
  const std::vector<NamedFit>& fits;  // the printed learner's first
  const HeldOutPoint& held_out;       // of the printed cells
  double reference_rank, reference_actions;
};
/// Heat map with contours, a cross with the controls, exponents with the collapse.
[[nodiscard]] std::vector<Figure> map_figures(const MapPictures& map);

}  // namespace speder
