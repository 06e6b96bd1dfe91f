#pragma once

#include <string>

#include "speder/plots/render/render.hpp"

// The marks of a panel as gnuplot data blocks and plot clauses. Private to gnuplot_script.cpp.
namespace speder {

struct GnuplotMarks {
  std::string data;     // $blocks of numbers
  std::string clauses;  // "plot …"
};

[[nodiscard]] GnuplotMarks gnuplot_marks(const Panel& panel, int number, Picture format);
/// Colours, labels and ranges of a heat map.
[[nodiscard]] std::string gnuplot_heat_settings(const HeatMap& heat);
/// Names of the groups of bars under the axis, slanted where they would run into one another.
[[nodiscard]] std::string gnuplot_bar_settings(const Panel& panel);
/// Lines the slanted names need below an ordinary tic's.
[[nodiscard]] double gnuplot_bar_label_rows(const Panel& panel);

}  // namespace speder
