#include "plots/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "plots/html.hpp"
#include "plots/render.hpp"

namespace speder {
namespace {

namespace fs = std::filesystem;

// Whole or not at all.
void write_file(const fs::path& file, const std::string& text) {
  fs::path temporary = file;
  temporary += fmt::format(".{}.tmp", ::getpid());
  std::ofstream out(temporary, std::ios::binary);
  out << text;
  out.close();
  std::error_code error;
  if (out) fs::rename(temporary, file, error);
  if (out && !error) return;
  fs::remove(temporary, error);
  throw InputError(file.string() + ": could not be written (disk full, or a read-only folder?)");
}

std::string read_file(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) {
    throw InputError(folder.string() + ": the folder cannot be made (" + error.message() + ")");
  }
}

std::vector<const Figure*> figures_of(const std::vector<ReportSection>& sections) {
  std::vector<const Figure*> out;
  std::set<std::string> ids;
  for (const ReportSection& s : sections) {
    for (const Figure& f : s.report.figures) {
      require(ids.insert(html_id(f.id)).second, "each figure has an id of its own", f.id);
      out.push_back(&f);
    }
  }
  return out;
}

}  // namespace

ReportSection analyse(const ExperimentData& data) {
  const ExperimentRecord& record = data.record;
  const auto analysis = analysis_table().find(record.id);
  if (analysis == analysis_table().end()) {
    throw InputError(fmt::format("there is no analysis for experiment '{}'", record.id));
  }
  ReportSection section{.record = record, .report = analysis->second(data)};
  section.runs = static_cast<std::int64_t>(data.runs.size());
  section.failed = failures(data);
  for (const Run& run : data.runs) section.seconds += run.seconds;
  if (section.runs < record.planned) {
    section.report.caveats.push_back(
        fmt::format("The sweep is unfinished: {} of {} runs.", section.runs, record.planned));
  }
  if (section.failed > 0) {
    section.report.caveats.push_back(
        fmt::format("{} of the runs failed and are left out.", section.failed));
  }
  return section;
}

std::vector<ReportSection> analyse(const ResultStore& store) {
  std::vector<ReportSection> out;
  for (const ExperimentRecord& record : store.experiments()) {
    out.push_back(analyse(ExperimentData{record, store.runs(record.id)}));
  }
  return out;
}

std::string report_json(const std::vector<ReportSection>& sections) {
  nlohmann::json out = nlohmann::json::array();
  for (const ReportSection& s : sections) {
    for (const Finding& f : s.report.findings) {
      out.push_back({{"experiment", s.record.id},
                     {"claim", f.claim},
                     {"role", f.role == Role::kMutation ? "mutation" : "claim"},
                     {"measured", f.measured},
                     {"interval", f.interval},
                     {"theory", f.theory},
                     {"ratio", f.ratio},
                     {"verdict", to_string(f.verdict)},
                     {"reason", f.reason},
                     {"acceptable", acceptable(f)}});
    }
  }
  return nlohmann::json{{"findings", out}}.dump(2) + "\n";
}

fs::path write_report(const std::vector<ReportSection>& sections, const ReportOptions& options) {
  const fs::path pictures = options.out / "figures";
  const fs::path numbers = options.out / "data";
  make_folder(pictures);
  make_folder(numbers);
  const std::vector<const Figure*> figures = figures_of(sections);
  constexpr std::array kFormats = {Picture::kSvg, Picture::kPng, Picture::kPdf};
  const auto file_of = [&](const Figure& f, Picture format) {
    return pictures / (html_id(f.id) + "." + extension(format));
  };
  parallel_for(static_cast<Index>(figures.size() * kFormats.size()), options.jobs, [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    const Figure& figure = *figures[k / kFormats.size()];
    const Picture format = kFormats[k % kFormats.size()];
    render(figure, format, file_of(figure, format));
  });
  std::vector<std::string> svgs;
  for (const Figure* f : figures) {
    svgs.push_back(read_file(file_of(*f, Picture::kSvg)));
    write_file(numbers / (html_id(f->id) + ".csv"), to_csv(*f));
  }
  const auto audit = options.audit ? read_audit(*options.audit) : std::vector<AuditEntry>{};
  write_file(options.out / "report.json", report_json(sections));
  write_file(options.out / "index.html", report_html(sections, svgs, audit));
  return options.out / "index.html";
}

}  // namespace speder
