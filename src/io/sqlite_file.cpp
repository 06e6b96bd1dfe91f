#include "speder/io/sqlite_file.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <map>
#include <string>

#include "speder/core/check.hpp"

namespace speder {
namespace {

namespace fs = std::filesystem;

constexpr int kSchema = 1;                 // PRAGMA user_version
constexpr int kApplication = 0x53504452;   // PRAGMA application_id: "SPDR"
constexpr int kBusyMilliseconds = 10'000;  // a reader may hold a checkpoint up this long
constexpr const char* kTables = R"(
  CREATE TABLE manifest(
    experiment TEXT PRIMARY KEY, config TEXT NOT NULL, seed TEXT NOT NULL, planned INTEGER NOT NULL,
    version TEXT NOT NULL, commit_id TEXT NOT NULL, compiler TEXT NOT NULL, build_type TEXT NOT NULL);
  CREATE TABLE runs(
    id INTEGER PRIMARY KEY, experiment TEXT NOT NULL REFERENCES manifest(experiment),
    cell TEXT NOT NULL, repetition INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('ok', 'failed')), error TEXT NOT NULL,
    UNIQUE (experiment, cell, repetition));
  CREATE TABLE rows(
    run INTEGER NOT NULL REFERENCES runs(id), metric TEXT NOT NULL, n INTEGER NOT NULL, value REAL,
    PRIMARY KEY (run, metric, n)) WITHOUT ROWID;
  CREATE TABLE timing(run INTEGER PRIMARY KEY REFERENCES runs(id), seconds REAL NOT NULL);)";
// Digests of what was written: SQLite itself does not notice a bit that flips inside a number.
constexpr const char* kChecks =
    "CREATE TABLE IF NOT EXISTS checks(subject TEXT PRIMARY KEY, digest TEXT NOT NULL) WITHOUT "
    "ROWID";

std::string advice(int code) {
  switch (code) {
    case SQLITE_NOTADB:
      return "is not a result store (not an SQLite file)";
    case SQLITE_CORRUPT:
      return "is damaged; move it away and run the sweep again";
    case SQLITE_FULL:
      return "could not be written: the disk is full; free some room and start again, finished "
             "runs are kept";
    case SQLITE_IOERR:
      return "could not be read or written (disk full or failing?); finished runs are kept";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "is read-only; choose a file you may write to";
    case SQLITE_CANTOPEN:
      return "cannot be opened; does its folder exist, and may you use it?";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "is locked by another program";
    default:
      return "";
  }
}

}  // namespace

void fail_sqlite(const fs::path& path, const SQLite::Exception& e) {
  const std::string known = advice(e.getErrorCode());
  throw InputError(path.string() + ": " +
                   (known.empty() ? fmt::format("result store: {}", e.what()) : known));
}

