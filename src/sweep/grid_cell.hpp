#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace speder {

/// One point of a grid: named settings in a fixed order, written as "gamma=0.9 variant=iid". Names
/// and values have no blanks and no '='; numbers are written so that reading them back is exact.
class GridCell {
 public:
  GridCell& set(std::string_view name, std::string_view value);
  GridCell& set(std::string_view name, double value);

  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;  // throws when absent
  [[nodiscard]] double number(std::string_view name) const;            // throws when no number
  [[nodiscard]] std::string key() const;
  [[nodiscard]] static GridCell parse(std::string_view key);

  friend bool operator==(const GridCell&, const GridCell&) = default;

 private:
  std::vector<std::pair<std::string, std::string>> settings_;
};

}  // namespace speder
