#include "speder/plots/layout/marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "speder/plots/layout/clip.hpp"

namespace speder {
namespace {

constexpr double kBand = 0.18, kFitBand = 0.22;  // opacities
constexpr double kBarFill = 0.92;                // of a bar's place
constexpr int kMarkers = 8;
using Kind = Paint::Kind;

Paint series_paint(int colour, double opacity = 1) {
  return {.kind = Kind::kSeries, .series = colour, .opacity = opacity};
}

// Later series are smaller: where two come near, the one below is seen around the one above.
double marker_size(const Series& s, double unit) {
  constexpr double kLargest = 0.33, kStep = 0.02;
  constexpr int kSteps = 4;
  return unit * (kLargest - kStep * std::min(s.colour, kSteps));
}

Path regular(Point at, double r, int corners, double turn) {
  Path out;
  for (int i = 0; i < corners; ++i) {
    const double a = turn + 2 * std::numbers::pi * i / corners;
    out.push_back({at.x + r * std::sin(a), at.y - r * std::cos(a)});
  }
  return out;
}

Outline marker_shape(Marker marker, Point at, double r, int colour, bool hollow) {
  Outline out{.closed = true, .stroke = {.paint = series_paint(colour), .width = 0.9}};
  out.fill = hollow ? Paint{.kind = Kind::kPage} : series_paint(colour);
  // An edge of the page's colour: where two marks coincide, the smaller one is seen on the larger.
  if (!hollow) out.stroke = {.paint = {.kind = Kind::kPage}, .width = 0.5};
  constexpr double kSide = 1.25, kTriangle = 1.55, kCorner = 1.35, kArm = 1.05;  // of equal area
  const auto cross = [&](double x, double y) {
    out.closed = false;
    out.fill = {};
    out.stroke = {.paint = series_paint(colour), .width = hollow ? 0.7 : 1.3};
    out.paths = {{{at.x - x, at.y - y}, {at.x + x, at.y + y}},
                 {{at.x - y, at.y + x}, {at.x + y, at.y - x}}};
  };
  switch (marker) {
    case Marker::kCircle:
      out.paths = {{at}};
      out.radius = r;
      break;
    case Marker::kSquare:
      out.paths = {regular(at, r * kSide, 4, std::numbers::pi / 4)};
      break;
    case Marker::kUp:
      out.paths = {regular(at, r * kTriangle, 3, 0)};
      break;
    case Marker::kDiamond:
      out.paths = {regular(at, r * kCorner, 4, 0)};
      break;
    case Marker::kDown:
      out.paths = {regular(at, r * kTriangle, 3, std::numbers::pi)};
      break;
    case Marker::kCross:
      cross(r * kArm, r * kArm);
      break;
    case Marker::kPlus:
      cross(r * kCorner, 0);
      break;
    case Marker::kPentagon:
      out.paths = {regular(at, r * kSide, 5, 0)};
      break;
  }
  return out;
}

Point place_of(const PanelPlace& p, double x, double y) { return {p.x(x), p.y(y)}; }

void add_line(Scene& scene, const Path& line, const PanelPlace& place, Stroke stroke,
              std::string_view role) {
  std::vector<Path> pieces = clip_line(line, place.box);
  if (pieces.empty()) return;
  scene.add(Outline{.paths = std::move(pieces), .stroke = std::move(stroke), .role = role});
}

void add_band(Scene& scene, const std::vector<double>& x, const std::vector<double>& low,
              const std::vector<double>& high, const PanelPlace& place, int colour,
              double opacity) {
  Path area;
  for (std::size_t i = 0; i < x.size(); ++i) area.push_back(place_of(place, x[i], high[i]));
  for (std::size_t i = x.size(); i-- > 0;) area.push_back(place_of(place, x[i], low[i]));
  Path shown = clip_area(area, place.box);
  if (shown.size() < 3) return;
  scene.add(Outline{.paths = {std::move(shown)},
                    .closed = true,
                    .fill = series_paint(colour, opacity),
                    .role = "band"});
}

std::string note_of(const std::string& label, double x, double y, const std::string& rest = "") {
  return fmt::format("{}{}x = {}, y = {}{}", label, label.empty() ? "" : ": ", x, y, rest);
}

void add_whisker(Scene& scene, double x, double low, double high, const PanelPlace& place,
                 Paint paint) {
  const double half = 0.16 * place.unit;
  const double at = place.x(x), bottom = std::min(place.y(low), place.box.y1),
               top = std::max(place.y(high), place.box.y0);
  if (at < place.box.x0 || at > place.box.x1 || !(top <= bottom)) return;
  scene.add(Outline{.paths = {{{at, bottom}, {at, top}},
                              {{at - half, bottom}, {at + half, bottom}},
                              {{at - half, top}, {at + half, top}}},
                    .stroke = {.paint = paint, .width = 0.8},
                    .role = "interval"});
}

// For every point of series `k` the number of series drawn later that have a point at its place, two at most.
std::vector<int> covers(const Panel& panel, std::size_t k, const PanelPlace& place) {
  const Series& below = panel.series[k];
  constexpr int kMost = 2;
  const double near = 0.22 * place.unit;
  std::vector<int> out(below.x.size(), 0);
  for (std::size_t l = k + 1; l < panel.series.size(); ++l) {
    const Series& above = panel.series[l];
    if (below.faint || above.faint || (above.mark == Mark::kLine) != (below.mark == Mark::kLine))
      continue;
    Path places;
    for (std::size_t i = 0; i < above.x.size(); ++i)
      places.push_back(place_of(place, above.x[i], above.y[i]));
    std::ranges::sort(places, {}, &Point::x);
    for (std::size_t i = 0; i < below.x.size(); ++i) {
      const Point at = place_of(place, below.x[i], below.y[i]);
      if (out[i] == kMost) continue;
      for (auto p = std::ranges::lower_bound(places, at.x - near, {}, &Point::x);
           p != places.end() && p->x <= at.x + near; ++p) {
        if (std::abs(p->y - at.y) > near) continue;
        ++out[i];
        break;
      }
    }
  }
  return out;
}

void add_points(Scene& scene, const Series& s, const PanelPlace& place,
                const std::vector<int>& covered) {
  constexpr double kRim = 0.11;  // font sizes: what is seen of a mark around one that covers it
  constexpr std::size_t kMost = 400;  // places to point at on one line
  const bool line = s.mark == Mark::kLine || s.faint;
  if (line && s.x.size() > kMost) return;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    const Point at = place_of(place, s.x[i], s.y[i]);
    if (!inside(place.box, at)) continue;
    const std::string bounds = s.low.empty() ? "" : fmt::format(" [{}, {}]", s.low[i], s.high[i]);
    Outline shape = line ? Outline{.paths = {{at}}, .closed = true, .radius = 0.45 * place.unit}
                         : marker_shape(marker_of(s.colour), at,
                                        marker_size(s, place.unit) + kRim * place.unit * covered[i],
                                        s.colour, s.censored);
    shape.role = line ? "hit" : "point";
    shape.note = note_of(s.label, s.x[i], s.y[i], bounds + (s.censored ? ", only a bound" : ""));
    scene.add(std::move(shape));
  }
}

Stroke series_stroke(const Series& s) {
  if (s.faint) return {.paint = {.kind = Kind::kFaint}, .width = 0.6};
  return {.paint = series_paint(s.colour),
          .width = s.mark == Mark::kLine ? 1.3 : 1.1,
          .dash = dash_of(s.colour)};
}

void add_series(Scene& scene, const Panel& panel, std::size_t k, const PanelPlace& place) {
  const Series& s = panel.series[k];
  const std::vector<int> covered = covers(panel, k, place);
  const bool points = s.mark == Mark::kPoints;
  if (!s.low.empty() && s.mark == Mark::kLine)
    add_band(scene, s.x, s.low, s.high, place, s.colour, kBand);
  if (!s.low.empty() && s.mark != Mark::kLine && !s.censored) {
    for (std::size_t i = 0; i < s.x.size(); ++i)
      add_whisker(scene, s.x[i], s.low[i], s.high[i], place, series_paint(s.colour));
  }
  if (!points) {
    Path line;
    for (std::size_t i = 0; i < s.x.size(); ++i) line.push_back(place_of(place, s.x[i], s.y[i]));
    Stroke stroke = series_stroke(s);
    // A line under others all along its way is seen on both sides of them.
    constexpr double kWider = 1.2;
    if (!covered.empty()) stroke.width += kWider * std::ranges::min(covered);
    add_line(scene, line, place, std::move(stroke), "series");
  }
  add_points(scene, s, place, covered);
}

void add_fit(Scene& scene, const FitLine& f, const PanelPlace& place) {
  constexpr int kSteps = 32;  // a power law is straight on log-log axes and curved on others
  add_band(scene, f.band_x, f.band_low, f.band_high, place, f.colour, kFitBand);
  Path line;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = f.from * std::pow(f.to / f.from, static_cast<double>(i) / kSteps);
    line.push_back(place_of(place, x, value(f, x)));
  }
  if (place.x.log && place.y.log) line = {line.front(), line.back()};
  add_line(scene, line, place,
           {.paint = series_paint(f.colour), .width = 1.2, .dash = dash_of(f.colour)}, "fit");
}

