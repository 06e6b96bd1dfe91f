#include "speder/experiments/audit/objects/case_file.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "speder/core/check.hpp"
#include "speder/io/text_file.hpp"

namespace speder::audit {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "speder-audit-counterexample";
constexpr std::int64_t kLargestSize = 64;  // states, actions, … of a replayed file
constexpr std::int64_t kLargestCount = 1'000'000'000'000'000;  // m
constexpr std::int64_t kLargestDigits = 1'000'000;             // n = 10^digits
constexpr int kLargestSamples = 64;  // n, X·S and F decide how much is enumerated

struct Writer {
  Json sizes = Json::object();
  Json values = Json::object();
  void size(const char* name, std::int64_t value) {
    if (value != 0) sizes[name] = value;
  }
  void number(const char* name, const Exact& value) {
    if (!surely_zero(value)) values[name] = to_text(value);
  }
  void table(const char* name, const Table<Exact>& table) {
    if (table.empty()) return;
    Json rows = Json::array();
    for (int i = 0; i < table.rows(); ++i) {
      std::string line;
      for (int j = 0; j < table.cols(); ++j) {
        if (j > 0) line += ' ';
        line += to_text(table(i, j));
      }
      rows.push_back(std::move(line));
    }
    values[name] = std::move(rows);
  }
};

struct Reader {
  const std::string& file;
  const Json& sizes;
  const Json& values;

  template <class I>
  void size(const char* name, I& value) const {
    if (!sizes.contains(name)) return;
    const Json& entry = sizes.at(name);
    const std::int64_t limit = std::string_view(name) == "m"        ? kLargestCount
                               : std::string_view(name) == "digits" ? kLargestDigits
                                                                    : kLargestSize;
    const std::int64_t read = entry.is_number_integer() ? entry.get<std::int64_t>() : -1;
    if (read < 0 ||
        (read > limit && std::string_view(name) != "F" && std::string_view(name) != "d" &&
         std::string_view(name) != "A") ||
        read > kLargestCount) {
      throw ConfigError(file, fmt::format("sizes.{}", name),
                        fmt::format("expected a whole number between 0 and {}", limit));
    }
    value = static_cast<I>(read);
  }
  void number(const char* name, Exact& value) const {
    if (values.contains(name)) value = parse(values.at(name), name);
  }
  void table(const char* name, Table<Exact>& table) const {
    if (!values.contains(name)) return;
    const Json& rows = values.at(name);
    if (!rows.is_array() || rows.empty()) throw ConfigError(file, name, "expected a list of rows");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::vector<std::string> line = words(rows[i], name);
      const int cols = static_cast<int>(line.size());
      if (i == 0) table = Table<Exact>(static_cast<int>(rows.size()), cols);
      if (cols != table.cols()) {
        throw ConfigError(file, name, fmt::format("row {} has another length than row 0", i));
      }
      for (int j = 0; j < cols; ++j) {
        table(static_cast<int>(i), j) = parse(line[static_cast<std::size_t>(j)], name);
      }
    }
  }
  // One row: fractions separated by spaces.
  [[nodiscard]] std::vector<std::string> words(const Json& line, const char* name) const {
    if (!line.is_string()) throw ConfigError(file, name, "expected rows such as \"1/2 1/2\"");
    std::istringstream in(line.get<std::string>());
    std::vector<std::string> found;
    for (std::string word; in >> word;) found.push_back(word);
    return found;
  }
  [[nodiscard]] Exact parse(const Json& value, const char* name) const {
    if (!value.is_string()) throw ConfigError(file, name, "expected fractions such as \"3/4\"");
    try {
      return parse_exact(value.get<std::string>());
    } catch (const std::invalid_argument& e) {
      throw ConfigError(file, name, e.what());
    }
  }
};

// Rows and columns each table must have, from the sizes. Empty tables are allowed where a shape
// does not use them; `required` lists those it does use.
using Shapes = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;
Shapes expected_shapes(const Case<Exact>& c) {
  const std::int64_t S = c.S, A = c.A, d = c.d, H = c.H, X = c.X, F = c.F;
  return {{"nu", {S, 1}},          {"phi", {S * A, d}},    {"mu", {S, d}},
          {"theta", {d, 1}},       {"rho", {S, 1}},        {"pi", {S, A}},
          {"history", {H * S, A}}, {"behaviour", {S, A}},  {"g", {S, A}},
          {"phi_hat", {S * A, d}}, {"mu_hat", {S, d}},     {"weights", {S * A, 1}},
          {"base", {S, 1}},        {"counts", {S * A, 1}}, {"matrices", {H * d, d}},
          {"family", {F * X, S}},  {"loss", {F * X, S}},   {"design", {S + 1, X}}};
}
std::vector<std::string> required_tables(Shape shape) {
  switch (shape) {
    case Shape::kMdp:
    case Shape::kDetour:
    case Shape::kCorridor:
    case Shape::kFreeMeasure:
    case Shape::kObjective:
      return {"nu",        "phi", "mu",      "theta",  "rho",     "pi",   "history",
              "behaviour", "g",   "phi_hat", "mu_hat", "weights", "base", "counts"};
    case Shape::kMatrices:
      return {"matrices"};
    case Shape::kWalk:
      return {"phi", "rho", "base"};
    case Shape::kRates:
      return {};
    case Shape::kProcess:
      return {"nu", "family", "loss", "design"};
    default:
      return {"nu", "family", "design"};
  }
}

