#include "speder/plots/render/render.hpp"

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "speder/core/check.hpp"
#include "speder/plots/render/process.hpp"
#include "tests/catch.hpp"
#include "tests/temporary.hpp"

using namespace speder;
using speder::testing::Folder;
namespace fs = std::filesystem;

namespace render_test {
namespace {

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// Every kind of mark in five panels, every label the given text.
Figure everything(const std::string& label) {
  Panel curves;
  curves.title = label;
  curves.x = {.label = label, .scale = Scale::kLog};
  curves.y = {.label = label, .scale = Scale::kLog};
  curves.series = {
      {.label = label, .x = {1, 10, 500}, .y = {3, 2, 1}, .low = {2, 1, 0.5}, .high = {4, 3, 2}},
      {.label = label,
       .x = {1, 10},
       .y = {5, 6},
       .low = {4, 5},
       .high = {6, 7},
       .mark = Mark::kPoints,
       .colour = 1},
      {.label = label, .x = {100}, .y = {9}, .mark = Mark::kPoints, .censored = true}};
  curves.fits = {{.label = label, .slope = -0.2, .intercept = 1, .from = 1, .to = 500}};
  curves.references = {{.label = label, .x = {1, 500}, .y = {8, 4}}};
  Panel bins;
  bins.x = {.label = label};
  bins.histograms = {{.label = label, .edges = {0, 1, 3}, .heights = {2, 1}}};
  bins.legend = Legend::kTopRight;
  Panel heat;
  heat.heat = HeatMap{.label = label,
                      .columns = {label, "b"},
                      .rows = {label},
                      .values = (Matrix(1, 2) << 1, NAN).finished()};
  Panel bars;
  bars.bars = {{.label = label,
                .bars = {{.label = label, .value = 1, .interval = {0.5, 1.5}, .points = {1, 1}},
                         {.label = "", .value = 2, .interval = {2, 2}, .colour = 1}}},
               {.label = "a second, long name", .bars = {{.label = label, .value = 0}}}};
  return {.id = "f", .caption = label, .panels = {curves, bins, heat, bars, Panel{}}, .columns = 2};
}

}  // namespace

TEST_CASE("render: SVG, PNG and PDF of every kind of panel", "[plots][render]") {
  const Folder folder;
  const Figure figure = everything("ε‖P̂ − P‖² (n)");
  const std::map<Picture, std::string> magic = {
      {Picture::kSvg, "<?xml"}, {Picture::kPng, "\x89PNG"}, {Picture::kPdf, "%PDF"}};
  for (const auto& [format, start] : magic) {
    const fs::path file = folder.path / ("a b'c." + extension(format));
    render(figure, format, file);
    CHECK_THAT(read(file), Catch::StartsWith(start));
  }
  CHECK_THAT(read(folder.path / "a b'c.svg"), Catch::Contains("‖P̂ − P‖²"));
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 3);  // no temporary is left
}

TEST_CASE("render: labels are text, whatever they contain", "[plots][render]") {
  const Folder folder;
  const fs::path trap = folder.path / "trap";
  const std::string hostile = "'; system('touch " + trap.string() + "'); `touch " + trap.string() +
                              "` \"x\" $HOME @x %d {/Bold y} a_b^c <b>&amp; \\n \n set output";
  const fs::path file = folder.path / "a.svg";
  render_gnuplot(everything(hostile), Picture::kSvg, file);
  CHECK(!fs::exists(trap));
  const std::string svg = read(file);
  CHECK_THAT(svg, Catch::Contains("@x %d {/Bold y} a_b^c &lt;b>&amp;amp; \\n   set output"));
  CHECK_THAT(svg, !Catch::Contains("<b>"));
  CHECK(gnuplot_text("a'b\n`c") == "\"a\\047b \\140c\"");
}

TEST_CASE("render: a folder that cannot be written is one clear error", "[plots][render]") {
  const Folder folder;
  CHECK_THROWS_WITH(
      render_gnuplot(everything("x"), Picture::kSvg, folder.path / "no" / "such" / "a.svg"),
      Catch::Contains("could not be written"));
}

TEST_CASE("render: half a picture is not taken for a whole one", "[plots][render]") {
  const Folder folder;
  for (const Picture format : {Picture::kSvg, Picture::kPng, Picture::kPdf}) {
    const fs::path file = folder.path / ("a." + extension(format));
    render_gnuplot(everything("x"), format, file);
    const std::string bytes = read(file);
    CHECK(whole_picture(bytes, format));
    for (const std::size_t size :
         {std::size_t{0}, bytes.size() / 2, bytes.size() - 4096, bytes.size() - 12}) {
      CHECK(!whole_picture(bytes.substr(0, size), format));
    }
  }
}

TEST_CASE("inline_svg: the page's colours, ids of its own", "[plots][render]") {
  const std::string out = inline_svg(
      "<?xml?>\n<svg><rect fill=\"#ffffff\"/><circle id='gpDot'/><use href='#gpDot'/>"
      "<g color=\"black\" stroke='black' fill=\"black\"><path stroke='rgb(  0, 114, "
      "178)'/></g></svg>",
      "gen-n");
  CHECK(out ==
        "<svg><rect fill=\"none\"/><circle id='gen-n-gpDot'/><use href='#gen-n-gpDot'/>"
        "<g color=\"currentColor\" stroke='currentColor' fill=\"currentColor\">"
        "<path stroke='var(--c0)'/></g></svg>");
}

TEST_CASE("run_process: exit codes, errors, missing programs, long input", "[plots][process]") {
  CHECK(run_process({"true"}, "").exit_code == 0);
  CHECK(run_process({"sh", "-c", "exit 3"}, "").exit_code == 3);
  CHECK(run_process({"sh", "-c", "kill -9 $$"}, "").exit_code == -1);
  CHECK(run_process({"sh", "-c", "cat >&2"}, std::string(1 << 20, 'x')).error.size() == 1 << 20);
  CHECK(run_process({"cat"}, std::string(1 << 20, 'x')).output.size() == 1 << 20);
  CHECK(run_process({"true"}, std::string(1 << 20, 'x')).exit_code == 0);  // reads none of it
  CHECK(!run_process({"speder-no-such-program"}, "").started);
}

}  // namespace render_test