void add_references(Scene& scene, const Panel& panel, const PanelPlace& place,
                    const std::map<std::string, int>& numbers) {
  int number = 0;
  for (const ReferenceLine& r : panel.references) {
    if (!r.label.empty()) number = numbers.at(r.label);
    Path line, area;
    for (std::size_t i = 0; i < r.x.size(); ++i) line.push_back(place_of(place, r.x[i], r.y[i]));
    if (!r.low.empty()) {
      for (std::size_t i = 0; i < r.x.size(); ++i)
        area.push_back(place_of(place, r.x[i], r.high[i]));
      for (std::size_t i = r.x.size(); i-- > 0;) area.push_back(place_of(place, r.x[i], r.low[i]));
      if (Path shown = clip_area(area, place.box); shown.size() > 2)
        scene.add(Outline{.paths = {std::move(shown)},
                          .closed = true,
                          .fill = {.kind = Kind::kNeutral, .opacity = kBand},
                          .role = "band"});
    }
    add_line(scene, line, place,
             {.paint = {.kind = Kind::kNeutral}, .width = 1.1, .dash = reference_dash(number)},
             "theory");
  }
}

// Lines across a filled box: told apart where colours are not.
void add_hatch(Scene& scene, const Box& box, int colour, double unit) {
  const double gap = 0.42 * unit;
  std::vector<Path> lines;
  const auto slant = [&](double direction) {
    for (double c = -box.height(); c < box.width() + box.height(); c += gap) {
      const double x = box.x0 + c;
      const Path line = {{x, direction > 0 ? box.y1 : box.y0},
                         {x + box.height(), direction > 0 ? box.y0 : box.y1}};
      for (Path& piece : clip_line(line, box)) lines.push_back(std::move(piece));
    }
  };
  switch (colour % kColours) {
    case 1:
      slant(1);
      break;
    case 2:
      for (double y = box.y1 - gap; y > box.y0; y -= gap)
        lines.push_back({{box.x0, y}, {box.x1, y}});
      break;
    case 3:
      slant(-1);
      break;
    case 4:
      slant(1);
      slant(-1);
      break;
    case 5:
      for (double x = box.x0 + gap; x < box.x1; x += gap)
        lines.push_back({{x, box.y0}, {x, box.y1}});
      break;
    default:
      return;
  }
  if (!lines.empty())
    scene.add(Outline{.paths = std::move(lines),
                      .stroke = {.paint = series_paint(colour), .width = 0.6},
                      .role = "hatch"});
}

