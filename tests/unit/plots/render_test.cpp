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

TEST_CASE("render: SVG, PNG, PDF and TikZ of every kind of panel", "[plots][render]") {
  const Folder folder;
  const Figure figure = everything("ε‖P̂ − P‖² (n)");
  const std::map<Picture, std::string> magic = {{Picture::kSvg, "<?xml"},
                                                {Picture::kPng, "\x89PNG"},
                                                {Picture::kPdf, "%PDF"},
                                                {Picture::kTikz, "% \\usepackage{tikz}"}};
  for (const auto& [format, start] : magic) {
    const fs::path file = folder.path / ("a b'c." + extension(format));
    render(figure, format, file);
    CHECK(picture_format(file) == format);
    CHECK_THAT(read(file), Catch::StartsWith(start));
  }
  CHECK_THROWS_WITH(picture_format("a.jpg"), Catch::Contains(".svg, .png, .pdf or .tex"));
  CHECK_THAT(read(folder.path / "a b'c.svg"), Catch::Contains("‖P̂ − P‖²"));
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 4);  // no temporary is left
  render_with_csv(figure, folder.path / "d.svg");
  CHECK(read(folder.path / "d.svg.csv") == to_csv(figure));
}

// What a reader of the SVG sees as text.
std::string shown_text(const std::string& svg) {
  std::string out;
  bool tag = false;
  for (const char c : svg) {
    if (c == '<') tag = true;
    if (!tag) out += c;
    if (c == '>') tag = false;
  }
  return out;
}

TEST_CASE("render: labels are text, whatever they contain", "[plots][render]") {
  const Folder folder;
  const fs::path trap = folder.path / "trap";
  const std::string hostile = "'; system('touch " + trap.string() + "'); `touch " + trap.string() +
                              "` \"x\" $HOME @x %d {/Bold y} ab_bc <b>&amp; \\n \n set output";
  const Scene scene = layout(everything(hostile));
  for (const Picture format : {Picture::kPng, Picture::kPdf})
    (void)gnuplot_picture(scene, format, {});
  CHECK(!fs::exists(trap));
  const std::string svg = svg_text(scene, {});
  const std::string text = shown_text(svg);
  for (const char* word : {"@x", "%d", "{/Bold", "ab_bc", "&lt;b&gt;&amp;amp;", "\\n", "$HOME"}) {
    CHECK_THAT(text, Catch::Contains(word));
  }
  CHECK_THAT(svg, !Catch::Contains("<b>"));
  CHECK(gnuplot_text("a'b\n`c") == "\"a\\047b \\140c\"");
  CHECK(gnuplot_label("d^3.2 a{") == "\"d^{3.2} a\\134\\173\"");
}

TEST_CASE("render: a folder that cannot be written is one clear error", "[plots][render]") {
  const Folder folder;
  CHECK_THROWS_WITH(render(everything("x"), Picture::kSvg, folder.path / "no" / "such" / "a.svg"),
                    Catch::Contains("could not be written"));
}

TEST_CASE("render: half a picture is not taken for a whole one", "[plots][render]") {
  const Folder folder;
  for (const Picture format : {Picture::kSvg, Picture::kPng, Picture::kPdf, Picture::kTikz}) {
    const fs::path file = folder.path / ("a." + extension(format));
    render(everything("x"), format, file);
    const std::string bytes = read(file);
    CHECK(whole_picture(bytes, format));
    for (const std::size_t size :
         {std::size_t{0}, bytes.size() / 2, bytes.size() - 4096, bytes.size() - 12}) {
      CHECK(!whole_picture(bytes.substr(0, size), format));
    }
  }
}

TEST_CASE("inline_svg: the page's colours, and another palette's own", "[plots][render]") {
  const Scene scene = layout(everything("x"));
  const std::string page = inline_svg(scene, {});
  CHECK_THAT(page, Catch::StartsWith("<svg") && Catch::Contains("var(--c0)"));
  CHECK_THAT(page, Catch::Contains("currentColor") && !Catch::Contains("<rect"));
  CHECK_THAT(page, !Catch::Contains("#0072b2"));
  CHECK_THAT(inline_svg(scene, {.palette = "bright"}), Catch::Contains("#4477aa"));
  CHECK_THAT(svg_text(scene, {}), Catch::Contains("#0072b2") && !Catch::Contains("var("));
}

TEST_CASE("set_font: a name, a size, or both; anything else is refused", "[plots][render]") {
  PictureStyle style;
  set_font(style, "Liberation Sans,9");
  CHECK(style.font == "Liberation Sans");
  CHECK(style.size == 9);
  set_font(style, ",11");
  CHECK(style.font == "Liberation Sans");
  CHECK(style.size == 11);
  for (const char* bad : {"x,3", "x,nine", "a'b", "a\"b,9", "a<b", "x,9 9"})
    CHECK_THROWS_AS(set_font(style, bad), InputError);
  CHECK(layout(everything("x"), {.width = 5}).width == 360);
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
