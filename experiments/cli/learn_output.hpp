#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "speder/experiments/learn/problem.hpp"
#include "speder/sweep/grid_cell.hpp"

namespace speder::cli {

using NamedRow = std::vector<std::pair<std::string_view, double>>;

/// A finished (or interrupted) run, ready to be shown and stored.
struct LearnRecord {
  std::string command;  // online, offline, estimate
  GridCell settings;    // everything the rows depend on
  std::uint64_t seed = 0;
  nlohmann::json facts;  // V*, the class, the behaviour, ...
  std::vector<NamedRow> rows;
  Index interrupted_at = 0;  // 0: ran to the end
};

[[nodiscard]] nlohmann::json to_json(const LearnRecord& record);
/// The columns named, on the last rows of each factor of two, as a table.
[[nodiscard]] std::string table(const LearnRecord& record,
                                const std::vector<std::string_view>& names);
[[nodiscard]] nlohmann::json class_facts(const CandidateClass& made);
[[nodiscard]] std::string class_table(const CandidateClass& made);

/// .db: a run in the SQLite store, beside the others in the file; .csv: the rows; .json: to_json.
/// check_out refuses, before the work, an ending that is none of these, a folder that cannot be
/// written, a store in use or of another build, and a run that the store already has.
void check_out(const std::string& path, const LearnRecord& record);
void write_out(const std::string& path, const LearnRecord& record);
/// Several runs: all in the store; .csv with algorithm and seed before each row; .json: `whole`.
void write_all(const std::string& path, const std::vector<LearnRecord>& records,
               const nlohmann::json& whole);

}  // namespace speder::cli