void add_filled(Scene& scene, const Box& box, int colour, double unit, std::string note,
                int key = -1) {
  constexpr double kFill = 0.45;
  if (!(box.width() > 0)) return;
  const Path corners = {{box.x0, box.y0}, {box.x1, box.y0}, {box.x1, box.y1}, {box.x0, box.y1}};
  scene.add(Outline{.paths = {corners},
                    .closed = true,
                    .stroke = {.paint = series_paint(colour), .width = 0.7},
                    .fill = series_paint(colour, kFill),
                    .role = key < 0 ? "bar" : "key",
                    .key = key,
                    .note = std::move(note)});
  if (box.height() > 0) add_hatch(scene, box, colour, unit);
}

void add_columns(Scene& scene, const Panel& panel, const PanelPlace& place) {
  const auto floor = [&](double y) { return std::clamp(place.y(y), place.box.y0, place.box.y1); };
  for (const Histogram& h : panel.histograms) {
    for (std::size_t k = 0; k < h.heights.size(); ++k) {
      const Box box{place.x(h.edges[k]), floor(h.heights[k]), place.x(h.edges[k + 1]),
                    floor(place.y.log ? place.y.low : 0)};
      add_filled(scene, box, h.colour, place.unit, note_of(h.label, h.edges[k], h.heights[k]));
    }
  }
  for (const DrawnBar& b : drawn_bars(panel)) {
    const double half = b.width * kBarFill / 2, top = floor(b.bar->value), zero = floor(0);
    const auto& [low, high] = b.bar->interval;
    add_filled(scene,
               {place.x(b.x - half), std::min(top, zero), place.x(b.x + half), std::max(top, zero)},
               b.bar->colour, place.unit,
               note_of(b.name, b.x, b.bar->value, fmt::format(" [{}, {}]", low, high)));
    add_whisker(scene, b.x, low, high, place, {.kind = Kind::kText});
    for (std::size_t i = 0; i < b.points_x.size(); ++i) {
      scene.add(Outline{.paths = {{place_of(place, b.points_x[i], b.bar->points[i])}},
                        .closed = true,
                        .stroke = {.paint = {.kind = Kind::kText}, .width = 0.6},
                        .radius = 0.17 * place.unit,
                        .role = "sample",
                        .note = note_of(b.name, b.x, b.bar->points[i])});
    }
  }
}

}  // namespace

