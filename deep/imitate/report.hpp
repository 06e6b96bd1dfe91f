#pragma once

#include "speder/deep/imitate/rows.hpp"
#include "speder/plots/report/report.hpp"

namespace speder::deep {

/// One-sided claims "a at least b" about success rates, by the 95% interval of the difference a − b:
/// violated when it lies below 0, consistent when it lies above −kSuccessResolution, inconclusive
/// otherwise, and when one of the two has fewer seeds than the suite.
inline constexpr double kSuccessResolution = 0.05;  // one episode in twenty
[[nodiscard]] Finding at_least(const std::string& claim, const ImitateRow& a, const ImitateRow& b,
                               int seeds);

/// Both claims of the paper on every data set of the store, bar plots, curves, table, commands.
[[nodiscard]] ReportSection imitate_section(const ExperimentData& data);

/// Options that name files as a line of the record's settings; empty ones are left out.
[[nodiscard]] std::string given_files(
    const std::vector<std::pair<std::string, std::string>>& options);
/// The command that makes the runs of such a record: the suite, and what differs from it.
[[nodiscard]] std::string imitate_command(const ExperimentRecord& record);

}  // namespace speder::deep
