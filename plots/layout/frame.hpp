#pragma once

#include "speder/plots/layout/marks.hpp"

// A panel's axes, ticks and words around its box. Private to the layout.
namespace speder {

/// The colours of heat maps that share a name share their range.
struct HeatRange {
  double low = 0, high = 1;
};

/// What a panel needs around its box, in points.
struct PanelPlan {
  const Panel* panel = nullptr;
  AxisMap x = {}, y = {};
  std::vector<Tick> y_ticks = {};
  std::vector<std::string> title = {}, x_label = {}, y_label = {};
  bool slanted = false;   // the names of its bars
  double name_width = 0;  // of a line of such a name, in font sizes
  HeatRange heat = {};
  bool colour_bar = false;
  double left = 0, right = 0, top = 0, bottom = 0;
  double from = 0, to = 0;  // the panel's part of the page's width: no words lie beyond it
};

/// Everything but the places; `letter` stands before the title, and the box is about that large.
[[nodiscard]] PanelPlan plan_panel(const Panel& panel, const std::string& letter,
                                   double panel_width, double box_width, double box_height,
                                   double unit, HeatRange heat, bool colour_bar);

/// Draws the panel with its marks into the box left by the margins.
void add_panel(Scene& scene, PanelPlan plan, Box box, double unit,
               const std::map<std::string, int>& references);

}  // namespace speder