Marker marker_of(int colour) { return static_cast<Marker>(colour % kMarkers); }

std::vector<double> dash_of(int colour) {
  // Twice as many as colours: a line of the second round is told from all others in grey as well.
  static const std::array<std::vector<double>, 12> kDashes = {{{},
                                                               {5, 2},
                                                               {1.4, 1.6},
                                                               {6, 1.8, 1.4, 1.8},
                                                               {2.8, 1.4},
                                                               {7, 1.6, 1.4, 1.6, 1.4, 1.6},
                                                               {10, 3},
                                                               {1.2, 3.4},
                                                               {10, 2, 3.5, 2},
                                                               {4, 1.2, 4, 4},
                                                               {3.5, 3.5},
                                                               {10, 1.5, 1.4, 1.5, 3.5, 1.5}}};
  return kDashes[static_cast<std::size_t>(colour) % kDashes.size()];
}

std::vector<double> reference_dash(int k) {
  static const std::array<std::vector<double>, 4> kDashes = {
      {{7, 4}, {1.2, 2.4}, {7, 2.5, 1.2, 2.5}, {3.5, 3.5}}};
  return kDashes[static_cast<std::size_t>(k) % kDashes.size()];
}

std::map<std::string, int> reference_numbers(const Figure& figure) {
  std::map<std::string, int> out, kinds;
  for (const Panel& panel : figure.panels) {
    for (const ReferenceLine& r : panel.references) {
      // "theory: slope 0.5" and "theory: slope 0.6" are one kind of line.
      if (!r.label.empty())
        kinds.try_emplace(r.label.substr(0, r.label.find(':')), static_cast<int>(kinds.size()));
      if (!r.label.empty()) out[r.label] = kinds.at(r.label.substr(0, r.label.find(':')));
    }
  }
  return out;
}

bool KeyEntry::looks_like(const KeyEntry& o) const {
  if (kind != o.kind || colour != o.colour) return false;
  return kind != Kind::kSeries ||
         (series.colour == o.series.colour && series.mark == o.series.mark &&
          series.censored == o.series.censored && series.faint == o.series.faint);
}

