#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "speder/plots/analysis.hpp"
#include "speder/plots/layout/scene.hpp"
#include "speder/plots/report/audit.hpp"
#include "speder/sweep/store.hpp"

namespace speder {

/// An experiment of the store, analysed.
struct ReportSection {
  ExperimentRecord record;
  ExperimentReport report = {};
  std::int64_t runs = 0;
  std::int64_t failed = 0;
  std::int64_t not_numbers = 0;  // stored values that are NaN
  double seconds = 0;            // computing time over all runs
};

/// An analysis with what the store says of its runs; failed ones become a caveat.
[[nodiscard]] ReportSection section_of(const ExperimentData& data, ExperimentReport report);
/// Makes every verdict inconclusive while runs are missing; where runs failed or stored values are
/// not numbers, nothing is consistent.
void leave_open(ReportSection& section);

/// What a page says above its sections; as it stands, for the theory's rates.
struct PageText {
  std::string heading = "Low-rank MDPs: the theory's rates, measured and judged";
  std::string rule =
      "The theory's rates are upper bounds: consistent means that the 95% interval of the measured "
      "exponent lies at or below the theory's, never that they are equal.";
  bool audit = true;         // has a section for the audit, run or not
  std::string lead = "map";  // the experiment whose first figure the page begins with
  std::vector<std::string> warnings = {};
};

struct ReportOptions {
  std::filesystem::path out;                        // folder, made when absent
  std::optional<std::filesystem::path> audit = {};  // audit.json
  int jobs = 0;                                     // pictures drawn at once; 0: all cores
  PageText text = {};
  PictureStyle style = {};
};

/// Writes out/index.html (self-contained), out/figures/*.{svg,png,pdf,tex}, out/data/*.csv and
/// out/report.json. Returns the page's path.
std::filesystem::path write_report(const std::vector<ReportSection>& sections,
                                   const ReportOptions& options);

/// The page, given each figure's picture as HTML in the order of the sections.
[[nodiscard]] std::string report_html(const std::vector<ReportSection>& sections,
                                      const std::vector<std::string>& pictures_html,
                                      const std::vector<AuditEntry>& audit, const PageText& text);
/// The verdict table for machines.
[[nodiscard]] std::string report_json(const std::vector<ReportSection>& sections);

}  // namespace speder