struct ShapeChecker {
  const std::string& file;
  Shapes shapes;
  std::vector<std::string> required;
  static void size(const char*, std::int64_t) {}
  static void number(const char*, const Exact&) {}
  void table(const char* name, const Table<Exact>& table) const {
    const bool needed = std::find(required.begin(), required.end(), name) != required.end();
    if (table.empty() && !needed) return;
    const auto [rows, cols] = shapes.at(name);
    if (table.rows() != rows || table.cols() != cols) {
      throw ConfigError(file, name,
                        fmt::format("expected {} × {} numbers, found {} × {}", rows, cols,
                                    table.rows(), table.cols()));
    }
  }
};

Json read_json(const std::string& file) {
  const std::string text = read_text_file(file);
  const auto shallow = [&](int depth, Json::parse_event_t, Json&) {
    constexpr int kDeepest = 64;
    if (depth > kDeepest) throw InputError(fmt::format("{}: is nested too deeply", file));
    return true;
  };
  try {
    return Json::parse(text, shallow);
  } catch (const nlohmann::json::exception&) {
    throw InputError(fmt::format("{}: not a JSON file (damaged or cut off?)", file));
  }
}

const Entry& entry_of(const std::string& file, const Json& json) {
  if (!json.is_object() || !json.contains("format") || json.at("format") != kFormat) {
    throw InputError(fmt::format("{}: not a counterexample of speder audit", file));
  }
  for (const char* key : {"id", "sizes", "values"}) {
    if (!json.contains(key)) throw ConfigError(file, key, "missing");
  }
  if (!json.at("sizes").is_object() || !json.at("values").is_object() ||
      !json.at("id").is_string()) {
    throw ConfigError(file, "id, sizes, values", "of the wrong type");
  }
  const Entry* entry = find_entry(json.at("id").get<std::string>());
  if (entry == nullptr || entry->check.exact == nullptr) {
    throw ConfigError(file, "id", "no such entry (speder audit --list shows all)");
  }
  return *entry;
}

void check_work(const std::string& file, const Case<Exact>& c, Shape shape) {
  const bool sizes_only = shape == Shape::kRates;
  const bool small = c.n <= kLargestSamples && c.F <= kLargestSize && c.d <= kLargestSize &&
                     c.A <= kLargestSize && c.S <= 12 && c.X <= 4;
  if (!sizes_only && !small) throw ConfigError(file, "sizes", "too large to recompute exactly");
  const bool enough = sizes_only || shape == Shape::kMatrices
                          ? c.d >= 1 && c.H >= 1
                          : c.S >= 1 && (c.X >= 1 || (c.A >= 1 && c.d >= 1 && c.H >= 1));
  if (!enough) throw ConfigError(file, "sizes", "a size is missing or zero");
}

}  // namespace

std::string counterexample_text(const Entry& entry, const Counterexample& found) {
  Writer writer;
  visit_fields(found.instance, writer);
  const bool exact = found.sides.left.is_point() && found.sides.right.is_point();
  Json json;
  json["format"] = kFormat;
  json["id"] = entry.id;
  json["source"] = entry.source;
  json["premises"] = entry.premises;
  json["statement"] = entry.statement;
  json["left"] = to_text(found.sides.left);
  json["right"] = to_text(found.sides.right);
  json["arithmetic"] = exact ? "rational numbers" : "rational enclosures of roots, exp and log";
  json["sizes"] = std::move(writer.sizes);
  json["values"] = std::move(writer.values);
  return json.dump(1);
}

void save_counterexample(const std::filesystem::path& file, const Entry& entry,
                         const Counterexample& found) {
  write_text_file(file, counterexample_text(entry, found) + '\n');
}

Replay replay(const std::filesystem::path& path) {
  const std::string file = path.string();
  const Json json = read_json(file);
  Replay result;
  result.entry = &entry_of(file, json);
  Case<Exact> c;
  Reader reader{file, json.at("sizes"), json.at("values")};
  visit_fields(c, reader);
  check_work(file, c, result.entry->shape);
  ShapeChecker checker{file, expected_shapes(c), required_tables(result.entry->shape)};
  visit_fields(c, checker);
  try {
    result.broken = broken_premise(c, result.entry->assumes).value_or("");
    result.sides = result.entry->check.exact(c);
  } catch (const std::domain_error& e) {
    throw InputError(fmt::format("{}: the instance is degenerate: {}", file, e.what()));
  }
  result.exact = result.sides.left.is_point() && result.sides.right.is_point();
  result.confirmed = result.broken.empty() && result.sides.defined &&
                     proves_violation(result.entry->relation, result.sides);
  return result;
}

}  // namespace speder::audit