std::vector<KeyEntry> key_entries(const Figure& figure) {
  std::vector<KeyEntry> out;
  const auto numbers = reference_numbers(figure);
  // A name that has points in one panel and a line in another is one entry with both.
  const auto one_name = [](const KeyEntry& a, const KeyEntry& b) {
    if (a.label != b.label || a.kind != b.kind || a.colour != b.colour) return false;
    return a.series.colour == b.series.colour && a.series.censored == b.series.censored &&
           a.series.faint == b.series.faint;
  };
  const auto put = [&](KeyEntry entry, std::size_t panel) {
    if (entry.label.empty()) return;
    const auto same =
        std::ranges::find_if(out, [&](const KeyEntry& e) { return one_name(e, entry); });
    if (same != out.end() && same->series.mark != entry.series.mark)
      same->series.mark = Mark::kLinePoints;
    KeyEntry& to = same == out.end() ? out.emplace_back(std::move(entry)) : *same;
    if (to.panels.empty() || to.panels.back() != static_cast<int>(panel))
      to.panels.push_back(static_cast<int>(panel));
  };
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Panel& panel = figure.panels[p];
    for (const Series& s : panel.series) {
      Series look = s;
      look.x = look.y = {};
      put({.kind = KeyEntry::Kind::kSeries, .label = s.label, .series = std::move(look)}, p);
    }
    for (const Histogram& h : panel.histograms)
      put({.kind = KeyEntry::Kind::kFilled, .label = h.label, .colour = h.colour}, p);
    for (const DrawnBar& b : drawn_bars(panel))
      put({.kind = KeyEntry::Kind::kFilled, .label = b.bar->label, .colour = b.bar->colour}, p);
    for (const FitLine& f : panel.fits)
      put({.kind = KeyEntry::Kind::kFit,
           .label = f.label,
           .colour = f.colour,
           .band = !f.band_x.empty()},
          p);
    for (const ReferenceLine& r : panel.references) {
      if (!r.label.empty())
        put({.kind = KeyEntry::Kind::kReference,
             .label = r.label,
             .colour = numbers.at(r.label),
             .band = !r.low.empty()},
            p);
    }
  }
  return out;
}

void add_marks(Scene& scene, const Panel& panel, const PanelPlace& place,
               const std::map<std::string, int>& references) {
  add_columns(scene, panel, place);
  add_references(scene, panel, place, references);
  for (std::size_t k = 0; k < panel.series.size(); ++k) {
    if (panel.series[k].faint) add_series(scene, panel, k, place);
  }
  for (const FitLine& f : panel.fits) add_fit(scene, f, place);
  for (std::size_t k = 0; k < panel.series.size(); ++k) {
    if (!panel.series[k].faint) add_series(scene, panel, k, place);
  }
}

void add_sample(Scene& scene, const KeyEntry& entry, int number, Point middle, double width,
                double unit) {
  const Box box{middle.x - width / 2, middle.y - unit * 0.32, middle.x + width / 2,
                middle.y + unit * 0.32};
  const Path line = {{box.x0, middle.y}, {box.x1, middle.y}};
  const auto put_line = [&](Stroke stroke, const Paint& band) {
    if (band.kind != Kind::kNone)
      scene.add(Outline{
          .paths = {{{box.x0, box.y0}, {box.x1, box.y0}, {box.x1, box.y1}, {box.x0, box.y1}}},
          .closed = true,
          .fill = band,
          .role = "band"});
    scene.add(Outline{.paths = {line}, .stroke = std::move(stroke), .role = "key", .key = number});
  };
  switch (entry.kind) {
    case KeyEntry::Kind::kFilled:
      add_filled(scene, {middle.x - unit * 0.55, box.y0, middle.x + unit * 0.55, box.y1},
                 entry.colour, unit, "", number);
      return;
    case KeyEntry::Kind::kFit:
      put_line({.paint = series_paint(entry.colour), .width = 1.2, .dash = dash_of(entry.colour)},
               entry.band ? series_paint(entry.colour, kFitBand) : Paint{});
      return;
    case KeyEntry::Kind::kReference:
      put_line(
          {.paint = {.kind = Kind::kNeutral}, .width = 1.1, .dash = reference_dash(entry.colour)},
          entry.band ? Paint{.kind = Kind::kNeutral, .opacity = kBand} : Paint{});
      return;
    case KeyEntry::Kind::kSeries:
      break;
  }
  const Series& s = entry.series;
  const bool band = !s.low.empty() && s.mark == Mark::kLine;
  if (s.mark != Mark::kPoints)
    put_line(series_stroke(s), band ? series_paint(s.colour, kBand) : Paint{});
  if (s.mark == Mark::kLine || s.faint) return;
  Outline marker =
      marker_shape(marker_of(s.colour), middle, marker_size(s, unit), s.colour, s.censored);
  marker.role = "key";
  marker.key = number;
  scene.add(std::move(marker));
}

}  // namespace speder
