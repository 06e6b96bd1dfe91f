#include "speder/plots/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "speder/core/check.hpp"
#include "speder/core/parallel.hpp"
#include "speder/io/durable_file.hpp"
#include "speder/io/text_file.hpp"
#include "speder/plots/render/render.hpp"
#include "speder/plots/report/html.hpp"

namespace speder {
namespace {

namespace fs = std::filesystem;

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

// Drawn as vectors, or as pixels where the vectors are so many that the page would load slowly. Panels
// that stand side by side are drawn a second time one below the other, for a narrow screen.
std::string picture_html(const fs::path& png, const Figure& figure, const PictureStyle& style) {
  constexpr std::size_t kLargeSvg = 1 << 20;
  std::string svg = inline_svg(layout(figure, style), style);
  if (svg.size() > kLargeSvg) return html_png(read_text_file(png), figure.caption);
  if (figure.columns < 2 || figure.panels.size() < 2) return svg;
  Figure narrow = figure;
  narrow.columns = 1;
  return "<div class=\"broad\">" + svg + "</div><div class=\"narrow\">" +
         inline_svg(layout(narrow, style), style) + "</div>";
}

std::string to_csv(const ReportTable& table) {
  std::string out;
  const auto line = [&out](const std::vector<std::string>& cells) {
    std::string_view before;
    for (const std::string& cell : cells) {
      out.append(before).append(csv_field(cell));
      before = ",";
    }
    out += '\n';
  };
  line(table.head);
  for (const auto& row : table.rows) line(row);
  return out;
}

}  // namespace

ReportSection section_of(const ExperimentData& data, ExperimentReport report) {
  ReportSection section{.record = data.record, .report = std::move(report)};
  section.runs = static_cast<std::int64_t>(data.runs.size());
  section.failed = failures(data);
  for (const Run& run : data.runs) {
    section.seconds += run.seconds;
    section.not_numbers +=
        std::ranges::count_if(run.measures, [](const Measure& m) { return std::isnan(m.value); });
  }
  if (section.failed > 0) {
    section.report.caveats.push_back(
        fmt::format("{} of the runs failed and are left out.", section.failed));
  }
  return section;
}

namespace {

// What is left out may be what would have spoken against the claim.
void refuse_consistent(ReportSection& section, const std::string& why) {
  for (Finding& f : section.report.findings) {
    if (!supports(f.verdict)) continue;
    f.verdict = Verdict::kInconclusive;
    f.reason = f.reason.empty() ? why : fmt::format("{}; without them {}", why, f.reason);
  }
}

}  // namespace

// The runs of an unfinished sweep are not a sample of its grid: its last cells are missing.
void leave_open(ReportSection& section) {
  if (section.failed > 0) {
    refuse_consistent(section, fmt::format("{} of {} runs failed", section.failed, section.runs));
  }
  if (section.not_numbers > 0) {
    refuse_consistent(section,
                      fmt::format("{} stored values are not numbers", section.not_numbers));
  }
  if (section.runs >= section.record.planned) return;
  const std::string count =
      fmt::format("unfinished: {} of {} runs", section.runs, section.record.planned);
  auto& caveats = section.report.caveats;
  caveats.insert(caveats.begin(), fmt::format("The sweep is {}.", count));
  for (Finding& f : section.report.findings) {
    f.verdict = Verdict::kInconclusive;
    f.reason = f.reason.empty() ? count : fmt::format("{}; so far {}", count, f.reason);
  }
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
  return nlohmann::json{{"findings", out}}.dump(2, ' ', false,
                                                nlohmann::json::error_handler_t::replace) +
         "\n";
}

fs::path write_report(const std::vector<ReportSection>& sections, const ReportOptions& options) {
  const fs::path pictures = options.out / "figures";
  const fs::path numbers = options.out / "data";
  make_folder(pictures);
  make_folder(numbers);
  const std::vector<const Figure*> figures = figures_of(sections);
  constexpr std::array kFormats = {Picture::kSvg, Picture::kPng, Picture::kPdf, Picture::kTikz};
  const auto file_of = [&](const Figure& f, Picture format) {
    return pictures / (html_id(f.id) + "." + extension(format));
  };
  parallel_for(static_cast<Index>(figures.size() * kFormats.size()), options.jobs, [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    const Figure& figure = *figures[k / kFormats.size()];
    const Picture format = kFormats[k % kFormats.size()];
    render(figure, format, file_of(figure, format), options.style);
  });
  std::vector<std::string> shown;
  for (const Figure* f : figures) {
    shown.push_back(picture_html(file_of(*f, Picture::kPng), *f, options.style));
    write_text_file(numbers / (html_id(f->id) + ".csv"), to_csv(*f));
  }
  for (const ReportSection& s : sections) {
    for (const ReportTable& t : s.report.tables) {
      write_text_file(numbers / (html_id(t.id) + ".csv"), to_csv(t));
    }
  }
  const auto audit = options.audit ? read_audit(*options.audit) : std::vector<AuditEntry>{};
  write_text_file(options.out / "report.json", report_json(sections));
  write_text_file(options.out / "index.html", report_html(sections, shown, audit, options.text));
  return options.out / "index.html";
}

}  // namespace speder
