#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "speder/plots/layout/clip.hpp"
#include "speder/plots/layout/marks.hpp"
#include "speder/plots/layout/rich_text.hpp"
#include "speder/plots/layout/ticks.hpp"
#include "speder/plots/render/render.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace layout_test {
namespace {

// "V^{π̂}" as V(π̂), lowered pieces in brackets.
std::string read_as(const std::string& label) {
  std::string out;
  for (const TextRun& r : rich_text(label)) {
    out += r.level == 0 ? r.text : r.level > 0 ? "(" + r.text + ")" : "[" + r.text + "]";
  }
  return out;
}

std::vector<std::string> labels(const Axis& axis, const std::vector<double>& values, int most = 8) {
  std::vector<std::string> out;
  for (const Tick& t : ticks_of(axis_range(axis, values), most)) {
    if (!t.label.empty()) out.push_back(t.label);
  }
  return out;
}

std::size_t count_role(const Scene& scene, std::string_view role) {
  std::size_t n = 0;
  for (const auto& item : scene.items) {
    n += std::visit([&](const auto& i) { return i.role == role; }, item) ? 1 : 0;
  }
  return n;
}

Figure two_panels(bool same_slope) {
  Panel a, b;
  a.series = {{.label = "measured", .x = {1, 2}, .y = {1, 2}}};
  a.fits = {{.label = "slope 1", .slope = 1, .from = 1, .to = 2}};
  b = a;
  if (!same_slope) b.fits[0].label = "slope 2";
  return {.id = "f", .caption = "", .panels = {a, b}, .columns = 2};
}

struct Range {
  double low = 1e9, high = -1e9;
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
};

// Where centred or turned words of a role lie along the page.
Range reach(const Scene& scene, std::string_view role) {
  Range out;
  for (const auto& item : scene.items) {
    const auto* w = std::get_if<Words>(&item);
    if (w == nullptr || w->role != role) continue;
    const double turn = w->angle * std::numbers::pi / 180,
                 width = text_width(w->text) * w->size * std::cos(turn);
    const double first = w->align == Align::kStart    ? w->at.x
                         : w->align == Align::kMiddle ? w->at.x - width / 2
                                                      : w->at.x - width;
    out.add(first);
    out.add(first + width);
  }
  return out;
}

Figure named_bars(const std::vector<std::string>& names) {
  Panel panel;
  for (const std::string& name : names)
    panel.bars.push_back({.label = name, .bars = {{.value = 1, .interval = {0.5, 1.5}}}});
  return {.id = "f", .caption = "", .panels = {panel}};
}

// All words of a role, joined as a reader joins the lines of one name.
std::string words_of(const Scene& scene, std::string_view role) {
  std::string out;
  for (const auto& item : scene.items) {
    if (const auto* w = std::get_if<Words>(&item); w != nullptr && w->role == role)
      out += w->text + " ";
  }
  return out;
}

}  // namespace

TEST_CASE("rich_text: raised and lowered as meant, names left alone", "[plots][layout]") {
  CHECK(read_as("V^π̂ ≤ V^{π*}") == "V(π̂) ≤ V(π*)");
  CHECK(read_as("d^3.19 |A|^2.13 (no unit)") == "d(3.19) |A|(2.13) (no unit)");
  CHECK(read_as("10^{−4}, x^-2, x^2.") == "10(−4), x(-2), x(2).");
  CHECK(read_as("c_α, c_{max}, π_b") == "c[α], c[max], π[b]");
  for (const char* plain : {"cheetah_run", "reward_model=false", "a_bc", "^", "x^", "x^{", "x^{}",
                            "_x", "x ^ y", "a__b"})
    CHECK(read_as(plain) == plain);
  CHECK(text_width("V^{ab}") < text_width("Vab"));
  CHECK(printable("a\nb\xff") == "a b?");
}

