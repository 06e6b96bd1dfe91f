#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "speder/io/sqlite_file.hpp"
#include "speder/sweep/store.hpp"

namespace speder {

/// A digest beside every record and run: SQLite does not notice a bit that flips inside a number or
/// a text. Experiments stored before there were digests have none and are read as they are.
void insert_check(SQLite::Database& db, const ExperimentRecord& record);
void insert_check(SQLite::Database& db, const Run& run);
void remove_check(SQLite::Database& db, const Run& run);

/// The digests of a store, compared with what was read in the same transaction. InputError names
/// what is not as it was written.
class StoreChecks {
 public:
  StoreChecks(SQLite::Database& db, std::filesystem::path path);
  void require_unchanged(const ExperimentRecord& record);
  void require_unchanged(const Run& run);
  /// What was written but not seen by require_unchanged is lost.
  void require_all_records_seen() const;
  void require_all_runs_seen(std::string_view experiment) const;

 private:
  [[nodiscard]] bool checked(const std::string& experiment) const;
  void require(const std::string& subject, const std::string& digest);
  void require_none_left(const std::string& prefix) const;
  [[noreturn]] void fail(const std::string& subject) const;
  std::filesystem::path path_;
  std::map<std::string, std::string> unseen_;  // subject → digest
};

}  // namespace speder
