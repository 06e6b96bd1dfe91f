#include "speder/sweep/grid_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "speder/core/check.hpp"

namespace speder {
namespace {

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::none_of(text, [](unsigned char c) {
    return c <= ' ' || c == '=' || c == 0x7f;
  });
}

}  // namespace

GridCell& GridCell::set(std::string_view name, std::string_view value) {
  require(is_word(name) && is_word(value), "a cell's names and values are words",
          fmt::format("{}={}", name, value));
  require(!has(name), "a cell names each setting once", name);
  settings_.emplace_back(name, value);
  return *this;
}

GridCell& GridCell::set(std::string_view name, double value) {
  return set(name, fmt::format("{}", value));
}

bool GridCell::has(std::string_view name) const {
  return std::ranges::any_of(settings_, [&](const auto& s) { return s.first == name; });
}

const std::string& GridCell::text(std::string_view name) const {
  const auto it = std::ranges::find_if(settings_, [&](const auto& s) { return s.first == name; });
  require(it != settings_.end(), fmt::format("the cell '{}' has no such setting", key()), name);
  return it->second;
}

double GridCell::number(std::string_view name) const {
  const std::string& value = text(name);
  double out = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
  require(error == std::errc{} && end == value.data() + value.size(),
          fmt::format("setting '{}' of a cell is no number", name), value);
  return out;
}

std::string GridCell::key() const {
  std::string out;
  for (const auto& [name, value] : settings_) {
    if (!out.empty()) out += ' ';
    out += name;
    out += '=';
    out += value;
  }
  return out;
}

GridCell GridCell::parse(std::string_view key) {
  GridCell cell;
  while (!key.empty()) {
    const std::string_view word = key.substr(0, key.find(' '));
    const std::size_t split = word.find('=');
    require(split != std::string_view::npos, "a cell's key is made of name=value", word);
    cell.set(word.substr(0, split), word.substr(split + 1));
    key.remove_prefix(std::min(key.size(), word.size() + 1));
  }
  return cell;
}

}  // namespace speder
