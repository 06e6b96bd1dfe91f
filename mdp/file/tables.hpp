#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "speder/core/types.hpp"

namespace speder::file {

constexpr std::uintmax_t kLargestTables = std::uintmax_t{1} << 36U;  // bytes of a file of tables

/// Tables of one file in memory, by name. Values are in C order.
class NamedTables {
 public:
  struct Table {
    std::vector<Index> shape;
    std::vector<double> values;
  };
  explicit NamedTables(std::filesystem::path path) : path_(std::move(path)) {}

  /// Null when there already is a table of that name.
  Table* add(const std::string& name, Table table = {});
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::map<std::string, Table>& all() const { return tables_; }
  [[nodiscard]] bool has(const std::string& name) const { return tables_.contains(name); }
  [[nodiscard]] std::vector<Index> shape(const std::string& name, std::size_t rank,
                                         std::string_view axes) const;
  [[nodiscard]] Vector vector(const std::string& name, const std::vector<Index>& shape) const;

 private:
  [[nodiscard]] const Table& find(const std::string& name) const;
  std::filesystem::path path_;
  std::map<std::string, Table> tables_;
};

/// Text, in one of two forms. Empty lines and lines starting with # are skipped, fields are
/// separated by commas or blanks, numbers use a point whatever the locale.
///   Named tables: each starts with a header line, its name and shape, "P,3,2,3"; the values follow
///   in C order, one row of the last axis a line.
///   Transitions: the first line is "s,a,s',p,r"; every further line is one of them, states and
///   actions counted from 0. Gives P and r(s,a) = ∑_{s'} p r; lines of equal s,a,s' add up.
[[nodiscard]] NamedTables read_text_tables(const std::filesystem::path& path);

/// NumPy: a .npy file is the table P; a .npz file has one table for each array in it, and must have
/// been written by numpy.savez (stored, not compressed).
[[nodiscard]] NamedTables read_numpy(const std::filesystem::path& path);

}  // namespace speder::file
