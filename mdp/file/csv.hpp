#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "speder/core/types.hpp"

namespace speder::file {

/// Named tables in a text file. Each starts with a header line, its name and shape, "P,3,2,3"; the
/// values follow in C order, one row of the last axis a line, separated by commas or blanks. Empty
/// lines and lines starting with # are skipped. Numbers use a point whatever the locale.
class CsvTables {
 public:
  explicit CsvTables(const std::filesystem::path& path);

  [[nodiscard]] bool has(const std::string& name) const { return tables_.contains(name); }
  [[nodiscard]] std::vector<Index> shape(const std::string& name, std::size_t rank,
                                         std::string_view axes) const;
  [[nodiscard]] Vector vector(const std::string& name, const std::vector<Index>& shape) const;

 private:
  struct Table {
    std::vector<Index> shape;
    std::vector<double> values;
  };
  [[noreturn]] void fail(const std::string& problem) const;
  Table& start_table(const std::vector<std::string_view>& fields, double file_bytes);
  void require_complete() const;
  [[nodiscard]] const Table& find(const std::string& name) const;
  std::filesystem::path path_;
  Index line_ = 0;  // while reading
  std::map<std::string, Table> tables_;
};

}  // namespace speder::file
