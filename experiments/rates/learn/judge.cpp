// learn: with epsilon a study of N(ε, δ) along the axes, without it the metric against n.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "speder/experiments/rates/learn/study.hpp"
#include "speder/io/toml_file.hpp"
#include "speder/plots/analysis.hpp"
#include "speder/plots/bands.hpp"

namespace speder {
namespace {

constexpr std::size_t kMostPanels = 6;

// The cell without its learner: what shares a panel.
std::string setting_of(const std::string& key) {
  std::string out;
  for (std::size_t from = 0; from < key.size();) {
    const std::size_t to = std::min(key.find(' ', from), key.size());
    const std::string word = key.substr(from, to - from);
    from = to + 1;
    if (word.starts_with("algorithm=") || word.starts_with("role=")) continue;
    out += (out.empty() ? "" : " ") + word;
  }
  return out;
}

// Only what differs between the settings.
std::map<std::string, std::string> short_names(const std::set<std::string>& settings) {
  std::map<std::string, std::set<std::string>> values;
  const auto each = [](const std::string& key, const auto& visit) {
    const GridCell cell = GridCell::parse(key);
    for (std::size_t from = 0; from < key.size();) {
      const std::size_t to = std::min(key.find(' ', from), key.size());
      const std::string name = key.substr(from, key.find('=', from) - from);
      visit(name, cell.text(name));
      from = to + 1;
    }
  };
  for (const std::string& s : settings)
    each(s, [&](const std::string& name, const std::string& value) { values[name].insert(value); });
  std::map<std::string, std::string> out;
  for (const std::string& s : settings) {
    std::string& text = out[s];
    each(s, [&](const std::string& name, const std::string& value) {
      if (values[name].size() > 1)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
    });
  }
  return out;
}

ExperimentReport judge_curves(const ExperimentData& data, const ConfigTable& config) {
  std::string metric;
  std::vector<double> theory;
  config.read("metric", metric);
  config.read("theory", theory);
  std::set<std::string> settings;
  std::vector<std::string> algorithms;
  for (const Run& run : data.runs) {
    settings.insert(setting_of(run.key.cell));
    const std::string name = GridCell::parse(run.key.cell).text("algorithm");
    if (std::ranges::find(algorithms, name) == algorithms.end()) algorithms.push_back(name);
  }
  const std::map<std::string, std::string> names = short_names(settings);
  ExperimentReport out;
  out.design =
      "Each repetition has its own instance, class and samples, the same for all learners.";
  Figure figure{.id = "learn", .caption = "", .panels = {}, .columns = 2};
  std::size_t runs = 0;
  for (const std::string& setting : settings) {
    Panel panel{.title = names.at(setting)};
    panel.x = {.label = "n (samples)", .scale = Scale::kLog};
    panel.y = {.label = metric + " (units of value)", .scale = Scale::kLog};
    for (std::size_t a = 0; a < algorithms.size(); ++a) {
      const auto keep = [&](const GridCell& cell) {
        return cell.text("algorithm") == algorithms[a] && setting_of(cell.key()) == setting;
      };
      const MetricTable table = metric_over_n(data, metric, keep);
      runs = std::max(runs, table.clusters.size());
      if (auto band = median_band(algorithms[a], table.curve, static_cast<int>(a)))
        panel.series.push_back(std::move(*band));
      if (theory.empty()) continue;
      const std::string name =
          algorithms[a] + (names.at(setting).empty() ? "" : ", " + names.at(setting));
      const RateFit fit = fit_of(data, name, table, mean_curve(table.curve));
      out.findings.push_back(rate_finding(
          fmt::format("{}: the mean {} grows at most like n^{:g}", name, metric, theory[0]), fit,
          {.exponent = theory[0]}));
    }
    if (!panel.series.empty() && figure.panels.size() < kMostPanels)
      figure.panels.push_back(std::move(panel));
  }
  if (settings.size() > kMostPanels)
    out.caveats.push_back(fmt::format("{} of {} settings are drawn; the rows have all.",
                                      kMostPanels, settings.size()));
  figure.caption = fmt::format("{} against n: {} over {} runs.", metric, kBandName, runs);
  figure.columns = figure.panels.size() > 1 ? 2 : 1;
  if (!figure.panels.empty()) out.figures = {std::move(figure)};
  return out;
}

}  // namespace

namespace {

// The stored settings are a suite, but for its first lines.
std::string suite_text(const ExperimentRecord& record) {
  return fmt::format(
      "# speder sweep suite.toml --seed {}, with this suite.toml:\nexperiment = "
      "\"learn\"\n[quick]\n{}",
      record.seed, record.config.substr(record.config.find('\n') + 1));
}

ExperimentReport judge_scaling_studies(const ExperimentData& data) {
  const std::vector<ScalingStudy> studies = scaling_studies(data);
  ExperimentReport out;
  out.design =
      "Each repetition has its own instance, class and samples. N(ε, δ) is what 1 − δ of the runs "
      "need until the gap is at most ε: online that of the mixture of all policies so far, offline "
      "that of the learned one from there on. Points beyond the budget enter as bounds.";
  for (std::size_t i = 0; i < studies.size(); ++i) add_study(studies[i], i + 1, out);
  out.figures = study_figures(studies);
  return out;
}

}  // namespace

ExperimentReport judge_learn(const ExperimentData& data) {
  const ConfigTable config = ConfigTable::parse(data.record.config, data.record.id);
  ExperimentReport out =
      config.has("epsilon") ? judge_scaling_studies(data) : judge_curves(data, config);
  out.again = suite_text(data.record);
  return out;
}

}  // namespace speder
