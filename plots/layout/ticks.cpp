#include "speder/plots/layout/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace speder {
namespace {

constexpr int kUsual = 6;        // labels that a range is rounded for
constexpr double kSlack = 1e-9;  // of a step: rounding in the last place of a range's end

std::string signed_text(double v, const std::string& digits) {
  return v < 0 ? "−" + digits : digits;
}

bool is_zero(double v, int decimals) { return std::abs(v) < kSlack * std::pow(10, -decimals); }

// Numbers whose digits would be counted instead of read.
bool needs_powers(double v, int decimals) {
  constexpr double kLarge = 1e5, kSmall = 1e-3;
  return !is_zero(v, decimals) &&
         (std::abs(v) >= kLarge * (1 - kSlack) || std::abs(v) < kSmall * (1 - kSlack));
}

// "5000" and "0.25", or with powers "5·10^{3}" and "2.5·10^{−1}".
std::string number_text(double v, int decimals, bool powers) {
  const double size = std::abs(v);
  if (is_zero(v, decimals)) return "0";
  if (powers) {
    const double power = std::floor(std::log10(size) + kSlack);
    const std::string mantissa = fmt::format("{:.3g}", size / std::pow(10, power));
    const std::string ten =
        fmt::format("10^{{{}}}", signed_text(power, fmt::format("{:g}", std::abs(power))));
    return signed_text(v, mantissa == "1" ? ten : mantissa + "·" + ten);
  }
  return signed_text(v, fmt::format("{:.{}f}", size, decimals));
}

// Digits behind the point that show v > 0, at most what a double can have.
int decimals_of(double v) {
  return static_cast<int>(
      std::clamp(-std::floor(std::log10(v) + kSlack), 0.0,
                 -static_cast<double>(std::numeric_limits<double>::min_exponent10)));
}

std::vector<Tick> linear_ticks(const AxisMap& map, int most) {
  const double step = round_step(map.low, map.high, most);
  const int decimals = decimals_of(step);
  std::vector<Tick> out;
  const double first = std::ceil(map.low / step - kSlack),
               last = std::floor(map.high / step + kSlack);
  // One axis writes all its numbers in one way.
  bool powers = false;
  for (double k = first; k <= last; ++k) powers = powers || needs_powers(k * step, decimals);
  for (double k = first; k <= last; ++k)
    out.push_back({k * step, number_text(k * step, decimals, powers)});
  return out;
}

// Multiples of powers of ten inside the range.
std::vector<double> multiples(const AxisMap& map, std::initializer_list<double> of) {
  std::vector<double> out;
  const int first = static_cast<int>(std::floor(std::log10(map.low)));
  const int last = static_cast<int>(std::ceil(std::log10(map.high)));
  for (int e = first; e <= last; ++e) {
    for (const double m : of) {
      const double v = m * std::pow(10, e);
      const bool inside = map.low * (1 - kSlack) <= v && v <= map.high * (1 + kSlack);
      if (inside && std::isfinite(v)) out.push_back(v);
    }
  }
  return out;
}

std::vector<Tick> power_ticks(const std::vector<double>& powers, int most) {
  const auto count = static_cast<int>(powers.size());
  const int every = std::max(1, (count + most - 1) / most);
  std::vector<Tick> out;
  for (int i = 0; i < count; ++i) {
    const double v = powers[static_cast<std::size_t>(i)], power = std::round(std::log10(v));
    const std::string digits = signed_text(power, fmt::format("{:g}", std::abs(power)));
    out.push_back({v, i % every == 0 ? fmt::format("10^{{{}}}", digits) : ""});
  }
  return out;
}

std::vector<Tick> log_ticks(const AxisMap& map, int most) {
  constexpr std::size_t kFew = 3;  // fewer labels do not show a scale
  constexpr double kMinor = 6;     // decades: above, marks between powers of ten run together
  const double decades = std::log10(map.high / map.low);
  std::vector<Tick> out;
  if (const auto powers = multiples(map, {1});
      powers.size() >= kFew || (powers.size() == 2 && most <= 3) || most < 2) {
    out = power_ticks(powers, most);
  } else {
    std::vector<double> places = multiples(map, {1, 2, 5});
    if (places.size() <= kFew) {
      places = multiples(map, {1, 2, 3, 4, 5, 6, 7, 8, 9});
      // Less than a decade is almost even: equal steps where there are more of them.
      auto even = linear_ticks(map, most);
      if (decades < 1 && even.size() > places.size()) return even;
    }
    if (std::ssize(places) > most) places = multiples(map, {1, 2, 5});
    if (std::ssize(places) > most) places = multiples(map, {1, 3});
    if (places.size() < kFew) return linear_ticks(map, most);
    const bool with_powers =
        std::ranges::any_of(places, [](double v) { return needs_powers(v, decimals_of(v)); });
    for (const double v : places) out.push_back({v, number_text(v, decimals_of(v), with_powers)});
  }
  if (decades > kMinor) return out;
  for (const double v : multiples(map, {1, 2, 3, 4, 5, 6, 7, 8, 9})) {
    const bool there =
        std::ranges::any_of(out, [v](const Tick& t) { return std::abs(t.at / v - 1) < kSlack; });
    if (!there) out.push_back({v, ""});
  }
  return out;
}

}  // namespace

double AxisMap::operator()(double v) const {
  const double share = log ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low);
  return from + share * (to - from);
}

double round_step(double low, double high, int most) {
  const double rough = (high - low) / std::max(1, most);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double m : {1.0, 2.0, 5.0}) {
    if (rough <= m * power * (1 + kSlack)) return m * power;
  }
  return 10 * power;
}

AxisMap axis_range(const Axis& axis, const std::vector<double>& values) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  AxisMap out{.log = axis.scale == Scale::kLog};
  if (axis.low) low = *axis.low;
  if (axis.high) high = *axis.high;
  if (!std::isfinite(low) || !std::isfinite(high) || low > high || (out.log && low <= 0)) {
    low = out.log ? 1 : 0;  // nothing to draw
    high = out.log ? 10 : 1;
  }
  if (out.log) {
    constexpr double kRoom = 0.04, kLeast = 1.1;  // share of the range, and at least this factor
    const double room = std::max(std::pow(high / low, kRoom), kLeast);
    out.low = axis.low ? low : low / room;
    out.high = axis.high ? high : high * room;
    return out;
  }
  if (!(high > low)) {  // one value
    const double half = low == 0 ? 1 : std::abs(low) / 2;
    out.low = axis.low ? low : low - half;
    out.high = axis.high && *axis.high > low ? high : low + half;
    return out;
  }
  const double step = round_step(low, high, kUsual);
  out.low = axis.low ? low : std::floor(low / step + kSlack) * step;
  out.high = axis.high ? high : std::ceil(high / step - kSlack) * step;
  return out;
}

std::vector<Tick> ticks_of(const AxisMap& map, int most) {
  return map.log ? log_ticks(map, most) : linear_ticks(map, most);
}

}  // namespace speder