TEST_CASE("ticks: round numbers inside the range", "[plots][layout]") {
  const Axis linear, log{.scale = Scale::kLog};
  CHECK(labels(linear, {0.03, 0.97}, 6) ==
        std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(labels(linear, {-130, 40}, 6).front() == "−150");
  CHECK(labels(linear, {0, 3e6}, 4).back() == "3·10^{6}");
  CHECK(labels(log, {100, 20000}) == std::vector<std::string>{"10^{2}", "10^{3}", "10^{4}"});
  CHECK(labels(log, {120, 900}) ==
        std::vector<std::string>{"200", "300", "400", "500", "600", "700", "800", "900"});
  CHECK(labels(log, {0.0002, 0.4}).front() == "10^{−3}");
  CHECK(labels(log, {8, 20}) ==  // less than a decade: equal steps, not 8, 9, 10, 20
        std::vector<std::string>{"8", "10", "12", "14", "16", "18", "20", "22"});
  CHECK(labels(log, {128, 16'384}, 2) == std::vector<std::string>{"10^{3}", "10^{4}"});
  CHECK(labels(log, {30'000, 300'000}) ==  // one way of writing on one axis
        std::vector<std::string>{"5·10^{4}", "10^{5}", "2·10^{5}"});
  CHECK(labels(linear, {0, 2e5}, 4) ==
        std::vector<std::string>{"0", "5·10^{4}", "10^{5}", "1.5·10^{5}", "2·10^{5}"});
  for (const std::vector<double>& values :
       {std::vector<double>{5, 5}, {}, {NAN}, {1e-300, 1e300}, {0.1, 0.1000001}}) {
    for (const Axis& axis : {linear, log}) {
      const AxisMap map = axis_range(axis, values);
      CHECK(map.low < map.high);
      for (const Tick& t : ticks_of(map, 6))
        CHECK((t.at >= map.low * (1 - 1e-9) - 1e-12 && t.at <= map.high * (1 + 1e-9) + 1e-12));
    }
  }
}

TEST_CASE("clip: a line leaves at the edge and comes back; an area keeps its corners",
          "[plots][layout]") {
  const Box box{0, 0, 10, 10};
  const auto pieces = clip_line({{5, 5}, {5, 15}, {8, 15}, {8, 5}}, box);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].back().y == Approx(10));
  CHECK(pieces[1].front().y == Approx(10));
  CHECK(pieces[1].front().x == Approx(8));
  CHECK(clip_line({{1, 1}, {NAN, 2}, {3, 3}, {4, 4}}, box).size() == 1);
  CHECK(clip_line({{11, 1}, {12, 5}}, box).empty());
  double area = 0;  // of the square [−5, 5]² inside the box: 25
  const Path cut = clip_area({{-5, -5}, {5, -5}, {5, 5}, {-5, 5}}, box);
  for (std::size_t i = 0; i < cut.size(); ++i) {
    const Point a = cut[i], b = cut[(i + 1) % cut.size()];
    area += (a.x * b.y - b.x * a.y) / 2;
  }
  CHECK(std::abs(area) == Approx(25));
}

TEST_CASE("contour: a plane is cut in a straight line", "[plots][layout]") {
  Matrix plane(4, 5);
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 5; ++j) plane(i, j) = static_cast<double>(i + j);
  const auto lines = contour(plane, 2.5);
  CHECK(lines.size() >= 3);
  for (const Path& line : lines)
    for (const Point p : line) CHECK(p.x + p.y == Approx(2.5));
  plane(0, 0) = NAN;
  CHECK(contour(plane, 0.5).empty());
}

TEST_CASE("legend: one a figure; marks that mean two things carry their panel", "[plots][layout]") {
  CHECK(key_entries(two_panels(true)).size() == 2);
  CHECK(count_role(layout(two_panels(true)), "legend") == 2);
  const std::string both = svg_text(layout(two_panels(false)), {});
  CHECK_THAT(both, Catch::Contains("(a) slope 1") && Catch::Contains("(b) slope 2") &&
                       !Catch::Contains("(a) measured"));
}

TEST_CASE("legend: rows without a lonely last entry, fits below the measurements",
          "[plots][layout]") {
  Panel panel;
  for (int c = 0; c < 5; ++c)
    panel.series.push_back({.label = "a series of points", .x = {1, 2}, .y = {1, 2}, .colour = c});
  for (std::size_t c = 0; c < 5; ++c) panel.series[c].label += std::string(c, 's');
  panel.fits = {{.label = "slope 1", .slope = 1, .from = 1, .to = 2}};
  std::map<double, int> rows;
  double fit = 0;
  for (const auto& item :
       layout({.id = "f", .caption = "", .panels = {panel, panel}, .columns = 2}).items) {
    const auto* w = std::get_if<Words>(&item);
    if (w == nullptr || w->role != "legend") continue;
    ++rows[w->at.y];
    if (w->text == "slope 1") fit = w->at.y;
  }
  REQUIRE(rows.size() == 3);
  CHECK(rows.begin()->second == 3);
  CHECK(std::next(rows.begin())->second == 2);
  CHECK(rows.rbegin()->first == fit);
}

TEST_CASE("marks: one under another is larger, and none lies on the frame", "[plots][layout]") {
  Panel panel;
  panel.series = {{.label = "below", .x = {0, 1, 2}, .y = {1, 1, 0}, .colour = 0},
                  {.label = "above", .x = {0, 1, 2}, .y = {1, 2, 2}, .colour = 6}};
  std::vector<double> radii;
  double frame = 0, leftmost = 1e9;
  for (const auto& item : layout({.id = "f", .caption = "", .panels = {panel}}).items) {
    const auto* o = std::get_if<Outline>(&item);
    if (o == nullptr) continue;
    if (o->role == "axis") frame = o->paths.front().front().x;
    if (o->role != "point" || o->radius == 0) continue;
    radii.push_back(o->radius);
    leftmost = std::min(leftmost, o->paths.front().front().x - o->radius);
  }
  REQUIRE(radii.size() == 3);
  CHECK(radii[0] > radii[1]);
  CHECK(radii[1] == radii[2]);
  CHECK(leftmost > frame);
}

TEST_CASE("width: panels that would be too narrow stand below one another", "[plots][layout]") {
  Figure figure = two_panels(true);
  for (Panel& p : figure.panels)
    p.title = "a title that is wider than the box below it, and much wider than half a column";
  const Scene beside = layout(figure, {.width = 7}), below = layout(figure, {.width = 3.4});
  CHECK(below.height > 1.5 * beside.height * 3.4 / 7);
  for (const Scene* scene : {&beside, &below}) {
    CHECK(reach(*scene, "title").low >= 0);
    CHECK(reach(*scene, "title").high <= scene->width);
    CHECK(reach(*scene, "label").high <= scene->width);
  }
}

TEST_CASE("ticks: a long number at the end of an axis stays on the page", "[plots][layout]") {
  Panel panel;
  panel.series = {{.label = "", .x = {0, 0.01}, .y = {0, 1}, .mark = Mark::kLine}};
  const Scene scene = layout({.id = "f", .caption = "", .panels = {panel}});
  CHECK_THAT(words_of(scene, "tick"), Catch::Contains("0.010"));
  CHECK(reach(scene, "tick").high <= scene.width);
}

TEST_CASE("bars: every one has its name, on lines of its own or slanted, and on the page",
          "[plots][layout]") {
  const Scene lines = layout(named_bars({"one (two three, four five)", "six (seven eight)"}));
  CHECK_THAT(words_of(lines, "tick"),
             Catch::Contains("(two three, four five)") && Catch::Contains("(seven eight)"));
  std::vector<std::string> names;
  for (int i = 0; i < 9; ++i) names.push_back("a-method-of-number-" + std::to_string(i));
  const Scene slanted = layout(named_bars(names));
  for (const std::string& name : names)
    CHECK_THAT(words_of(slanted, "tick"), Catch::Contains(name));
  for (const Scene* scene : {&lines, &slanted}) {
    CHECK(reach(*scene, "tick").low >= 0);
    CHECK(reach(*scene, "tick").high <= scene->width);
  }
}

TEST_CASE("looks: no two of the first dozen series share marker, dashes and colour",
          "[plots][layout]") {
  std::set<std::pair<int, std::vector<double>>> looks;
  for (int c = 0; c < 12; ++c) looks.insert({static_cast<int>(marker_of(c)), dash_of(c)});
  CHECK(looks.size() == 12);
  std::set<std::vector<double>> dashes;  // lines without markers have nothing else in grey
  for (int c = 0; c < 12; ++c) dashes.insert(dash_of(c));
  CHECK(dashes.size() == 12);
}

TEST_CASE("heat maps: square cells, one colour scale for one label", "[plots][layout]") {
  Panel a, b;
  a.heat = HeatMap{.label = "density",
                   .columns = {"1", "2", "3"},
                   .rows = {"1"},
                   .values = Matrix::Constant(1, 3, 1)};
  b = a;
  b.heat->values.setConstant(5);
  const Scene scene = layout({.id = "f", .caption = "", .panels = {a, b}, .columns = 2});
  std::set<std::string> fills;
  int bar_labels = 0;
  std::vector<double> cell_widths;  // the same in both panels, though one has the scale beside it
  for (const auto& item : scene.items) {
    if (const auto* o = std::get_if<Outline>(&item); o != nullptr && !o->note.empty()) {
      const Path& p = o->paths.front();
      CHECK(std::abs((p[1].x - p[0].x) - (p[2].y - p[1].y)) < 0.5);
      fills.insert(hex(o->fill.rgb));
      cell_widths.push_back(p[1].x - p[0].x);
    }
    if (const auto* w = std::get_if<Words>(&item)) bar_labels += w->text == "density" ? 1 : 0;
  }
  CHECK(fills.size() == 2);  // 1 and 5 on the shared scale
  CHECK(cell_widths.size() == 6);
  for (const double w : cell_widths) CHECK(std::abs(w - cell_widths.front()) < 0.5);
  CHECK(bar_labels == 1);
}

}  // namespace layout_test
