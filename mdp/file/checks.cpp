#include "speder/mdp/file/checks.hpp"

#include <cmath>

#include "speder/core/check.hpp"

namespace speder::file {

std::string entry_name(const std::vector<Index>& shape, Index flat) {
  std::string text;
  for (std::size_t i = shape.size(); i-- > 0;) {
    text = fmt::format("{}{}{}", flat % shape[i], text.empty() ? "" : ", ", text);
    flat /= shape[i];
  }
  return "[" + text + "]";
}

void refuse(const Named& table, Index flat, double value, std::string_view rule) {
  refuse(table, fmt::format("entry {} is {}, {}", entry_name(table.shape, flat), value, rule));
}

void refuse(const Named& table, std::string_view problem) {
  throw ConfigError(table.path.string(), "dataset '" + table.dataset + "'", problem);
}

void require_finite(const Named& table, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      refuse(table, static_cast<Index>(i), values[i], "every value must be finite");
}

void require_between(const Named& table, std::span<const double> values, double low, double high) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(low <= values[i] && values[i] <= high))
      refuse(table, static_cast<Index>(i), values[i],
             fmt::format("it must lie in [{}, {}]", low, high));
}

void require_distribution(const Named& table, std::span<const double> values, double tolerance) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] >= 0))
      refuse(table, static_cast<Index>(i), values[i], "a probability must not be negative");
  // Eigen sums in pairs: a million addends stay within tol::kSimplex, one after the other they do
  // not, and what TabularMdp accepts must come back from its file.
  const double total =
      Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())).sum();
  if (!(std::abs(total - 1) <= tolerance))
    refuse(table, fmt::format("sums to {}, not 1 (allowed difference {})", total, tolerance));
}

void require_gamma(const std::filesystem::path& path, double gamma) {
  if (0 < gamma && gamma < 1) return;
  throw ConfigError(path.string(), "attribute 'gamma'",
                    fmt::format("is {}, it must lie in (0,1)", gamma));
}

std::span<const double> values_of(const Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
std::span<const double> values_of(const Matrix& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

}  // namespace speder::file
