#include "speder/deep/imitate/page.hpp"

#include <fmt/format.h>

#include "speder/core/check.hpp"
#include "speder/deep/imitate/report.hpp"
#include "speder/deep/imitate/room_report.hpp"
#include "speder/deep/results/table.hpp"
#include "speder/deep/results/training_page.hpp"

namespace speder::deep {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> out;
  for (const char* name : {"imitate.db", "heatmap.db", "runs.db", "run.db"}) {
    if (fs::is_regular_file(path / name)) out.push_back(path / name);
  }
  if (!out.empty()) return out;
  throw InputError(fmt::format("{}: no imitate.db, heatmap.db, runs.db or run.db in this folder",
                               path.string()));
}

ReportSection section(const fs::path& file, const ExperimentData& data) {
  if (data.record.id.starts_with("imitate-")) return imitate_section(data);
  if (data.record.id.starts_with("heatmap-")) return heatmap_section(data);
  throw InputError(fmt::format(
      "{}: experiment '{}' is none of train, bench, imitate or heatmap; show it with: {}",
      file.string(), data.record.id, command_that_shows(data.record.id, file.string())));
}

}  // namespace

std::vector<ReportSection> deep_sections(const std::vector<fs::path>& stores) {
  std::vector<ReportSection> out;
  std::vector<std::string> training;
  for (const fs::path& path : stores) {
    for (const fs::path& file : files_of(path)) {
      const ResultStore store = ResultStore::read(file);
      const std::vector<ExperimentRecord> records = store.experiments();
      if (!records.empty() && is_training_record(records.front())) {
        training.push_back(file.string());
        continue;
      }
      for (const ExperimentRecord& record : records) {
        out.push_back(section(file, {record, store.runs(record.id)}));
      }
    }
  }
  if (!training.empty()) {
    out.insert(out.begin(), training_section(training));
    if (const std::string weak = seed_warning(training); !weak.empty()) {
      out.front().report.caveats.push_back(weak);
    }
  }
  if (out.empty()) throw InputError("the stores are empty: nothing to report");
  return out;
}

fs::path write_deep_report(const std::vector<ReportSection>& sections, const fs::path& out,
                           const PictureStyle& style) {
  PageText text;
  const bool training = sections.front().record.id == "training";
  text.heading =
      training ? "Training runs: tables, curves, results over tasks and seeds"
               : "Latent behavioural cloning on mazes: the paper's claims, measured and judged";
  text.lead = sections.front().record.id;
  if (training && !sections.front().report.caveats.empty()) {
    text.warnings = {sections.front().report.caveats.back()};
  }
  text.rule = fmt::format(
      "A claim that a method is at least as good as another is judged by the 95% interval of the "
      "difference of their success rates, made from the two intervals in the table (Zou and "
      "Donner): "
      "violated when it lies below 0, consistent when it lies above −{}, inconclusive otherwise or "
      "while seeds of the suite are missing. Each interval holds alone. A density is consistent "
      "when "
      "every peak is within {} of its target.",
      kSuccessResolution, kPeakLimit);
  text.audit = false;
  return write_report(sections, {.out = out, .audit = {}, .jobs = 1, .text = text, .style = style});
}

std::string verdict_lines(const std::vector<ReportSection>& sections) {
  std::string out;
  for (const ReportSection& s : sections) {
    for (const Finding& f : s.report.findings) {
      out += fmt::format("{:<13} {}: {} {} ({})\n", to_string(f.verdict), f.claim, f.measured,
                         f.interval, f.reason);
    }
  }
  return out;
}

}  // namespace speder::deep
