#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace speder {

/// Closed range a number of a file must lie in; says so in words when it does not.
struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};
inline constexpr Limits kPositiveInteger{1, 2147483647};
inline constexpr Limits kAnyNumber{};

/// A table of a TOML file, or several laid over one another (the first one that has a key counts).
/// read() leaves the variable as it is when the key is absent, so defaults live in the caller's
/// struct only. Every mistake is a ConfigError "file:line: key: problem". The only user of toml++.
class ConfigTable {
 public:
  static ConfigTable load(const std::filesystem::path& file);
  static ConfigTable parse(std::string_view text, std::string_view name);

  /// The sub-table of that name. Throws when it is absent or no table.
  [[nodiscard]] ConfigTable table(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] bool has_list(std::string_view key) const;  // and it is a list
  /// This table with `below` giving what it does not.
  [[nodiscard]] ConfigTable over(const ConfigTable& below) const;

  void read(std::string_view key, std::string& out) const;
  void read(std::string_view key, bool& out) const;
  void read(std::string_view key, int& out, Limits limits = kPositiveInteger) const;
  void read(std::string_view key, std::uint64_t& out) const;
  void read(std::string_view key, double& out, Limits limits = kAnyNumber) const;
  // Lists: never empty.
  void read(std::string_view key, std::vector<std::string>& out) const;
  void read(std::string_view key, std::vector<int>& out, Limits limits = kPositiveInteger) const;
  void read(std::string_view key, std::vector<double>& out, Limits limits = kAnyNumber) const;

  /// Throws on the first key that was neither read nor opened as a table.
  void refuse_unknown() const;
  /// A ConfigError at the key's line: for rules that no single read can state.
  [[noreturn]] void fail(std::string_view key, std::string_view problem) const;

 private:
  struct Layers;
  explicit ConfigTable(std::shared_ptr<Layers> layers) : layers_(std::move(layers)) {}
  std::shared_ptr<Layers> layers_;
};

}  // namespace speder
