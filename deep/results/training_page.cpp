#include "speder/deep/results/training_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "speder/deep/results/aggregates.hpp"
#include "speder/deep/results/curves.hpp"
#include "speder/deep/results/run_settings.hpp"
#include "speder/deep/results/table.hpp"

namespace speder::deep {
namespace {

ReportTable suite_table(std::string_view suite, const std::vector<OurCell>& ours) {
  ReportTable out{
      .id = fmt::format("table-{}", suite),
      .caption = "Published rows as printed, * taken there from MBBL; ours: mean ± std over seeds.",
      .head = {"row"},
      .rows = {}};
  const std::vector<std::string>& envs = suite_envs(suite);
  out.head.insert(out.head.end(), envs.begin(), envs.end());
  for (const ResultRow& row : result_rows(suite, ours)) {
    std::vector<std::string>& line =
        out.rows.emplace_back(std::vector{row.name + (row.published ? " (published)" : ", ours")});
    for (std::size_t i = 0; i < envs.size(); ++i) {
      std::string cell = row.values[i]          ? cell_text(*row.values[i])
                         : row.notes[i].empty() ? ""
                                                : "–";
      if (row.misprints[i] >= 0) cell += fmt::format(" [{}]", row.misprints[i] + 1);
      if (!row.notes[i].empty()) cell += " (" + row.notes[i] + ")";
      line.push_back(std::move(cell));
    }
  }
  if (const std::string note = older_note(preset_labels(ours)); !note.empty())
    out.caption += " " + note;
  for (const std::string& note : misprint_notes(suite)) out.caption += " " + note;
  return out;
}

bool of_suite(std::string_view suite, const std::vector<OurCell>& ours) {
  const auto& envs = suite_envs(suite);
  return std::ranges::any_of(
      ours, [&](const OurCell& c) { return std::ranges::find(envs, c.env) != envs.end(); });
}

// One line a kind of runs: what it was run with that others were not.
ReportTable settings_table(const std::vector<OurCell>& ours) {
  ReportTable out{.id = "settings",
                  .caption =
                      "Every kind of runs; named settings are those in which runs of one task and "
                      "algorithm differ.",
                  .head = {"task", "algorithm", "preset and settings", "steps", "seeds", "failed"},
                  .rows = {}};
  for (const OurCell& c : ours)
    out.rows.push_back({c.env, c.algorithm, c.preset, fmt::format("{}", c.steps),
                        fmt::format("{}", c.seeds), fmt::format("{}", c.failed)});
  return out;
}

// Commands that make the same runs again.
std::string commands(const std::vector<Run>& runs) {
  std::set<std::string> out;
  for (const Run& run : runs) {
    const GridCell cell = GridCell::parse(run.key.cell);
    std::string line = fmt::format(
        "speder deep train --env {} --algorithm {} --preset {} --steps {:.0f} --seed {}",
        cell.text("env"), cell.text("algorithm"), cell.text("preset"), cell.number("steps"),
        run.key.repetition);
    if (cell.has("with")) {
      std::string set = cell.text("with");
      std::ranges::replace(set, ':', '=');
      for (std::size_t at = 0; at < set.size();) {
        const std::size_t end = std::min(set.find(',', at), set.size());
        const std::string one = set.substr(at, end - at);
        if (!one.ends_with("=unset")) line += " --set " + one;
        at = end + 1;
      }
    }
    out.insert(line + " --out runs/again");
  }
  std::string text;
  for (const std::string& line : out) text += line + "\n";
  return text;
}

}  // namespace

bool is_training_record(const ExperimentRecord& record) { return record.id.starts_with("deep"); }

std::string seed_warning(const std::vector<std::string>& stores) {
  const std::vector<OurCell> ours = summarise(comparable_runs(stores));
  const auto few = std::ranges::count_if(
      ours, [](const OurCell& c) { return c.seeds < static_cast<int>(kFewestSeeds); });
  if (few == 0) return "";
  return fmt::format(
      "{} of {} kinds of runs have fewer than five seeds: their intervals are weak, and "
      "differences between them say little.",
      few, ours.size());
}

ReportSection training_section(const std::vector<std::string>& stores) {
  const std::vector<Run> runs = comparable_runs(stores);
  const std::vector<OurCell> ours = summarise(runs);
  ExperimentData data{.record = ResultStore::read(stores.front()).experiments().front(),
                      .runs = runs};
  data.record.id = "training";
  data.record.planned = std::ssize(runs);
  ExperimentReport report;
  report.question = "What did training come to?";
  for (const char* suite : {"mbbl", "dmc"}) {
    if (of_suite(suite, ours)) report.tables.push_back(suite_table(suite, ours));
  }
  const ScoreTable scores = score_table(runs);
  if (!scores.methods.empty()) {
    for (const std::string& task : scores.tasks) {
      report.design +=
          (report.design.empty() ? "Aggregates are over the tasks that every method was run on: "
                                 : ", ") +
          task;
    }
    report.design += ".";
    for (const std::string& kind : scores.left_out)
      report.design +=
          (&kind == &scores.left_out.front() ? " Left out, run on too few of them: " : ", ") + kind;
    if (!scores.left_out.empty()) report.design += ".";
    report.figures.push_back(aggregate_figure(scores, data.record.seed));
    report.figures.push_back(profile_figure(scores, data.record.seed));
    if (auto figure = improvement_figure(scores, data.record.seed))
      report.figures.push_back(std::move(*figure));
    report.lead = aggregate_table(scores, data.record.seed);
    report.tables.push_back(*report.lead);
  }
  report.figures.push_back(learning_curves(runs));
  for (Figure& figure : feature_curves(runs)) report.figures.push_back(std::move(figure));
  report.tables.push_back(settings_table(ours));
  report.again = commands(runs);
  return section_of(data, std::move(report));
}

}  // namespace speder::deep
