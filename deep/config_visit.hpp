#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <vector>

#include "core/config_file.hpp"

namespace speder::deep {

// One visitor for reading and for writing a struct of settings, so that the two cannot drift apart.

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
    std::string list;
    for (const int v : values) list += (list.empty() ? "" : ", ") + std::to_string(v);
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

}  // namespace speder::deep
