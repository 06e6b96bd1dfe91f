#include "speder/experiments/cli/learn_output.hpp"
#include "speder/cli/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include "speder/core/check.hpp"
#include "speder/io/durable_file.hpp"
#include "speder/io/text_file.hpp"
#include "speder/sweep/store.hpp"

namespace speder::cli {
namespace {

nlohmann::json number(double value) {  // JSON has no NaN and no infinity
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? nlohmann::json() : nlohmann::json(value > 0 ? "inf" : "-inf");
}

ExperimentRecord experiment_of(const LearnRecord& record) {
  return {.id = "learn-" + record.command,
          .config = "speder learn " + record.command + ": settings are in the cell of each run",
          .seed = 0,
          .planned = 0,
          .build = this_build()};
}

RunKey key_of(const LearnRecord& record) {
  GridCell cell = record.settings;
  if (record.interrupted_at > 0) {
    cell.set("interrupted_at", static_cast<double>(record.interrupted_at));
  }
  return {"learn-" + record.command, cell.key(), static_cast<std::int64_t>(record.seed)};
}

Run run_of(const LearnRecord& record) {
  Run run{.key = key_of(record)};
  for (const NamedRow& row : record.rows) {
    const auto n = static_cast<std::int64_t>(row.front().second);
    for (const auto& [name, value] : row) {
      if (name == "seconds") run.seconds = value;
      if (name == "n" || name == "seconds" || std::isnan(value)) continue;
      run.measures.push_back({std::string(name), n, value});
    }
  }
  if (record.interrupted_at > 0) {
    run.failed = true;
    run.error = fmt::format("interrupted at n = {}", record.interrupted_at);
  }
  return run;
}

// All of them or none.
void store(const std::string& path, std::span<const LearnRecord> records) {
  if (records.empty()) return;
  std::vector<Run> runs;
  for (const LearnRecord& record : records) runs.push_back(run_of(record));
  ResultStore results = ResultStore::open(path);
  results.declare(experiment_of(records.front()));
  results.append(runs);
}

void add_csv(const LearnRecord& record, const std::string& prefix, std::string& text) {
  for (const NamedRow& row : record.rows) {
    text += prefix;
    for (const auto& [name, value] : row) text += fmt::format("{},", value);
    text.back() = '\n';
  }
}

std::string csv_head(const LearnRecord& record) {
  std::string text;
  for (const auto& [name, value] : record.rows.front()) text += fmt::format("{},", name);
  text.back() = '\n';
  return text;
}

std::string csv(const LearnRecord& record) {
  std::string text;
  if (record.rows.empty()) return text;
  text = csv_head(record);
  add_csv(record, "", text);
  return text;
}

std::string csv(const std::vector<LearnRecord>& records) {
  if (records.empty()) return "";
  std::string text = "algorithm,seed," + csv_head(records.front());
  for (const LearnRecord& record : records)
    add_csv(record, fmt::format("{},{},", record.settings.text("algorithm"), record.seed), text);
  return text;
}

}  // namespace

nlohmann::json to_json(const LearnRecord& record) {
  nlohmann::json object = {{"command", "learn " + record.command},
                           {"settings", record.settings.key()},
                           {"seed", record.seed}};
  object["interrupted_at"] =
      record.interrupted_at > 0 ? nlohmann::json(record.interrupted_at) : nlohmann::json();
  object.update(record.facts);
  nlohmann::json rows = nlohmann::json::array();
  for (const NamedRow& row : record.rows) {
    nlohmann::json line;
    for (const auto& [name, value] : row) line[std::string(name)] = number(value);
    rows.push_back(std::move(line));
  }
  object["rows"] = std::move(rows);
  return object;
}

std::string table(const LearnRecord& record, const std::vector<std::string_view>& names) {
  std::string text;
  for (const auto& name : names) text += fmt::format("{:>15}", name);
  double next = 0;
  for (std::size_t i = 0; i < record.rows.size(); ++i) {
    const double n = record.rows[i].front().second;
    if (n < next && i + 1 < record.rows.size()) continue;
    next = 2 * n;
    text += '\n';
    for (const auto& name : names) {
      const auto at = std::find_if(record.rows[i].begin(), record.rows[i].end(),
                                   [&](const auto& entry) { return entry.first == name; });
      text += std::isnan(at->second) ? fmt::format("{:>15}", "-")
                                     : fmt::format("{:>15.6g}", at->second);
    }
  }
  return text + '\n';
}

nlohmann::json class_facts(const CandidateClass& made) {
  nlohmann::json scales = nlohmann::json::array();
  for (const ScaleRow& row : distance_histogram(made)) {
    scales.push_back({{"scale", row.scale},
                      {"wanted", row.wanted},
                      {"count", row.count},
                      {"least", row.least},
                      {"mean", row.mean},
                      {"largest", row.largest}});
  }
  return {{"size", made.candidates.size()},
          {"rank", made.candidates.rank()},
          {"precision", to_string(made.candidates.precision())},
          {"bytes", made.candidates.bytes()},
          {"truth", made.truth ? nlohmann::json(*made.truth) : nlohmann::json()},
          {"nearest", number(made.nearest)},
          {"base", made.base},
          {"scales", std::move(scales)}};
}

std::string class_table(const CandidateClass& made) {
  std::string text = fmt::format("{:>6}{:>12}{:>8}{:>12}{:>12}{:>12}\n", "scale", "wanted", "count",
                                 "least", "mean", "largest");
  for (const ScaleRow& row : distance_histogram(made)) {
    text += fmt::format("{:>6}{:>12.4g}{:>8}{:>12.4g}{:>12.4g}{:>12.4g}\n",
                        row.scale < 0 ? "P*" : fmt::format("{}", row.scale), row.wanted, row.count,
                        row.least, row.mean, row.largest);
  }
  return text;
}

void check_out(const std::string& path, const LearnRecord& record) {
  if (path.empty()) return;
  const std::string ending = std::filesystem::path(path).extension();
  if (ending != ".db" && ending != ".csv" && ending != ".json") {
    throw InputError(fmt::format("--out {}: the name must end in .db, .csv or .json", path));
  }
  if (ending != ".db" || !std::filesystem::exists(path)) return require_writable(path);
  ResultStore results = ResultStore::open(path);
  results.declare(experiment_of(record));
  const auto finished = results.finished("learn-" + record.command);
  if (std::find(finished.begin(), finished.end(), key_of(record)) != finished.end()) {
    throw InputError(
        fmt::format("--out {}: has this run already; change the seed or the settings", path));
  }
}

void write_out(const std::string& path, const LearnRecord& record) {
  if (path.empty()) return;
  const std::string ending = std::filesystem::path(path).extension();
  if (ending == ".db") {
    store(path, {&record, 1});
  } else if (ending == ".csv") {
    write_text_file(path, csv(record));
  } else {
    write_text_file(path, json_text(to_json(record), 2) + "\n");
  }
}

void write_all(const std::string& path, const std::vector<LearnRecord>& records,
               const nlohmann::json& whole) {
  if (path.empty()) return;
  const std::string ending = std::filesystem::path(path).extension();
  if (ending == ".db") {
    store(path, records);
  } else if (ending == ".csv") {
    write_text_file(path, csv(records));
  } else {
    write_text_file(path, json_text(whole, 2) + "\n");
  }
}

}  // namespace speder::cli
