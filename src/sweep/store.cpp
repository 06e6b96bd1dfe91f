#include "speder/sweep/store.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "speder/core/check.hpp"
#include "speder/io/file_lock.hpp"
#include "speder/io/sqlite_file.hpp"
#include "speder/sweep/store_checks.hpp"

namespace speder {
namespace {

namespace fs = std::filesystem;

double real_or_nan(const SQLite::Column& column) {  // SQLite stores NaN as NULL
  return column.isNull() ? std::numeric_limits<double>::quiet_NaN() : column.getDouble();
}

std::uint64_t unsigned_number(const std::string& text) {
  std::uint64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

std::string difference(const ExperimentRecord& stored, const ExperimentRecord& wanted) {
  if (stored.build != wanted.build) {
    const auto name = [](const Manifest& m) {
      return fmt::format("{} {} {} {}", m.version, m.commit, m.compiler, m.build_type);
    };
    return fmt::format("by another build ({}, this is {})", name(stored.build), name(wanted.build));
  }
  if (stored.seed != wanted.seed) {
    return fmt::format("with seed {}, not {}", stored.seed, wanted.seed);
  }
  return "with other settings";
}

ExperimentRecord read_record(SQLite::Statement& row) {
  return {.id = row.getColumn(0).getString(),
          .config = row.getColumn(1).getString(),
          .seed = unsigned_number(row.getColumn(2).getString()),
          .planned = row.getColumn(3).getInt64(),
          .build = {.version = row.getColumn(4).getString(),
                    .commit = row.getColumn(5).getString(),
                    .compiler = row.getColumn(6).getString(),
                    .build_type = row.getColumn(7).getString()}};
}

void insert(SQLite::Database& db, const Run& run) {
  SQLite::Statement insert_run(
      db, "INSERT INTO runs(experiment, cell, repetition, status, error) VALUES (?, ?, ?, ?, ?)");
  insert_run.bind(1, run.key.experiment);
  insert_run.bind(2, run.key.cell);
  insert_run.bind(3, run.key.repetition);
  insert_run.bind(4, run.failed ? "failed" : "ok");
  insert_run.bind(5, run.error);
  insert_run.exec();
  const std::int64_t id = db.getLastInsertRowid();
  SQLite::Statement insert_row(db, "INSERT INTO rows VALUES (?, ?, ?, ?)");
  for (const Measure& m : run.measures) {
    insert_row.bind(1, id);
    insert_row.bind(2, m.metric);
    insert_row.bind(3, m.n);
    insert_row.bind(4, m.value);
    insert_row.exec();
    insert_row.reset();
  }
  SQLite::Statement insert_time(db, "INSERT INTO timing VALUES (?, ?)");
  insert_time.bind(1, id);
  insert_time.bind(2, run.seconds);
  insert_time.exec();
  insert_check(db, run);
}

}  // namespace

struct ResultStore::Connection {
  std::optional<FileLock> lock;  // released after the database is closed
  SQLite::Database db;
};

ResultStore::ResultStore(fs::path path, std::unique_ptr<Connection> connection)
    : path_(std::move(path)), connection_(std::move(connection)) {}
ResultStore::ResultStore(ResultStore&&) noexcept = default;
ResultStore::~ResultStore() = default;

ResultStore ResultStore::open(const fs::path& path) {
  std::error_code ignored;  // one store has one lock, whatever link leads to it
  const fs::path real = fs::weakly_canonical(path, ignored);
  std::optional<FileLock> lock = FileLock::acquire((real.empty() ? path : real).string() + ".lock");
  if (!lock) {
    throw InputError(path.string() +
                     ": store is in use by another sweep; wait for it or choose another store");
  }
  return {path,
          std::make_unique<Connection>(Connection{std::move(lock), open_sqlite_for_writing(path)})};
}

ResultStore ResultStore::read(const fs::path& path) {
  if (!fs::exists(path)) throw InputError(path.string() + ": no such file");
  if (fs::is_directory(path)) throw InputError(path.string() + ": is a folder, not a store");
  if (!fs::is_regular_file(path)) {
    throw InputError(path.string() + ": is not a result store (not a regular file)");
  }
  return {path,
          std::make_unique<Connection>(Connection{std::nullopt, open_sqlite_for_reading(path)})};
}

void ResultStore::declare(const ExperimentRecord& record) {
  for (const ExperimentRecord& stored : experiments()) {
    if (stored.id != record.id) continue;
    if (stored == record) return;
    throw InputError(
        fmt::format("{}: experiment '{}' is already there, made {}; choose another "
                    "store or remove this one",
                    path_.string(), record.id, difference(stored, record)));
  }
  sqlite_guarded(path_, [&] {
    SQLite::Transaction transaction(connection_->db);
    SQLite::Statement insert(connection_->db,
                             "INSERT INTO manifest VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, record.id);
    insert.bind(2, record.config);
    insert.bind(3, fmt::format("{}", record.seed));
    insert.bind(4, record.planned);
    insert.bind(5, record.build.version);
    insert.bind(6, record.build.commit);
    insert.bind(7, record.build.compiler);
    insert.bind(8, record.build.build_type);
    insert.exec();
    insert_check(connection_->db, record);
    transaction.commit();
  });
}

void ResultStore::append(std::span<const Run> runs) {
  sqlite_guarded(path_, [&] {
    SQLite::Transaction transaction(connection_->db);
    for (const Run& run : runs) insert(connection_->db, run);
    transaction.commit();
  });
}

void ResultStore::forget_failed(std::string_view experiment) {
  const std::vector<Run> all = runs(experiment);
  sqlite_guarded(path_, [&] {
    SQLite::Transaction transaction(connection_->db);
    for (const char* statement :
         {"DELETE FROM rows WHERE run IN "
          "(SELECT id FROM runs WHERE experiment = ? AND status = 'failed')",
          "DELETE FROM timing WHERE run IN "
          "(SELECT id FROM runs WHERE experiment = ? AND status = 'failed')",
          "DELETE FROM runs WHERE experiment = ? AND status = 'failed'"}) {
      SQLite::Statement remove(connection_->db, statement);
      remove.bind(1, std::string(experiment));
      remove.exec();
    }
    for (const Run& run : all) {
      if (run.failed) remove_check(connection_->db, run);
    }
    transaction.commit();
  });
}

std::vector<ExperimentRecord> ResultStore::experiments() const {
  return sqlite_guarded(path_, [&] {
    const SQLite::Transaction snapshot(connection_->db);
    std::vector<ExperimentRecord> out;
    StoreChecks checks(connection_->db, path_);
    SQLite::Statement query(connection_->db, "SELECT * FROM manifest ORDER BY experiment");
    while (query.executeStep()) {
      out.push_back(read_record(query));
      checks.require_unchanged(out.back());
    }
    checks.require_all_records_seen();
    return out;
  });
}

std::vector<RunKey> ResultStore::finished(std::string_view experiment) const {
  std::vector<RunKey> out;
  for (Run& run : runs(experiment)) out.push_back(std::move(run.key));
  return out;
}

std::vector<Run> ResultStore::runs(std::string_view experiment) const {
  return sqlite_guarded(path_, [&] {
    const SQLite::Transaction snapshot(connection_->db);
    std::vector<Run> out;
    SQLite::Statement query(
        connection_->db,
        "SELECT cell, repetition, status, error, seconds, metric, n, value FROM runs "
        "JOIN timing ON timing.run = runs.id LEFT JOIN rows ON rows.run = runs.id "
        "WHERE experiment = ? ORDER BY cell, repetition, metric, n");
    query.bind(1, std::string(experiment));
    while (query.executeStep()) {
      RunKey key{std::string(experiment), query.getColumn(0).getString(),
                 query.getColumn(1).getInt64()};
      if (out.empty() || out.back().key != key) {
        out.push_back({.key = std::move(key),
                       .measures = {},
                       .failed = query.getColumn(2).getString() == "failed",
                       .error = query.getColumn(3).getString(),
                       .seconds = query.getColumn(4).getDouble()});
      }
      if (query.getColumn(5).isNull()) continue;  // a run without rows
      out.back().measures.push_back({query.getColumn(5).getString(), query.getColumn(6).getInt64(),
                                     real_or_nan(query.getColumn(7))});
    }
    StoreChecks checks(connection_->db, path_);
    for (const Run& run : out) checks.require_unchanged(run);
    checks.require_all_runs_seen(experiment);
    return out;
  });
}

double ResultStore::seconds(std::string_view experiment) const {
  return sqlite_guarded(path_, [&] {
    SQLite::Statement query(connection_->db,
                            "SELECT total(seconds) FROM timing JOIN runs ON timing.run = runs.id "
                            "WHERE experiment = ?");
    query.bind(1, std::string(experiment));
    query.executeStep();
    return query.getColumn(0).getDouble();
  });
}

void ResultStore::each_row(const std::function<void(const ResultRow&)>& visit) const {
  for (const ExperimentRecord& e : experiments()) {
    for (const Run& run : runs(e.id)) {
      for (const Measure& m : run.measures) visit({run.key, m.metric, m.n, m.value});
    }
  }
}

std::string ResultStore::content() const {
  std::string out;
  for (const ExperimentRecord& e : experiments()) {
    out += fmt::format("experiment {} seed {} planned {} build {} {} {} {}\n{}\n", e.id, e.seed,
                       e.planned, e.build.version, e.build.commit, e.build.compiler,
                       e.build.build_type, e.config);
    for (const Run& run : runs(e.id)) {
      out += fmt::format("run [{}] {} {} {}\n", run.key.cell, run.key.repetition,
                         run.failed ? "failed" : "ok", run.error);
      for (const Measure& m : run.measures)
        out += fmt::format("{} {} {:a}\n", m.metric, m.n, m.value);
    }
  }
  return out;
}

std::string draw_name(std::string_view metric, int draw) {
  return draw == 0 ? std::string(metric) : fmt::format("{}.{}", metric, draw);
}

std::string digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("{:016x}", hash);
}

}  // namespace speder
