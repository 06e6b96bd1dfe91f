#include "speder/experiments/cli/learn_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "speder/core/check.hpp"
#include "speder/io/durable_file.hpp"
#include "speder/plots/bands.hpp"
#include "speder/plots/figure.hpp"
#include "speder/plots/render/render.hpp"

namespace speder::cli {
namespace {

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
  (void)picture_format(path);
  if (path.find_first_of("\n\r") != std::string::npos) {
    throw InputError("--plot: the name of a picture has no line break");
  }
  require_writable(path);
}

namespace {

std::string picture_name(const std::string& path, const std::string& out,
                         const std::string& command) {
  if (!path.empty()) return path;
  const std::filesystem::path stem = out.empty() ? "learn-" + command : out;
  return std::filesystem::path(stem).replace_extension(".svg").string();
}

std::string draw_as(const Figure& figure, const std::string& path, const LearnPicture& picture) {
  if (figure.panels.empty()) {
    throw InputError("--plot: the run has too few rows that a logarithmic axis can show");
  }
  render_with_csv(figure, path, picture.style);
  return path;
}

}  // namespace

std::string draw(const LearnRecord& record, const LearnPicture& picture) {
  return draw_as(figure_of(record), picture_name(picture.path, picture.out, record.command),
                 picture);
}

CurveTable curves_of(const std::vector<LearnRecord>& records, const std::string& algorithm,
                     std::string_view column) {
  CurveTable out;
  for (const LearnRecord& record : records) {
    if (record.settings.text("algorithm") != algorithm) continue;
    std::vector<double> x, y;
    for (const NamedRow& row : record.rows) {
      const auto at = std::ranges::find(row, column, [](const auto& entry) { return entry.first; });
      x.push_back(row.front().second);
      y.push_back(at == row.end() ? std::nan("") : at->second);
    }
    out.x = std::move(x);
    out.y.push_back(std::move(y));
  }
  return out;
}

std::string draw_bands(const std::vector<LearnRecord>& records,
                       const std::vector<std::string>& algorithms, const LearnPicture& picture) {
  const LearnRecord& first = records.front();
  const bool online = first.command == "online";
  const std::size_t seeds = records.size() / algorithms.size();
  struct Overlay {
    const char* title;
    const char* unit;
    std::string_view column;
  };
  const std::vector<Overlay> wanted = {
      {online ? "Suboptimality of the mixture" : "Suboptimality", "V* − V (units of value)",
       online ? "gap_mixture" : "gap_last"},
      {"Regret", "sum of V* − V (units of value)", "regret"},
      {"Model error", "E|P̂ − P*|² (density²)", "error_rho"}};
  Figure figure{.id = "learn-" + first.command, .caption = first.settings.key(), .panels = {}};
  figure.note = fmt::format("Lines and bands: {} of {} seeds.", kBandName, seeds);
  for (const Overlay& overlay : wanted) {
    Panel panel{.title = overlay.title};
    panel.x = {.label = online ? "n (episodes)" : "n (transitions)", .scale = Scale::kLog};
    panel.y = {.label = overlay.unit, .scale = Scale::kLog};
    std::string missing;  // a median of 0 has no place on a logarithmic axis
    for (std::size_t a = 0; a < algorithms.size(); ++a) {
      const CurveTable curves = curves_of(records, algorithms[a], overlay.column);
      if (auto band = median_band(algorithms[a], curves, static_cast<int>(a))) {
        panel.series.push_back(std::move(*band));
      } else if (!curves.x.empty() && band_at(curves, curves.x.size() - 1).middle == 0) {
        missing += (missing.empty() ? "" : ", ") + algorithms[a];
      }
    }
    if (!missing.empty()) panel.title += fmt::format(" (0, not shown: {})", missing);
    if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
  }
  figure.columns = static_cast<int>(figure.panels.size());
  return draw_as(figure, picture_name(picture.path, picture.out, first.command), picture);
}

}  // namespace speder::cli
