#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace speder::audit {

struct
    Enclosure;  // [lo, hi] with rational ends; exact.cpp is the only user of Boost.Multiprecision

/// A real number enclosed in [lo, hi] with rational ends. +, −, ·, / are exact, so a value that met
/// no root, exponential or logarithm is a point: the number itself. A root widens it by at most
/// 2⁻²⁵⁶ relative; exp and log by 10⁻⁸⁰ (they are computed to 100 digits). Ends longer than a few
/// thousand bits are rounded outwards. What is said of an Exact is therefore proven, never rounded.
/// Immutable; copies share.
class Exact {
 public:
  Exact(std::int64_t value = 0);                                 // NOLINT: numbers convert
  Exact(int value) : Exact(static_cast<std::int64_t>(value)) {}  // NOLINT
  Exact(std::int64_t numerator, std::int64_t denominator);
  explicit Exact(std::shared_ptr<const Enclosure> value) : value_(std::move(value)) {}

  [[nodiscard]] bool is_point() const;
  [[nodiscard]] const Enclosure& value() const { return *value_; }

  friend Exact operator+(const Exact& x, const Exact& y);
  friend Exact operator-(const Exact& x, const Exact& y);
  friend Exact operator*(const Exact& x, const Exact& y);
  /// Throws std::domain_error when y may be zero.
  friend Exact operator/(const Exact& x, const Exact& y);
  friend Exact operator-(const Exact& x) { return Exact(0) - x; }

 private:
  std::shared_ptr<const Enclosure> value_;
};

[[nodiscard]] Exact sqrt(const Exact& x);  // negative parts of the enclosure are cut off
[[nodiscard]] Exact exp(const Exact& x);
[[nodiscard]] Exact log(const Exact& x);  // throws std::domain_error when x may be ≤ 0
[[nodiscard]] inline Exact log1p(const Exact& x) { return log(Exact(1) + x); }
[[nodiscard]] Exact abs(const Exact& x);
[[nodiscard]] Exact max(const Exact& x, const Exact& y);
[[nodiscard]] Exact min(const Exact& x, const Exact& y);

/// Proven comparisons: false means "not proven".
[[nodiscard]] bool surely_le(const Exact& x, const Exact& y);
[[nodiscard]] bool surely_less(const Exact& x, const Exact& y);
[[nodiscard]] bool surely_zero(const Exact& x);
[[nodiscard]] bool surely_equal(const Exact& x, const Exact& y);

[[nodiscard]] double to_double(const Exact& x);     // the middle
[[nodiscard]] std::string to_text(const Exact& x);  // "3/7", or "1.4142135623730950488 ± 1.2e-78"
/// "3", "-3/7", "0.25", "1e-3". Throws std::invalid_argument.
[[nodiscard]] Exact parse_exact(std::string_view text);

}  // namespace speder::audit
