// Pictures as SVG text, for a notebook: those of `speder learn --plot`, and simple ones of anything.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <stdlib.h>

#include <fstream>
#include <sstream>

#include "speder/core/check.hpp"
#include "speder/experiments/cli/learn_figure.hpp"
#include "speder/experiments/learn/row.hpp"
#include "speder/plots/render/render.hpp"
#include "support.hpp"

namespace speder::python {
namespace {

using nb::literals::operator""_a;

/// A folder that is gone when it goes out of scope.
class Scratch {
 public:
  Scratch() : path_((std::filesystem::temp_directory_path() / "speder-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr)
      throw InputError(path_ + ": no folder could be made for the picture");
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file() const { return path_ + "/figure.svg"; }
  [[nodiscard]] std::string text() const {
    std::ifstream in(file());
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }

 private:
  std::string path_;
};

std::vector<double> list_of(const nb::object& values) {
  return values.is_none() ? std::vector<double>() : nb::cast<std::vector<double>>(values);
}

Panel panel_of(const nb::dict& given) {
  const auto word = [&](const char* key) { return nb::cast<std::string>(given[key]); };
  const auto scale = [&](const char* key) {
    return nb::cast<bool>(given[key]) ? Scale::kLog : Scale::kLinear;
  };
  Panel panel{.title = word("title")};
  panel.x = {.label = word("x"), .scale = scale("x_log")};
  panel.y = {.label = word("y"), .scale = scale("y_log")};
  int colour = 0;
  for (const nb::handle item : nb::cast<nb::list>(given["series"])) {
    const auto s = nb::cast<nb::dict>(item);
    Series series{.label = nb::cast<std::string>(s["label"]),
                  .x = list_of(s["x"]),
                  .y = list_of(s["y"]),
                  .low = list_of(s["low"]),
                  .high = list_of(s["high"])};
    const auto mark = nb::cast<std::string>(s["mark"]);
    series.mark = mark == "line"     ? Mark::kLine
                  : mark == "points" ? Mark::kPoints
                                     : Mark::kLinePoints;
    series.colour = colour++ % kColours;
    panel.series.push_back(std::move(series));
  }
  return panel;
}

std::string draw_panels(const nb::list& panels, const std::string& caption, int columns) {
  Figure figure{.id = "figure", .caption = caption, .panels = {}, .columns = columns};
  for (const nb::handle panel : panels)
    figure.panels.push_back(panel_of(nb::cast<nb::dict>(panel)));
  require_drawable(figure);
  return without_lock({}, [figure](const std::atomic<bool>&) { return svg_of(figure); });
}

// Rows of runs as `speder learn` keeps them; the columns are those of learn_columns().
std::string draw_learn(const std::string& command, const std::string& settings,
                       const std::vector<std::string>& algorithms,
                       const std::vector<std::pair<std::string, Array>>& runs) {
  if (runs.empty()) throw InputError("there is no run to draw");
  const std::size_t width = columns(LearnRow{}).size();
  std::vector<cli::LearnRecord> records;
  for (const auto& [algorithm, table] : runs) {
    if (table.ndim() != 2 || table.shape(0) == 0 || table.shape(1) != width)
      throw InputError(fmt::format("a run of {} has no rows of {} numbers", algorithm, width));
    cli::LearnRecord record{command, GridCell::parse(settings), 0, {}, {}, 0};
    record.settings.set("algorithm", algorithm);
    for (std::size_t i = 0; i < table.shape(0); ++i) {
      cli::NamedRow row = columns(LearnRow{});
      for (std::size_t k = 0; k < row.size(); ++k) row[k].second = table.data()[i * row.size() + k];
      record.rows.push_back(std::move(row));
    }
    records.push_back(std::move(record));
  }
  return without_lock({}, [=](const std::atomic<bool>&) {
    const Scratch scratch;
    const cli::LearnPicture picture{.path = scratch.file(), .out = ""};
    if (records.size() == 1) {
      cli::draw(records.front(), picture);
    } else {
      cli::draw_bands(records, algorithms, picture);
    }
    return scratch.text();
  });
}

}  // namespace

std::string svg_of(const Figure& figure) {
  const Scratch scratch;
  render(figure, Picture::kSvg, scratch.file());
  return scratch.text();
}

void add_figures(nb::module_& m) {
  m.def("draw_panels", &draw_panels, "panels"_a, "caption"_a, "columns"_a);
  m.def("draw_learn", &draw_learn, "command"_a, "settings"_a, "algorithms"_a, "runs"_a);
}

}  // namespace speder::python
