#include "speder/plots/layout/clip.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace speder {
namespace {

constexpr double kEdge = 1e-6;  // points: a number on the edge of the box counts as inside

// The part of a segment inside the box, as shares of its length (Liang and Barsky 1984).
std::optional<std::pair<double, double>> inner_part(Point a, Point b, const Box& box) {
  double from = 0, to = 1;
  const std::array<std::pair<double, double>, 4> sides = {{{a.x - b.x, a.x - box.x0 + kEdge},
                                                           {b.x - a.x, box.x1 + kEdge - a.x},
                                                           {a.y - b.y, a.y - box.y0 + kEdge},
                                                           {b.y - a.y, box.y1 + kEdge - a.y}}};
  for (const auto& [p, q] : sides) {
    if (p == 0) {
      if (q < 0) return {};
      continue;
    }
    const double t = q / p;
    if (p < 0) from = std::max(from, t);
    if (p > 0) to = std::min(to, t);
  }
  if (from > to) return {};
  return std::pair{from, to};
}

Point between(Point a, Point b, double t) { return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}; }
bool number(Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

// Cuts off what has side(p) < 0.
template <class Side>
Path cut(const Path& area, Side side) {
  Path out;
  for (std::size_t i = 0; i < area.size(); ++i) {
    const Point a = area[i], b = area[(i + 1) % area.size()];
    const double da = side(a), db = side(b);
    if (da >= 0) out.push_back(a);
    if ((da >= 0) != (db >= 0)) out.push_back(between(a, b, da / (da - db)));
  }
  return out;
}

}  // namespace

bool inside(const Box& box, Point p) {
  return p.x >= box.x0 - kEdge && p.x <= box.x1 + kEdge && p.y >= box.y0 - kEdge &&
         p.y <= box.y1 + kEdge;
}

std::vector<Path> clip_line(const Path& line, const Box& box) {
  std::vector<Path> out;
  bool open = false;  // the last piece goes on
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const Point a = line[i], b = line[i + 1];
    const auto part = number(a) && number(b) ? inner_part(a, b, box) : std::nullopt;
    if (!part) {
      open = false;
      continue;
    }
    if (!open || part->first > 0) out.push_back({between(a, b, part->first)});
    out.back().push_back(between(a, b, part->second));
    open = part->second == 1;
  }
  return out;
}

Path clip_area(const Path& area, const Box& box) {
  Path out;
  for (const Point p : area) {
    if (number(p)) out.push_back(p);
  }
  out = cut(out, [&](Point p) { return p.x - box.x0; });
  out = cut(out, [&](Point p) { return box.x1 - p.x; });
  out = cut(out, [&](Point p) { return p.y - box.y0; });
  return cut(out, [&](Point p) { return box.y1 - p.y; });
}

}  // namespace speder
