#pragma once

#include "speder/plots/report/report.hpp"

namespace speder::deep {

/// The sections of stores that `imitate`, `heatmap`, `train` and `bench` wrote, training runs of all stores
/// as one; a folder stands for the stores in it. InputError when there is nothing to report, or a
/// section for none of them is known.
[[nodiscard]] std::vector<ReportSection> deep_sections(
    const std::vector<std::filesystem::path>& stores);

/// Their page (see write_report), headed by the rule of its verdicts.
std::filesystem::path write_deep_report(const std::vector<ReportSection>& sections,
                                        const std::filesystem::path& out,
                                        const PictureStyle& style = {});
/// A line of text for each claim.
[[nodiscard]] std::string verdict_lines(const std::vector<ReportSection>& sections);

}  // namespace speder::deep
