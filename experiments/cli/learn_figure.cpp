#include "speder/experiments/cli/learn_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "speder/core/check.hpp"
#include "speder/io/durable_file.hpp"
#include "speder/plots/figure.hpp"
#include "speder/plots/render/render.hpp"

namespace speder::cli {
namespace {

const std::map<std::string, Picture> kEndings = {
    {".pdf", Picture::kPdf}, {".png", Picture::kPng}, {".svg", Picture::kSvg}};

struct Curve {
  std::string_view column;
  const char* label;
  Mark mark = Mark::kLine;
};
struct Wanted {
  const char* title;
  const char* unit;
  std::vector<Curve> curves;
};

const std::map<std::string, std::vector<Wanted>> kPanels = {
    {"online",
     {{"Suboptimality",
       "V* − V (units of value)",
       {{"gap_last", "last policy"}, {"gap_mixture", "mixture"}}},
      {"Regret", "sum of V* − V (units of value)", {{"regret", "regret"}}},
      {"Model error",
       "E|P̂ − P*|² (density²)",
       // Often nearly equal: the second is drawn as points over the first one's line.
       {{"error_rho", "under ρₙ"},
        {"error_rho_next", "under ρ′ₙ", Mark::kPoints},
        {"zeta", "ζₙ"}}}}},
    {"offline",
     {{"Suboptimality", "V* − V (units of value)", {{"gap_last", "learned policy"}}},
      {"Model error", "E|P̂ − P*|² (density²)", {{"error_rho", "under the data"}, {"zeta", "ζₙ"}}}}},
    {"estimate",
     {{"Model error",
       "error of the estimate (own units)",
       {{"l2_squared", "L2 squared"}, {"l1", "L1"}, {"kl", "KL"}, {"zeta", "ζₙ"}}}}}};

// The points that a logarithmic axis can show: a gap of exactly zero is not one of them.
std::optional<Series> series_of(const LearnRecord& record, const Curve& curve, int colour) {
  Series series{.label = curve.label, .x = {}, .y = {}, .low = {}, .high = {}};
  series.mark = curve.mark;
  series.colour = colour;
  for (const NamedRow& row : record.rows) {
    const auto at = std::find_if(row.begin(), row.end(),
                                 [&](const auto& entry) { return entry.first == curve.column; });
    if (at == row.end() || !std::isfinite(at->second) || at->second <= 0) continue;
    series.x.push_back(row.front().second);
    series.y.push_back(at->second);
  }
  if (series.x.size() < 2) return std::nullopt;
  return series;
}

Figure figure_of(const LearnRecord& record) {
  Figure figure{.id = "learn-" + record.command, .caption = record.settings.key(), .panels = {}};
  const char* n = record.command == "online" ? "n (episodes)" : "n (transitions)";
  for (const Wanted& wanted : kPanels.at(record.command)) {
    Panel panel;
    panel.title = wanted.title;
    panel.x = {.label = n, .scale = Scale::kLog, .low = {}, .high = {}};
    panel.y = {.label = wanted.unit, .scale = Scale::kLog, .low = {}, .high = {}};
    int colour = 0;
    for (const Curve& curve : wanted.curves) {
      if (auto series = series_of(record, curve, colour++)) panel.series.push_back(*series);
    }
    if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
  }
  figure.columns = static_cast<int>(figure.panels.size());
  return figure;
}

}  // namespace

void check_picture(const std::string& path) {
  if (path.empty()) return;
  if (!kEndings.contains(std::filesystem::path(path).extension())) {
    throw InputError(fmt::format("--plot {}: the name must end in .svg, .png or .pdf", path));
  }
  if (path.find_first_of("\n\r") != std::string::npos) {
    throw InputError("--plot: the name of a picture has no line break");
  }
  require_writable(path);
}

std::string draw(const LearnRecord& record, std::string path, const std::string& out) {
  if (path.empty()) {
    const std::filesystem::path stem = out.empty() ? "learn-" + record.command : out;
    path = std::filesystem::path(stem).replace_extension(".svg").string();
  }
  const Figure figure = figure_of(record);
  if (figure.panels.empty()) {
    throw InputError("--plot: the run has too few rows that a logarithmic axis can show");
  }
  render(figure, kEndings.at(std::filesystem::path(path).extension()), path);
  return path;
}

}  // namespace speder::cli
