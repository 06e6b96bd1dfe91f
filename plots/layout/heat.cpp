#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "speder/plots/layout/clip.hpp"
#include "speder/plots/layout/marks.hpp"

namespace speder {
namespace {

// Viridis: monotone in lightness, so that it also reads in grey.
constexpr std::array<Rgb, 9> kHeat = {{{68, 1, 84},
                                       {71, 44, 122},
                                       {59, 81, 139},
                                       {44, 113, 142},
                                       {33, 144, 141},
                                       {39, 173, 129},
                                       {92, 200, 99},
                                       {170, 220, 50},
                                       {253, 231, 37}}};
constexpr double kOverlap =
    0.2;  // points: cells drawn edge to edge would show the page between them

Path cell_outline(const PanelPlace& place, Index row, Index from, Index to) {
  const double x0 = place.x(static_cast<double>(from) - 0.5),
               x1 = place.x(static_cast<double>(to) + 0.5);
  const double y0 = place.y(static_cast<double>(row) + 0.5),
               y1 = place.y(static_cast<double>(row) - 0.5);
  const double right = std::min(x1 + kOverlap, place.box.x1),
               bottom = std::min(y1 + kOverlap, place.box.y1);
  return {{x0, y0}, {right, y0}, {right, bottom}, {x0, bottom}};
}

// Where the line between two values crosses the level, from `a` to `b`.
Point crossing(Point a, double va, Point b, double vb, double level) {
  const double t = (level - va) / (vb - va);
  return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}

}  // namespace

Rgb heat_colour(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (kHeat.size() - 1);
  const auto k = std::min(static_cast<std::size_t>(at), kHeat.size() - 2);
  const double t = at - static_cast<double>(k);
  const auto mix = [t](int a, int b) { return static_cast<int>(std::lround(a + t * (b - a))); };
  return {mix(kHeat[k].r, kHeat[k + 1].r), mix(kHeat[k].g, kHeat[k + 1].g),
          mix(kHeat[k].b, kHeat[k + 1].b)};
}

std::vector<Path> contour(const Matrix& values, double level) {
  std::vector<Path> out;
  for (Index i = 0; i + 1 < values.rows(); ++i) {
    for (Index j = 0; j + 1 < values.cols(); ++j) {
      const auto x = static_cast<double>(j), y = static_cast<double>(i);
      const std::array<Point, 4> at = {{{x, y}, {x + 1, y}, {x + 1, y + 1}, {x, y + 1}}};
      const std::array<double, 4> v = {values(i, j), values(i, j + 1), values(i + 1, j + 1),
                                       values(i + 1, j)};
      if (!std::ranges::all_of(v, [](double z) { return std::isfinite(z); })) continue;
      Path cuts;
      for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t next = (k + 1) % 4;
        if ((v[k] < level) != (v[next] < level))
          cuts.push_back(crossing(at[k], v[k], at[next], v[next], level));
      }
      // Two cuts are one line; at a saddle the four are joined as their order round the square has it.
      for (std::size_t k = 0; k + 1 < cuts.size(); k += 2) out.push_back({cuts[k], cuts[k + 1]});
    }
  }
  return out;
}

void add_heat(Scene& scene, const HeatMap& heat, const PanelPlace& place, double low, double high,
              const std::vector<double>& levels) {
  constexpr Index kFewCells = 900;  // each can be pointed at
  constexpr double kShades = 128;
  const bool few = heat.values.size() <= kFewCells;
  const auto shade = [&](double v) {
    return static_cast<int>(std::lround(std::clamp((v - low) / (high - low), 0.0, 1.0) * kShades));
  };
  std::map<int, Outline> by_shade;
  for (Index i = 0; i < heat.values.rows(); ++i) {
    for (Index j = 0; j < heat.values.cols(); ++j) {
      const double v = heat.values(i, j);
      if (!std::isfinite(v)) continue;  // left blank
      const int s = shade(v);
      Index last = j;
      while (!few && last + 1 < heat.values.cols() && std::isfinite(heat.values(i, last + 1)) &&
             shade(heat.values(i, last + 1)) == s)
        ++last;
      Outline cell{.paths = {cell_outline(place, i, j, last)},
                   .closed = true,
                   .fill = {.kind = Paint::Kind::kFixed, .rgb = heat_colour(s / kShades)},
                   .role = "cell"};
      if (few) {
        cell.note = fmt::format("{} / {}: {}", heat.rows[static_cast<std::size_t>(i)],
                                heat.columns[static_cast<std::size_t>(j)], v);
        scene.add(std::move(cell));
      } else if (const auto [at, added] = by_shade.try_emplace(s, cell); !added) {
        at->second.paths.push_back(cell.paths.front());
      }
      j = last;
    }
  }
  for (auto& [s, cells] : by_shade) scene.add(std::move(cells));
  constexpr double kBright = 0.6;  // of the scale: above, white lines would vanish
  for (const double level : levels) {
    const int grey = (level - low) / (high - low) < kBright ? 255 : 0;
    std::vector<Path> lines;
    for (const Path& line : contour(heat.values, level)) {
      Path drawn;
      for (const Point p : line) drawn.push_back({place.x(p.x), place.y(p.y)});
      for (Path& piece : clip_line(drawn, place.box)) lines.push_back(std::move(piece));
    }
    if (!lines.empty())
      scene.add(
          Outline{.paths = std::move(lines),
                  .stroke = {.paint = {.kind = Paint::Kind::kFixed, .rgb = {grey, grey, grey}},
                             .width = 0.9},
                  .role = "contour"});
  }
}

}  // namespace speder