namespace {

void require_schema(SQLite::Database& db, const fs::path& path) {
  const int application = db.execAndGet("PRAGMA application_id").getInt();
  const int version = db.execAndGet("PRAGMA user_version").getInt();
  if (application == 0 && version == 0 &&
      db.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0) {
    throw InputError(path.string() +
                     ": is empty (stopped before anything was stored); start the sweep again");
  }
  if (application != kApplication) {
    throw InputError(path.string() + ": is not a result store (an SQLite file of something else)");
  }
  if (version != kSchema) {
    throw InputError(fmt::format("{}: was made by {} speder (schema {}, this one reads schema {})",
                                 path.string(), version > kSchema ? "a newer" : "an older", version,
                                 kSchema));
  }
}

// Name and statement of everything in the schema but SQLite's own automatic indexes.
std::map<std::string, std::string> schema_of(SQLite::Database& db) {
  std::map<std::string, std::string> out;
  SQLite::Statement row(db, "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL");
  while (row.executeStep()) out[row.getColumn(0).getString()] = row.getColumn(1).getString();
  return out;
}

// A view, a trigger, a constraint or an index on an expression would run the statements of whoever
// made the file: a store has our own statements to the letter, and nothing else.
void require_our_tables(SQLite::Database& db, const fs::path& path) {
  SQLite::Database model(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  model.exec(kTables);
  const std::map<std::string, std::string> stored = schema_of(db);
  if (stored.contains("checks")) model.exec(kChecks);  // stores from before the digests have none
  if (stored == schema_of(model)) return;
  throw InputError(path.string() + ": is not a result store (its tables are not those of speder)");
}

// What a file's own schema can make SQLite do is limited to reading and writing tables.
void distrust(SQLite::Database& db) {
  ::sqlite3_db_config(db.getHandle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  ::sqlite3_db_config(db.getHandle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
}

void require_sound_pages(SQLite::Database& db, const fs::path& path) {
  if (db.execAndGet("PRAGMA integrity_check(1)").getString() == "ok") return;
  throw InputError(path.string() + ": " + advice(SQLITE_CORRUPT));
}

void create_schema_if_empty(SQLite::Database& db) {
  if (db.execAndGet("SELECT count(*) FROM sqlite_master").getInt() != 0 ||
      db.execAndGet("PRAGMA application_id").getInt() != 0)
    return;
  SQLite::Transaction transaction(db);
  db.exec(kTables);
  db.exec(fmt::format("PRAGMA application_id = {}", kApplication));
  db.exec(fmt::format("PRAGMA user_version = {}", kSchema));
  transaction.commit();
}

// SQLite reads ":memory:" and "file:…?…" as commands; an absolute path is only ever a file.
std::string plain_name(const fs::path& path) {
  constexpr std::size_t kLongest = 500;  // SQLite takes 512 bytes, the log's ending included
  std::string name = fs::absolute(path).string();
  if (name.size() <= kLongest) return name;
  throw InputError(
      fmt::format("{}: the path of a result store has at most {} bytes", path.string(), kLongest));
}

// A WAL file needs its folder writable even for reading; a closed store in a read-only folder has
// no log beside it and can be read as it stands. A writer that was killed leaves a log that only
// one who may write can take back.
SQLite::Database open_as_it_stands(const fs::path& path) {
  const auto open = [&](int flags) {
    SQLite::Database db(plain_name(path), flags, kBusyMilliseconds);
    (void)db.execAndGet("PRAGMA user_version");
    return db;
  };
  try {
    return open(SQLite::OPEN_READONLY);
  } catch (const SQLite::Exception& e) {
    const bool read_only = e.getErrorCode() == SQLITE_READONLY;
    const bool log = fs::exists(path.string() + "-wal") || fs::exists(path.string() + "-journal");
    if (read_only && log) {
      (void)open(SQLite::OPEN_READWRITE);
      return open(SQLite::OPEN_READONLY);
    }
    if (log || !(read_only || e.getErrorCode() == SQLITE_CANTOPEN)) throw;
  }
  std::string uri = "file:";
  for (const char c : plain_name(path)) {
    uri += fmt::format(fmt::runtime(c == '/' ? "{:c}" : "%{:02x}"), static_cast<unsigned char>(c));
  }
  return {uri + "?immutable=1", SQLite::OPEN_READONLY | SQLite::OPEN_URI, kBusyMilliseconds};
}

}  // namespace

SQLite::Database open_sqlite_for_writing(const fs::path& path) {
  return sqlite_guarded(path, [&] {
    SQLite::Database db(plain_name(path), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                        kBusyMilliseconds);
    distrust(db);
    create_schema_if_empty(db);
    require_schema(db, path);
    require_our_tables(db, path);
    require_sound_pages(db, path);
    db.exec(kChecks);
    db.exec("PRAGMA journal_mode = WAL");
    db.exec("PRAGMA synchronous = FULL");  // a committed run survives a power cut
    db.exec("PRAGMA foreign_keys = ON");
    return db;
  });
}

SQLite::Database open_sqlite_for_reading(const fs::path& path) {
  return sqlite_guarded(path, [&] {
    SQLite::Database db = open_as_it_stands(path);
    distrust(db);
    require_schema(db, path);
    require_our_tables(db, path);
    require_sound_pages(db, path);
    return db;
  });
}

}  // namespace speder
