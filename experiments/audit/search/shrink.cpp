#include <algorithm>
#include <cmath>

#include "speder/experiments/audit/search/search.hpp"

namespace speder::audit {
namespace {

constexpr int kPasses = 4;
constexpr int kMaxEvaluations = 8000;
constexpr double kComfort = 1e-3;  // keep the violation visible without a magnifying glass

// 0 is simplest, then 1, then by denominator.
std::int64_t complexity(const Choice& c) {
  return c.numerator == 0 ? 0 : 2LL * c.denominator + c.numerator;
}

// Sizes shrink towards the smallest.
std::vector<Choice> smaller(const Choice& c) {
  constexpr std::int32_t kSteps = 64;
  std::vector<Choice> values;
  for (std::int32_t k = 0; k * static_cast<std::int64_t>(c.denominator) <
                           static_cast<std::int64_t>(c.numerator) * kSteps;
       ++k) {
    values.push_back({k, kSteps});
  }
  return values;
}

// The values a choice may be rounded to: 0, 1, and the nearest fractions with small denominators.
std::vector<Choice> rounder(const Choice& c) {
  constexpr std::int32_t kDenominators[] = {1, 2, 3, 4, 5, 8, 10, 20, 100};
  std::vector<Choice> values = {{0, 1}, {1, 1}};
  const double u = static_cast<double>(c.numerator) / c.denominator;
  for (const std::int32_t q : kDenominators) {
    values.push_back({static_cast<std::int32_t>(std::lround(u * q)), q});
  }
  std::erase_if(values, [&](const Choice& v) { return complexity(v) >= complexity(c); });
  std::stable_sort(values.begin(), values.end(),
                   [](const Choice& x, const Choice& y) { return complexity(x) < complexity(y); });
  return values;
}

}  // namespace

Choices shrink(const Entry& entry, Choices choices, Rng& rng) {
  choices.use_stream(rng);
  const double floor = violation_of(entry, choices) > 2 * kComfort ? kComfort : kTrigger;
  int evaluations = 0;
  bool improved = true;
  for (int pass = 0; pass < kPasses && improved; ++pass) {
    improved = false;
    for (const auto& [slot, i] : choices.made()) {
      const Choice now = choices.at(slot, i);
      for (const Choice& value : slot == Slot::kSize ? smaller(now) : rounder(now)) {
        if (++evaluations > kMaxEvaluations) return choices;
        Choices next = choices;
        next.set(slot, i, value);
        if (violation_of(entry, next) <= floor) continue;
        choices = std::move(next);
        improved = true;
        break;
      }
    }
  }
  return choices;
}

}  // namespace speder::audit
