#pragma once

#include "speder/plots/layout/scene.hpp"

// Geometry inside a box: what lies outside is cut off, not moved to its edge.
namespace speder {

/// The pieces of a line inside the box; points that are not numbers break it.
[[nodiscard]] std::vector<Path> clip_line(const Path& line, const Box& box);
/// The outline of a filled area inside the box (Sutherland and Hodgman 1974); empty: nothing is inside.
[[nodiscard]] Path clip_area(const Path& area, const Box& box);
[[nodiscard]] bool inside(const Box& box, Point p);

}  // namespace speder
