#include "speder/experiments/audit/objects/exact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <cctype>
#include <stdexcept>

namespace speder::audit {

namespace mp = boost::multiprecision;
using Integer = mp::cpp_int;
using Rational = mp::cpp_rational;
using Float = mp::cpp_bin_float_100;

struct Enclosure {
  Rational lo;
  Rational hi;
  bool point = false;
};

namespace {

constexpr int kMaxBits = 3000;  // longer ends are rounded outwards …
constexpr int kKeptBits = 320;  // … to this many significant bits
constexpr int kRootBits = 256;  // relative precision of a root
// cpp_bin_float_100 computes log and exp to about 100 digits; 20 of them are given away.
const Rational kTranscendentalError = Rational(1, mp::pow(Integer(10), 80));

int bits(const Integer& x) { return x == 0 ? 0 : static_cast<int>(mp::msb(mp::abs(x))) + 1; }

// ⌊p / q⌋ for q > 0 (integer division of Boost truncates).
Integer floor_div(const Integer& p, const Integer& q) {
  Integer quotient = p / q;
  if (p % q != 0 && p < 0) --quotient;
  return quotient;
}

Rational round_down(const Rational& x) {
  const Integer p = mp::numerator(x);
  const Integer q = mp::denominator(x);
  if (bits(p) + bits(q) <= kMaxBits) return x;
  const int shift = kKeptBits - (bits(p) - bits(q));  // x·2^shift has about kKeptBits bits
  if (shift >= 0) return Rational(floor_div(p << shift, q), Integer(1) << shift);
  return Rational(floor_div(p, q << -shift) << -shift);
}
Rational round_up(const Rational& x) { return -round_down(-x); }

// Boost wants a positive denominator.
Rational quotient(const Integer& p, const Integer& q) {
  return q > 0 ? Rational(p, q) : Rational(-p, -q);
}
Exact point(Rational x) {
  Rational copy = x;
  return Exact(std::make_shared<Enclosure>(Enclosure{std::move(x), std::move(copy), true}));
}
Exact enclosure(const Rational& lo, const Rational& hi) {
  Enclosure e{round_down(lo), round_up(hi), false};
  e.point = e.lo == e.hi;
  return Exact(std::make_shared<Enclosure>(std::move(e)));
}

// A root rounded down: ⌊√(p q 4ᵏ)⌋ / (q 2ᵏ) ≤ √(p/q); `exact` says whether it is the root.
Rational root_down(const Rational& x, bool& exact) {
  const Integer p = mp::numerator(x);
  const Integer q = mp::denominator(x);
  const int k = std::max(0, kRootBits - bits(p * q) / 2);
  const Integer product = (p * q) << (2 * k);
  const Integer root = mp::sqrt(product);
  exact = root * root == product;
  return Rational(root, q << k);
}
Rational root_up(const Rational& x) {
  bool exact = false;
  const Rational down = root_down(x, exact);
  if (exact) return down;
  const Integer q = mp::denominator(x);
  const int k = std::max(0, kRootBits - bits(mp::numerator(x) * q) / 2);
  return down + Rational(Integer(1), q << k);
}

Rational to_rational(const Float& x) {
  if (x == 0) return 0;
  int exponent = 0;
  constexpr int kDigits = 400;
  const Float mantissa = frexp(x, &exponent);
  const Integer scaled = ldexp(mantissa, kDigits).convert_to<Integer>();
  const int shift = exponent - kDigits;
  return shift >= 0 ? Rational(scaled << shift) : Rational(scaled, Integer(1) << -shift);
}

Float to_float(const Rational& x) { return Float(mp::numerator(x)) / Float(mp::denominator(x)); }

// [f(lo) − ε(1+|f|), f(hi) + ε(1+|f|)] for an increasing f evaluated in 100 digits.
template <class F>
Exact widen(const Enclosure& x, F f) {
  const Rational below = to_rational(f(to_float(x.lo)));
  const Rational above = to_rational(f(to_float(x.hi)));
  const Rational margin = kTranscendentalError * (1 + mp::abs(below) + mp::abs(above));
  return enclosure(below - margin, above + margin);
}

}  // namespace

Exact::Exact(std::int64_t value) : Exact(point(Rational(value))) {}
Exact::Exact(std::int64_t numerator, std::int64_t denominator)
    : Exact(point(quotient(numerator, denominator))) {}

bool Exact::is_point() const { return value_->point; }

Exact operator+(const Exact& x, const Exact& y) {
  const Enclosure& a = x.value();
  const Enclosure& b = y.value();
  return enclosure(a.lo + b.lo, a.hi + b.hi);
}
Exact operator-(const Exact& x, const Exact& y) {
  const Enclosure& a = x.value();
  const Enclosure& b = y.value();
  return enclosure(a.lo - b.hi, a.hi - b.lo);
}
Exact operator*(const Exact& x, const Exact& y) {
  const Enclosure& a = x.value();
  const Enclosure& b = y.value();
  if (a.point && b.point) {
    const Rational z = a.lo * b.lo;
    return enclosure(z, z);
  }
  const Rational p[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  return enclosure(*std::min_element(std::begin(p), std::end(p)),
                   *std::max_element(std::begin(p), std::end(p)));
}
Exact operator/(const Exact& x, const Exact& y) {
  const Enclosure& b = y.value();
  if (b.lo <= 0 && b.hi >= 0) throw std::domain_error("division by a number that may be zero");
  return x * enclosure(1 / b.hi, 1 / b.lo);
}

Exact sqrt(const Exact& x) {
  const Enclosure& a = x.value();
  if (a.hi < 0) throw std::domain_error("root of a negative number");
  bool exact = false;
  const Rational lo = a.lo > 0 ? root_down(a.lo, exact) : Rational(0);
  return enclosure(lo, a.hi > 0 ? root_up(a.hi) : Rational(0));
}
Exact exp(const Exact& x) {
  if (surely_zero(x)) return 1;
  return widen(x.value(), [](const Float& v) { return Float(mp::exp(v)); });
}
Exact log(const Exact& x) {
  const Enclosure& a = x.value();
  if (a.lo <= 0) throw std::domain_error("logarithm of a number that may be zero or negative");
  if (a.point && a.lo == 1) return 0;
  return widen(a, [](const Float& v) { return Float(mp::log(v)); });
}
Exact abs(const Exact& x) {
  const Enclosure& a = x.value();
  if (a.lo >= 0) return x;
  if (a.hi <= 0) return -x;
  return enclosure(0, std::max(Rational(-a.lo), a.hi));
}
Exact max(const Exact& x, const Exact& y) {
  const Enclosure& a = x.value();
  const Enclosure& b = y.value();
  return enclosure(std::max(a.lo, b.lo), std::max(a.hi, b.hi));
}
Exact min(const Exact& x, const Exact& y) {
  const Enclosure& a = x.value();
  const Enclosure& b = y.value();
  return enclosure(std::min(a.lo, b.lo), std::min(a.hi, b.hi));
}

bool surely_le(const Exact& x, const Exact& y) { return x.value().hi <= y.value().lo; }
bool surely_less(const Exact& x, const Exact& y) { return x.value().hi < y.value().lo; }
bool surely_zero(const Exact& x) { return x.is_point() && x.value().lo == 0; }
bool surely_equal(const Exact& x, const Exact& y) {
  return x.is_point() && y.is_point() && x.value().lo == y.value().lo;
}

double to_double(const Exact& x) {
  return static_cast<double>(to_float((x.value().lo + x.value().hi) / 2));
}

std::string to_text(const Exact& x) {
  const Enclosure& a = x.value();
  if (a.point) return a.lo.str();
  const Float middle = to_float((a.lo + a.hi) / 2);
  const auto radius = static_cast<double>(to_float((a.hi - a.lo) / 2));
  return fmt::format("{} ± {:.1e}", middle.str(20), radius);
}

namespace {

Integer parse_integer(std::string_view digits, std::string_view whole) {
  const std::size_t sign = !digits.empty() && (digits[0] == '-' || digits[0] == '+') ? 1 : 0;
  const bool good = digits.size() > sign && digits.size() < 2000 &&
                    std::all_of(digits.begin() + static_cast<std::ptrdiff_t>(sign), digits.end(),
                                [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!good) throw std::invalid_argument(fmt::format("'{}' is not a number", whole));
  std::string_view magnitude = digits.substr(sign);  // a leading 0 would mean octal
  while (magnitude.size() > 1 && magnitude[0] == '0') magnitude.remove_prefix(1);
  const Integer value{std::string(magnitude)};
  return digits[0] == '-' ? Integer(-value) : value;
}

Rational parse_decimal(std::string_view text) {
  const std::string_view whole = text;
  long exponent = 0;
  if (const auto e = text.find_first_of("eE"); e != std::string_view::npos) {
    const Integer power = parse_integer(text.substr(e + 1), whole);
    if (mp::abs(power) > 400)
      throw std::invalid_argument(fmt::format("'{}' is out of range", whole));
    exponent = static_cast<long>(power);
    text = text.substr(0, e);
  }
  std::string digits(text);
  if (const auto dot = digits.find('.'); dot != std::string::npos) {
    exponent -= static_cast<long>(digits.size() - dot - 1);
    digits.erase(dot, 1);
  }
  const Integer mantissa = parse_integer(digits, whole);
  const Integer scale = mp::pow(Integer(10), static_cast<unsigned>(std::abs(exponent)));
  return exponent >= 0 ? Rational(mantissa * scale) : Rational(mantissa, scale);
}

}  // namespace

Exact parse_exact(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return point(parse_decimal(text));
  const Integer denominator = parse_integer(text.substr(slash + 1), text);
  if (denominator == 0) throw std::invalid_argument(fmt::format("'{}' divides by zero", text));
  return point(quotient(parse_integer(text.substr(0, slash), text), denominator));
}

}  // namespace speder::audit
