#include "speder/plots/figure.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "speder/plots/bands.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace figure_test {
namespace {
Figure one(Panel panel) { return {.id = "f", .caption = "", .panels = {panel}, .columns = 1}; }
}  // namespace

TEST_CASE("Figure: what cannot be drawn as it stands is refused", "[plots][figure]") {
  Panel panel;
  panel.series = {{.label = "s", .x = {1, 2}, .y = {1, 0}}};
  CHECK_NOTHROW(require_drawable(one(panel)));
  panel.y.scale = Scale::kLog;  // a renderer would drop the zero without a word
  CHECK_THROWS_AS(require_drawable(one(panel)), std::invalid_argument);
  panel.series[0].y = {1};
  CHECK_THROWS_AS(require_drawable(one(panel)), std::invalid_argument);
  panel.series[0].y = {1, 2};
  panel.series[0].low = {1, 2};
  CHECK_THROWS_AS(require_drawable(one(panel)), std::invalid_argument);
  Panel histogram;
  histogram.histograms = {{.label = "h", .edges = {0, 1}, .heights = {1, 2}}};
  CHECK_THROWS_AS(require_drawable(one(histogram)), std::invalid_argument);
  Panel heat;
  heat.heat = HeatMap{.label = "", .columns = {"a"}, .rows = {"b"}, .values = Matrix::Zero(2, 1)};
  CHECK_THROWS_AS(require_drawable(one(heat)), std::invalid_argument);
  CHECK_THROWS_AS(require_drawable(Figure{}), std::invalid_argument);
}

TEST_CASE("Figure: the CSV has every plotted number, quoted where needed", "[plots][figure]") {
  Panel panel;
  panel.title = "a, \"b\"";
  panel.series = {{.label = "s", .x = {1, 2}, .y = {0.1, 0.3}, .low = {0, 0.2}, .high = {1, 0.4}}};
  panel.fits = {{.label = "fit", .slope = 2, .intercept = 0, .from = 1, .to = 3}};
  panel.references = {{.label = "theory", .x = {5}, .y = {6}}};
  panel.histograms = {{.label = "h", .edges = {0, 1}, .heights = {7}}};
  panel.heat = HeatMap{.label = "v", .columns = {"c"}, .rows = {"r"}, .values = Matrix::Ones(1, 1)};
  const std::string prefix = "f,\"a, \"\"b\"\"\",";
  CHECK(to_csv(one(panel)) == "figure,panel,kind,label,x,y,low,high\n" +  //
                                  prefix + "point,s,1,0.1,0,1\n" +        //
                                  prefix + "point,s,2,0.3,0.2,0.4\n" +    //
                                  prefix + "fit,fit,1,1,,\n" +            //
                                  prefix + "fit,fit,3,9,,\n" +            //
                                  prefix + "theory,theory,5,6,,\n" +      //
                                  prefix + "bin,h,0,7,0,1\n" +            //
                                  prefix + "cell,r / c,0,1,,\n");
}

TEST_CASE("Figure: bars start at zero, lie in their intervals and are numbers of the CSV",
          "[plots][figure]") {
  Panel panel;
  panel.bars = {{.label = "a", .bars = {{.label = "with", .value = 0.5, .interval = {0.4, 0.6}}}},
                {.label = "b",
                 .bars = {{.label = "with", .value = 1, .interval = {0, 1}, .points = {1, 1}},
                          {.label = "", .value = 0, .interval = {0, 0}}}}};
  CHECK(to_csv(one(panel)) ==
        "figure,panel,kind,label,x,y,low,high\n"
        "f,,bar,\"a, with\",0,0.5,0.4,0.6\n"
        "f,,bar,\"b, with\",0.81,1,0,1\n"
        "f,,sample,\"b, with\",0.81,1,,\n"
        "f,,sample,\"b, with\",0.81,1,,\n"
        "f,,bar,b,1.19,0,0,0\n");
  const std::vector<DrawnBar> bars = drawn_bars(panel);
  REQUIRE(bars.size() == 3);
  CHECK(bars[1].points_x[0] < bars[1].points_x[1]);  // equal values stay apart
  CHECK(bars[1].x + bars[1].width / 2 == Approx(bars[2].x - bars[2].width / 2));
  panel.y.scale = Scale::kLog;
  CHECK_THROWS_AS(require_drawable(one(panel)), std::invalid_argument);
  panel.y.scale = Scale::kLinear;
  panel.bars[0].bars[0].value = 0.7;
  CHECK_THROWS_AS(require_drawable(one(panel)), std::invalid_argument);
}

TEST_CASE("median_band: median and the middle 80% of the runs that are known", "[plots][figure]") {
  constexpr double kGone = std::numeric_limits<double>::quiet_NaN();
  CurveTable runs{.x = {1, 2, 4, 8, 16}, .y = {}};
  for (int i = 0; i <= 10; ++i)  // 0 … 10; from x = 8 on six of the runs are known, at 16 five
    runs.y.push_back({1.0 * i, 10.0 * i, 0, i < 6 ? 5.0 + i : kGone, i < 5 ? 1 : kGone});
  const Band band = band_at(runs, 1);
  CHECK(band.low == Approx(10));
  CHECK(band.middle == Approx(50));
  CHECK(band.high == Approx(90));
  CHECK(std::isnan(band_at({.x = {1}, .y = {{kGone}}}, 0).middle));
  const auto drawn = median_band("a", runs, 2);
  REQUIRE(drawn);
  CHECK(drawn->x == std::vector<double>{1, 2, 8});  // a median of 0 is not on a log axis
  CHECK(drawn->y[2] == Approx(7.5));
  CHECK(drawn->low[0] == Approx(1));
  CHECK(drawn->high[2] == Approx(9.5));
  CHECK_FALSE(median_band("b", {.x = {1, 2}, .y = {{1, 0}}}, 0));
}

TEST_CASE("palette: the published colours, then from the start again", "[plots][figure]") {
  const std::vector<std::string> published = {"#0072b2", "#d55e00", "#009e73",
                                              "#cc79a7", "#56b4e9", "#e69f00"};
  REQUIRE(static_cast<int>(published.size()) == kColours);
  for (int i = 0; i < 2 * kColours; ++i) {
    CHECK(hex(palette(i)) == published[static_cast<std::size_t>(i % kColours)]);
  }
  CHECK_THROWS_AS(palette(-1), std::invalid_argument);
  CHECK_THROWS_AS(palette(0, "no such"), std::invalid_argument);
  for (const std::string& name : palette_names()) {  // six colours, all different
    std::set<std::string> colours;
    for (int i = 0; i < kColours; ++i) colours.insert(hex(palette(i, name)));
    CHECK(static_cast<int>(colours.size()) == kColours);
  }
}

}  // namespace figure_test
