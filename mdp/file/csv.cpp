#include "speder/mdp/file/csv.hpp"

#include <charconv>
#include <fstream>
#include <functional>
#include <numeric>

#include "speder/core/check.hpp"
#include "speder/mdp/file/checks.hpp"

namespace speder::file {
namespace {

std::vector<std::string_view> fields_of(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r,";
  std::vector<std::string_view> fields;
  for (std::size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlank, end);
  }
  return fields;
}

template <class T>
bool parse(std::string_view text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

std::string shape_text(const std::vector<Index>& shape) {
  std::string text;
  for (const Index extent : shape) text += fmt::format("{}{}", text.empty() ? "" : ", ", extent);
  return "(" + text + ")";
}

double volume(const std::vector<Index>& shape) {
  return std::accumulate(shape.begin(), shape.end(), 1.0,
                         [](double n, Index extent) { return n * static_cast<double>(extent); });
}

// "P,3,2,3" → (P, {3, 2, 3}); a header is a line that starts with a known name.
bool is_header(std::string_view field) {
  static constexpr std::string_view kNames[] = {"P", "r", "reward", "rho", "nu", "gamma"};
  return std::find(std::begin(kNames), std::end(kNames), field) != std::end(kNames);
}

}  // namespace

void CsvTables::fail(const std::string& problem) const {
  throw ConfigError(path_.string(), fmt::format("line {}", line_), problem);
}

CsvTables::Table& CsvTables::start_table(const std::vector<std::string_view>& fields,
                                         double file_bytes) {
  const auto [entry, fresh] = tables_.try_emplace(std::string(fields[0]));
  if (!fresh) fail(fmt::format("table '{}' is given twice", fields[0]));
  Table& table = entry->second;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    Index extent = 0;
    if (!parse(fields[i], extent) || extent < 1 || extent > INT32_MAX)
      fail(fmt::format("'{}' is not a size", fields[i]));
    table.shape.push_back(extent);
  }
  if (table.shape.empty()) table.shape = {1};
  if (volume(table.shape) > file_bytes)  // a value takes at least two characters
    fail(fmt::format("table '{}' declares shape {}, more than the file can hold", fields[0],
                     shape_text(table.shape)));
  return table;
}

void CsvTables::require_complete() const {
  for (const auto& [name, table] : tables_) {
    if (static_cast<double>(table.values.size()) == volume(table.shape)) continue;
    refuse({path_, name, {}},
           fmt::format("has {} values, its shape {} needs {}", table.values.size(),
                       shape_text(table.shape), volume(table.shape)));
  }
}

CsvTables::CsvTables(const std::filesystem::path& path) : path_(path) {
  std::ifstream in(path);
  if (!in || std::filesystem::is_directory(path))
    throw InputError(path.string() + ": no such file, or not readable");
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  Table* table = nullptr;
  for (std::string line; ++line_, std::getline(in, line);) {
    const std::vector<std::string_view> fields = fields_of(line);
    if (fields.empty() || fields[0].front() == '#') continue;
    if (is_header(fields[0])) {
      table = &start_table(fields, bytes);
      continue;
    }
    if (table == nullptr)
      fail(fmt::format("'{}' before any table header (such as P,3,2,3)", fields[0]));
    for (const std::string_view field : fields) {
      double value = 0;
      if (!parse(field, value)) fail(fmt::format("'{}' is not a number", field));
      table->values.push_back(value);
    }
  }
  require_complete();
}

const CsvTables::Table& CsvTables::find(const std::string& name) const {
  const auto entry = tables_.find(name);
  if (entry == tables_.end()) refuse({path_, name, {}}, "is missing");
  return entry->second;
}

std::vector<Index> CsvTables::shape(const std::string& name, std::size_t rank,
                                    std::string_view axes) const {
  const Table& table = find(name);
  if (table.shape.size() != rank)
    refuse({path_, name, {}},
           fmt::format("has shape {}, expected {}", shape_text(table.shape), axes));
  return table.shape;
}

Vector CsvTables::vector(const std::string& name, const std::vector<Index>& shape) const {
  const Table& table = find(name);
  if (table.shape != shape)
    refuse({path_, name, {}},
           fmt::format("has shape {}, expected {}", shape_text(table.shape), shape_text(shape)));
  Vector out =
      Eigen::Map<const Vector>(table.values.data(), static_cast<Index>(table.values.size()));
  require_finite({path_, name, shape}, values_of(out));
  return out;
}

}  // namespace speder::file
