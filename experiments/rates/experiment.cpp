#include "speder/experiments/rates/experiment.hpp"

#include <fmt/format.h>

namespace speder {
namespace {

template <class T>
std::string line(std::string_view key, T value) {
  return fmt::format("{} = {}\n", key, value);
}

template <class T>
std::string line(std::string_view key, const std::vector<T>& values) {
  std::string out = fmt::format("{} = [", key);
  for (const T& value : values) {
    if (&value != values.data()) out += ", ";
    if constexpr (std::is_same_v<T, std::string>) {
      out += fmt::format("\"{}\"", value);
    } else {
      out += fmt::format("{}", value);
    }
  }
  return out + "]\n";
}

}  // namespace

Settings& Settings::read(std::string_view key, int& out, Limits limits) {
  table_->read(key, out, limits);
  text_ += line(key, out);
  return *this;
}
Settings& Settings::read(std::string_view key, double& out, Limits limits) {
  table_->read(key, out, limits);
  text_ += line(key, out);
  return *this;
}
Settings& Settings::read(std::string_view key, std::vector<int>& out, Limits limits) {
  table_->read(key, out, limits);
  text_ += line(key, out);
  return *this;
}
Settings& Settings::read(std::string_view key, std::vector<double>& out, Limits limits) {
  table_->read(key, out, limits);
  text_ += line(key, out);
  return *this;
}
Settings& Settings::read(std::string_view key, std::vector<std::string>& out) {
  table_->read(key, out);
  text_ += line(key, out);
  return *this;
}

}  // namespace speder
