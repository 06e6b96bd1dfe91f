#include "speder/cli/strict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace speder::cli {
namespace {

template <class T>
bool parses(const std::string& text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

// An empty answer means that the number is sound.
std::string whole(const std::string& text) {
  std::int64_t value = 0;
  return parses(text, value) ? "" : fmt::format("'{}' is not a whole number, or too large", text);
}

std::string natural(const std::string& text) {
  std::uint64_t value = 0;
  return parses(text, value) ? ""
                             : fmt::format("'{}' is not a whole number in 0 .. 2^64 - 1", text);
}

std::string real(const std::string& text) {
  double value = 0;
  const bool sound = parses(text, value) && std::isfinite(value);
  return sound ? "" : fmt::format("'{}' is not a finite number", text);
}

void require_sound(CLI::Option& option) {
  const std::string type = option.get_type_name();  // "INT", "UINT:INT in [0 - 10]", …
  const auto add = [&](std::string (*problem)(const std::string&)) {
    option.check(CLI::Validator([problem](std::string& text) { return problem(text); }, ""));
  };
  if (type.starts_with("INT")) add(whole);
  if (type.starts_with("UINT")) add(natural);
  if (type.starts_with("FLOAT")) add(real);
}

}  // namespace

void require_sound_numbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) require_sound(*option);
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    require_sound_numbers(*command);
  }
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace speder::cli
