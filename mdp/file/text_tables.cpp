#include "speder/mdp/file/tables.hpp"

#include <charconv>
#include <functional>
#include <numeric>
#include <sstream>

#include "speder/core/check.hpp"
#include "speder/io/text_file.hpp"
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

// A header is a line that starts with a known name, such as "P,3,2,3".
bool is_header(std::string_view field) {
  static constexpr std::string_view kNames[] = {"P", "r", "reward", "rho", "nu", "gamma"};
  return std::find(std::begin(kNames), std::end(kNames), field) != std::end(kNames);
}

bool is_transition_header(const std::vector<std::string_view>& fields) {
  static const std::vector<std::vector<std::string_view>> kColumns = {
      {"s", "state"},
      {"a", "action"},
      {"s'", "s_next", "next_state"},
      {"p", "probability"},
      {"r", "reward"}};
  if (fields.size() != kColumns.size()) return false;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (std::ranges::find(kColumns[i], fields[i]) == kColumns[i].end()) return false;
  return true;
}

// The lines of a text file that say something, split into fields.
class Lines {
 public:
  explicit Lines(const std::filesystem::path& path)
      : path_(path), in_(read_text_file(path, kLargestTables)) {
    bytes_ = static_cast<double>(in_.view().size());
  }
  bool next() {
    while (++number_, std::getline(in_, line_)) {
      fields_ = fields_of(line_);
      if (!fields_.empty() && fields_[0].front() != '#') return true;
    }
    return false;
  }
  [[nodiscard]] const std::vector<std::string_view>& fields() const { return fields_; }
  [[nodiscard]] double file_bytes() const { return bytes_; }
  [[noreturn]] void fail(const std::string& problem) const {
    throw ConfigError(path_.string(), fmt::format("line {}", number_), problem);
  }
  [[nodiscard]] double value(std::size_t i) const {
    double out = 0;
    if (!parse(fields_[i], out)) fail(fmt::format("'{}' is not a number", fields_[i]));
    return out;
  }
  [[nodiscard]] Index position(std::size_t i) const {
    Index out = 0;
    if (!parse(fields_[i], out) || out < 0 || out >= INT32_MAX)
      fail(fmt::format("'{}' is not a position counted from 0", fields_[i]));
    return out;
  }

 private:
  std::filesystem::path path_;
  std::istringstream in_;
  double bytes_ = 0;
  Index number_ = 0;
  std::string line_;
  std::vector<std::string_view> fields_;
};

NamedTables::Table& start_table(const Lines& lines, NamedTables& tables) {
  const auto& fields = lines.fields();
  NamedTables::Table* table = tables.add(std::string(fields[0]));
  if (table == nullptr) lines.fail(fmt::format("table '{}' is given twice", fields[0]));
  for (std::size_t i = 1; i < fields.size(); ++i) {
    Index extent = 0;
    if (!parse(fields[i], extent) || extent < 1 || extent > INT32_MAX)
      lines.fail(fmt::format("'{}' is not a size", fields[i]));
    table->shape.push_back(extent);
  }
  if (table->shape.empty()) table->shape = {1};
  if (volume(table->shape) > lines.file_bytes())  // a value takes at least two characters
    lines.fail(fmt::format("table '{}' declares shape {}, more than the file can hold", fields[0],
                           shape_text(table->shape)));
  return *table;
}

void require_complete(const NamedTables& tables) {
  for (const auto& [name, table] : tables.all()) {
    if (static_cast<double>(table.values.size()) == volume(table.shape)) continue;
    refuse({tables.path(), name, {}},
           fmt::format("has {} values, its shape {} needs {}", table.values.size(),
                       shape_text(table.shape), volume(table.shape)));
  }
}

struct ListedTransition {
  Index s, a, next;
  double p, r;
};

std::vector<ListedTransition> read_lines(Lines& lines) {
  std::vector<ListedTransition> out;
  while (lines.next()) {
    if (lines.fields().size() != 5)
      lines.fail(fmt::format("has {} fields, expected s,a,s',p,r", lines.fields().size()));
    out.push_back(
        {lines.position(0), lines.position(1), lines.position(2), lines.value(3), lines.value(4)});
    if (!(out.back().p >= 0)) lines.fail("a probability must not be negative");
  }
  if (out.empty()) lines.fail("no transition follows the header");
  return out;
}

NamedTables from_transitions(const std::filesystem::path& path, Lines& lines) {
  constexpr double kLargestKernel = 1 << 27;  // values: 1 GiB, and its factorisation takes hours
  const std::vector<ListedTransition> all = read_lines(lines);
  Index S = 0;
  Index A = 0;
  for (const ListedTransition& t : all) {
    S = std::max({S, t.s + 1, t.next + 1});
    A = std::max(A, t.a + 1);
  }
  if (volume({S, A, S}) > kLargestKernel)
    refuse({path, "P", {}}, fmt::format("would have shape {}: an import makes a dense kernel of at "
                                        "most {} values",
                                        shape_text(std::vector<Index>{S, A, S}), kLargestKernel));
  NamedTables::Table P{{S, A, S}, std::vector<double>(static_cast<std::size_t>(S * A * S))};
  NamedTables::Table r{{S, A}, std::vector<double>(static_cast<std::size_t>(S * A))};
  std::vector<bool> given(static_cast<std::size_t>(S * A));
  for (const ListedTransition& t : all) {
    const Index pair = t.s * A + t.a;
    P.values[static_cast<std::size_t>(pair * S + t.next)] += t.p;
    r.values[static_cast<std::size_t>(pair)] += t.p * t.r;
    given[static_cast<std::size_t>(pair)] = true;
  }
  const auto absent = std::ranges::find(given, false);
  if (absent != given.end()) {
    const Index pair = absent - given.begin();
    refuse({path, "P", {}},
           fmt::format("state {0}, action {1} has no line; where an episode ends, write a loop: "
                       "{0},{1},{0},1,0",
                       pair / A, pair % A));
  }
  NamedTables out(path);
  out.add("P", std::move(P));
  out.add("r", std::move(r));
  return out;
}

}  // namespace

NamedTables read_text_tables(const std::filesystem::path& path) {
  Lines lines(path);
  NamedTables tables(path);
  NamedTables::Table* table = nullptr;
  for (bool first = true; lines.next(); first = false) {
    const auto& fields = lines.fields();
    if (first && is_transition_header(fields)) return from_transitions(path, lines);
    if (is_header(fields[0])) {
      table = &start_table(lines, tables);
      continue;
    }
    if (table == nullptr)
      lines.fail(
          fmt::format("'{}' before any table header (such as P,3,2,3, or s,a,s',p,r)", fields[0]));
    for (std::size_t i = 0; i < fields.size(); ++i) table->values.push_back(lines.value(i));
  }
  require_complete(tables);
  return tables;
}

NamedTables::Table* NamedTables::add(const std::string& name, Table table) {
  const auto [entry, fresh] = tables_.try_emplace(name, std::move(table));
  return fresh ? &entry->second : nullptr;
}

const NamedTables::Table& NamedTables::find(const std::string& name) const {
  const auto entry = tables_.find(name);
  if (entry == tables_.end()) refuse({path_, name, {}}, "is missing");
  return entry->second;
}

std::vector<Index> NamedTables::shape(const std::string& name, std::size_t rank,
                                      std::string_view axes) const {
  const Table& table = find(name);
  if (table.shape.size() != rank)
    refuse({path_, name, {}},
           fmt::format("has shape {}, expected {}", shape_text(table.shape), axes));
  return table.shape;
}

Vector NamedTables::vector(const std::string& name, const std::vector<Index>& shape) const {
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
