#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "speder/core/types.hpp"

namespace speder::file {

/// A table as a file names it, for error messages.
struct Named {
  const std::filesystem::path& path;
  std::string dataset;
  std::vector<Index> shape;
};

/// "[1, 0, 2]": position `flat` of a table in C order.
[[nodiscard]] std::string entry_name(const std::vector<Index>& shape, Index flat);

/// Throw a ConfigError naming file, dataset, index and value.
[[noreturn]] void refuse(const Named& table, Index flat, double value, std::string_view rule);
[[noreturn]] void refuse(const Named& table, std::string_view problem);

void require_finite(const Named& table, std::span<const double> values);
void require_between(const Named& table, std::span<const double> values, double low, double high);
void require_distribution(const Named& table, std::span<const double> values, double tolerance);
void require_gamma(const std::filesystem::path& path, double gamma);

[[nodiscard]] std::span<const double> values_of(const Vector& v);
[[nodiscard]] std::span<const double> values_of(const Matrix& m);

}  // namespace speder::file
