#include "experiments/audit/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace speder::audit {
namespace {

constexpr int kRestarts = 8;     // local searches, from the worst random instances
constexpr double kFloor = 1e-6;  // differences are relative to at least this, so that 1e-17 > 0 is
                                 // no violation

struct Scored {
  double score = -2;
  Choices choices;
};

double ratio_of(Relation relation, const Sides<double>& sides) {
  if (relation == Relation::kEqual) return violation(relation, sides);
  if (sides.right > 0) return sides.left / sides.right;
  return sides.left > kFloor ? std::numeric_limits<double>::infinity() : 0;
}

void raise(std::map<std::int64_t, double>& bucket, std::int64_t key, double ratio) {
  auto [it, fresh] = bucket.try_emplace(key, ratio);
  if (!fresh) it->second = std::max(it->second, ratio);
}

std::int64_t decade(double x) {  // largest power of ten ≤ x
  return static_cast<std::int64_t>(std::llround(std::pow(10, std::floor(std::log10(x) + kTrigger))));
}
std::int64_t octave(int k) {
  int p = 1;
  while (2 * p <= k) p *= 2;
  return p;
}

class Searcher {
 public:
  Searcher(const Entry& entry, SearchResult& result) : entry_(entry), result_(result) {}

  // Builds, checks the premises, evaluates; −2 when the instance is rejected.
  double evaluate(Choices& choices) {
    const Case<double> c = build<double>(entry_.shape, choices);
    if (broken_premise(c, entry_.assumes)) return reject();
    const Sides<double> sides = entry_.check.approximate(c);
    if (!sides.defined || !std::isfinite(sides.left) || !std::isfinite(sides.right)) {
      return reject();
    }
    ++result_.instances;
    const double score = violation(entry_.relation, sides);
    if (entry_.relation == Relation::kConstant) note_trend(c, ratio_of(entry_.relation, sides));
    if (score > best_) {
      best_ = score;
      result_.worst_ratio = ratio_of(entry_.relation, sides);
      result_.where = describe(c);
    }
    return score;
  }

 private:
  double reject() {
    ++result_.rejected;
    return -2;
  }
  void note_trend(const Case<double>& c, double ratio) {
    raise(result_.trend.rank, octave(c.d), ratio);
    raise(result_.trend.actions, octave(c.A), ratio);
    raise(result_.trend.horizon, decade(1 / (1 - c.gamma)), ratio);
    const double n = c.n != 0 ? c.n : static_cast<double>(c.H) * static_cast<double>(c.m);
    raise(result_.trend.samples, decade(n), ratio);
  }
  const Entry& entry_;
  SearchResult& result_;
  double best_ = -2;
};

void keep_worst(std::vector<Scored>& pool, Scored candidate) {
  if (candidate.score <= -2) return;
  pool.push_back(std::move(candidate));
  std::stable_sort(pool.begin(), pool.end(),
                   [](const Scored& x, const Scored& y) { return x.score > y.score; });
  if (pool.size() > kRestarts) pool.pop_back();
}

std::vector<Scored> random_phase(Searcher& searcher, const Entry& entry, std::int64_t budget,
                                 const SeedTree& seeds) {
  std::vector<Scored> pool;
  for (std::int64_t i = 0; i < budget; ++i) {
    Rng rng = seeds.stream(entry.id, static_cast<std::uint64_t>(i));
    Choices choices(rng);
    const double score = searcher.evaluate(choices);
    if (pool.size() < kRestarts || score > pool.back().score) {
      keep_worst(pool, {score, std::move(choices)});
    }
  }
  return pool;
}

void climb(Searcher& searcher, Scored& start, std::int64_t steps, Rng& rng) {
  start.choices.use_stream(rng);
  for (std::int64_t i = 0; i < steps; ++i) {
    Choices next = start.choices;
    perturb(next, rng);
    const double score = searcher.evaluate(next);
    if (score >= start.score) start = {score, std::move(next)};
  }
}

std::optional<Counterexample> confirm(const Entry& entry, Choices& choices) {
  try {
    Counterexample found;
    found.instance = build<Exact>(entry.shape, choices);
    if (broken_premise(found.instance, entry.assumes)) return std::nullopt;
    found.sides = entry.check.exact(found.instance);
    if (!found.sides.defined || !proves_violation(entry.relation, found.sides)) return std::nullopt;
    return found;
  } catch (const std::domain_error&) {
    return std::nullopt;
  }
}

}  // namespace

double violation(Relation relation, const Sides<double>& sides) {
  const double size = std::abs(sides.left) + std::abs(sides.right);
  if (relation == Relation::kEqual) {
    return std::abs(sides.left - sides.right) / (size + sides.scale + kFloor);
  }
  if (relation == Relation::kConstant) {  // no violation, but something to maximise
    return -1 / (1 + std::max(0.0, sides.left / std::max(sides.right, kFloor * kFloor)));
  }
  return (sides.left - sides.right) / (size + kFloor);
}

bool proves_violation(Relation relation, const Sides<Exact>& sides) {
  if (relation == Relation::kConstant) return false;
  if (surely_less(sides.right, sides.left)) return true;
  return relation == Relation::kEqual && surely_less(sides.left, sides.right);
}

double violation_of(const Entry& entry, Choices& choices) {
  const Case<double> c = build<double>(entry.shape, choices);
  if (broken_premise(c, entry.assumes)) return -1;
  const Sides<double> sides = entry.check.approximate(c);
  if (!sides.defined || !std::isfinite(sides.left) || !std::isfinite(sides.right)) return -1;
  return violation(entry.relation, sides);
}

std::string describe(const Case<double>& c) {
  std::string text;
  const auto add = [&](std::string_view name, double value) {
    if (value != 0) text += fmt::format("{}{}={:.6g}", text.empty() ? "" : " ", name, value);
  };
  add("X", c.X), add("S", c.S), add("A", c.A), add("d", c.d), add("F", c.F);
  add("n", c.n != 0 ? c.n : static_cast<double>(c.H) * static_cast<double>(c.m));
  add("γ", c.gamma), add("λ", c.lambda);
  if (c.F != 0) add("δ", c.delta), add("C", c.bound);
  return text;
}

SearchResult search(const Entry& entry, std::int64_t budget, const SeedTree& seeds) {
  SearchResult result;
  Searcher searcher(entry, result);
  std::vector<Scored> pool = random_phase(searcher, entry, (budget + 1) / 2, seeds);
  if (pool.empty()) return result;
  const std::int64_t steps = budget / 2 / static_cast<std::int64_t>(pool.size());
  for (std::size_t k = 0; k < pool.size(); ++k) {
    Rng rng = seeds.child("climb").stream(entry.id, k);
    climb(searcher, pool[k], steps, rng);
  }
  std::stable_sort(pool.begin(), pool.end(),
                   [](const Scored& x, const Scored& y) { return x.score > y.score; });
  Rng rng = seeds.child("shrink").stream(entry.id);
  for (Scored& candidate : pool) {
    candidate.choices.use_stream(rng);
    if (candidate.score <= kTrigger || entry.relation == Relation::kConstant) break;
    Choices small = shrink(entry, candidate.choices, rng);
    result.counterexample = confirm(entry, small);
    if (!result.counterexample) result.counterexample = confirm(entry, candidate.choices);
    if (result.counterexample) break;
    ++result.rounding_alarms;
  }
  return result;
}

}  // namespace speder::audit
