#include "speder/sweep/store_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "speder/core/check.hpp"

namespace speder {
namespace {

constexpr std::string_view kRecord = "experiment ";

std::string subject(const ExperimentRecord& r) { return std::string(kRecord) + r.id; }
std::string runs_of(std::string_view experiment) { return fmt::format("run {} [", experiment); }
std::string subject(const RunKey& k) {
  return fmt::format("{}{}] {}", runs_of(k.experiment), k.cell, k.repetition);
}

std::string fingerprint(const ExperimentRecord& r) {
  return digest(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", r.id, r.config, r.seed, r.planned,
                            r.build.version, r.build.commit, r.build.compiler, r.build.build_type));
}

std::string fingerprint(const Run& run) {
  std::string text =
      fmt::format("{} {} {} {:a}\n", subject(run.key), run.failed, run.error, run.seconds);
  std::vector<Measure> measures = run.measures;
  std::ranges::sort(measures, {}, [](const Measure& m) { return std::tie(m.metric, m.n); });
  for (const Measure& m : measures) {  // SQLite keeps no sign of a NaN
    text += std::isnan(m.value) ? fmt::format("{} {} nan\n", m.metric, m.n)
                                : fmt::format("{} {} {:a}\n", m.metric, m.n, m.value);
  }
  return digest(text);
}

void insert(SQLite::Database& db, const std::string& subject, const std::string& digest) {
  SQLite::Statement statement(db, "INSERT INTO checks VALUES (?, ?)");
  statement.bind(1, subject);
  statement.bind(2, digest);
  statement.exec();
}

}  // namespace

void insert_check(SQLite::Database& db, const ExperimentRecord& record) {
  insert(db, subject(record), fingerprint(record));
}
void insert_check(SQLite::Database& db, const Run& run) {
  insert(db, subject(run.key), fingerprint(run));
}

void remove_check(SQLite::Database& db, const Run& run) {
  SQLite::Statement statement(db, "DELETE FROM checks WHERE subject = ?");
  statement.bind(1, subject(run.key));
  statement.exec();
}

StoreChecks::StoreChecks(SQLite::Database& db, std::filesystem::path path)
    : path_(std::move(path)) {
  if (!db.tableExists("checks")) return;
  SQLite::Statement query(db, "SELECT subject, digest FROM checks");
  while (query.executeStep()) {
    unseen_.emplace(query.getColumn(0).getString(), query.getColumn(1).getString());
  }
}

void StoreChecks::require_unchanged(const ExperimentRecord& record) {
  if (checked(record.id)) require(subject(record), fingerprint(record));
}
void StoreChecks::require_unchanged(const Run& run) {
  if (checked(run.key.experiment)) require(subject(run.key), fingerprint(run));
}
bool StoreChecks::checked(const std::string& experiment) const {
  return unseen_.contains(std::string(kRecord) + experiment);
}
void StoreChecks::require_all_records_seen() const { require_none_left(std::string(kRecord)); }
void StoreChecks::require_all_runs_seen(std::string_view experiment) const {
  require_none_left(runs_of(experiment));
}

void StoreChecks::require(const std::string& subject, const std::string& digest) {
  const auto found = unseen_.find(subject);
  if (found == unseen_.end() || found->second != digest) fail(subject);
  unseen_.erase(found);
}

void StoreChecks::require_none_left(const std::string& prefix) const {
  const auto next = unseen_.lower_bound(prefix);
  if (next != unseen_.end() && next->first.starts_with(prefix)) fail(next->first);
}

void StoreChecks::fail(const std::string& subject) const {
  throw InputError(fmt::format(
      "{}: is damaged: {} is not as it was written; move the store away and run the sweep again",
      path_.string(), subject));
}

}  // namespace speder
