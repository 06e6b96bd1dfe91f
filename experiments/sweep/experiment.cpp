#include "experiments/sweep/experiment.hpp"

#include <fmt/format.h>

namespace speder {
namespace {

template <class T>
std::string list(std::string_view key, const std::vector<T>& values) {
  std::string out = fmt::format("{} = [", key);
  for (const T& value : values) {
    if (&value != values.data()) out += ", ";
    out += fmt::format("{}", value);
  }
  return out + "]\n";
}

}  // namespace

ConfigText& ConfigText::add(std::string_view key, double value) {
  text_ += fmt::format("{} = {}\n", key, value);
  return *this;
}
ConfigText& ConfigText::add(std::string_view key, std::string_view value) {
  text_ += fmt::format("{} = '{}'\n", key, value);
  return *this;
}
ConfigText& ConfigText::add(std::string_view key, const std::vector<double>& values) {
  text_ += list(key, values);
  return *this;
}
ConfigText& ConfigText::add(std::string_view key, const std::vector<int>& values) {
  text_ += list(key, values);
  return *this;
}

}  // namespace speder
