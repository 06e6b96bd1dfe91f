#pragma once

#include <fmt/format.h>

#include <concepts>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "speder/io/toml_file.hpp"

namespace speder::deep {

// A struct of settings is listed once, in visit_settings(visitor, config), for reading and for
// writing, so that the two cannot drift apart.

/// A settings file with command-line text ("batch = 128" lines) laid over it.
[[nodiscard]] inline ConfigTable overlay(const std::filesystem::path& file,
                                         std::string_view overrides) {
  return ConfigTable::parse(overrides, "command line").over(ConfigTable::load(file));
}

[[nodiscard]] inline std::string listed(const std::vector<int>& values, std::string_view between) {
  std::string out;
  for (const int v : values) out.append(out.empty() ? "" : between).append(std::to_string(v));
  return out;
}

struct ReadFrom {
  const ConfigTable& table;
  template <class T, class... L>
  void operator()(const char* key, T& value, L... limits) const {
    table.read(key, value, limits...);
  }
};

struct WriteTo {
  std::string& out;
  template <class... L>
  void operator()(const char* key, const std::string& value, L...) const {
    out += fmt::format("{} = \"{}\"\n", key, value);
  }
  template <class... L>
  void operator()(const char* key, const std::vector<int>& values, L...) const {
    out += fmt::format("{} = [{}]\n", key, listed(values, ", "));
  }
  void operator()(const char* key, const std::vector<std::string>& values) const {
    std::string list;
    for (const std::string& v : values)
      list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", v);
    out += fmt::format("{} = [{}]\n", key, list);
  }
  template <class... L>
  void operator()(const char* key, double value, L...) const {
    const std::string text = fmt::format("{}", value);
    const bool whole = text.find_first_of(".en") == std::string::npos;
    out += fmt::format("{} = {}{}\n", key, text, whole ? ".0" : "");
  }
  template <class... L>
  void operator()(const char* key, bool value, L...) const {
    out += fmt::format("{} = {}\n", key, value);
  }
  template <class T, class... L>
  requires std::integral<T>
  void operator()(const char* key, T value, L...) const {
    out += fmt::format("{} = {}\n", key, value);
  }
};

template <class Config>
[[nodiscard]] std::string settings_text(Config config) {
  std::string out;
  visit_settings(WriteTo{out}, config);
  return out;
}

}  // namespace speder::deep
