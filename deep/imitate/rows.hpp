#pragma once

#include <map>
#include <string>
#include <vector>

#include "speder/deep/imitate/config.hpp"
#include "speder/stats/statistics.hpp"
#include "speder/sweep/store.hpp"

namespace speder::deep {

/// What the seeds of one method on one data set came to.
struct ImitateRow {
  std::string body;                                   // PointMaze or AntMaze
  std::string data;                                   // "medium diverse"
  std::string method;                                 // as in imitation_methods()
  int window = 0;                                     // of a skill; 0 for the others
  std::vector<double> success;                        // of the final evaluation, by seed
  std::vector<double> last;                           // mean of the last evaluations, by seed
  std::vector<double> small_mass;                     // share of Z ≤ ε at the end of phase 1
  std::map<std::int64_t, std::vector<double>> curve;  // step → success of the seeds
  int failed = 0;                                     // runs that diverged; in none of the above
  double mean = 0;                                    // of success
  Interval interval;                                  // see success_interval
};
[[nodiscard]] std::string label(const ImitateRow& row);  // "opal t=10"

/// Rows by data set, medium first, methods in the order of their table, skills by length. `suite`: its evaluation
/// sizes.
[[nodiscard]] std::vector<ImitateRow> imitate_rows(const std::vector<Run>& runs,
                                                   const ImitateSuite& suite);

/// 95%: the hull of Student's interval over seeds and the exact binomial one over all episodes, cut
/// to [0, 1]: seeds which agree by chance do not pass for certainty.
[[nodiscard]] Interval success_interval(const std::vector<double>& seeds, int episodes);

/// A difference a − b of two independent means from their intervals (Zou & Donner 2008; Newcombe
/// 1998 for shares): a − b − √((a − a.low)² + (b.high − b)²) to a − b + √((a.high − a)² + (b − b.low)²)
struct Difference {
  double value = 0;
  Interval interval;
};
[[nodiscard]] Difference difference(const ImitateRow& a, const ImitateRow& b);

/// Markdown.
[[nodiscard]] std::string imitate_table(const std::vector<ImitateRow>& rows);

}  // namespace speder::deep
