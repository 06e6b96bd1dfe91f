#include "speder/experiments/audit/search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace speder::audit {
namespace {

constexpr int kNiches = 8;       // one local search a niche, so that the trivial corner (one state,
                                 // one action, γ → 0), where many bounds are tight, is not all
constexpr double kFloor = 1e-6;  // differences of an identity are relative to at least this
constexpr double kTiny = 1e-12;  // added to the right side of a bound, so that 1e-17 > 0 is nothing
constexpr double kRounding =
    1e-13;  // of the numbers subtracted on the way: a few hundred roundings

constexpr double kRejected = -2;

struct Score {
  double value = kRejected;
  int niche = 0;
};
struct Scored {
  Score score;
  Choices choices;
};

// Several states? Several actions (candidates)? γ away from its ends (several samples)?
int niche_of(const Case<double>& c) {
  const bool wide = c.A > 1 || (c.A == 0 && c.F > 1);
  const bool middle = c.gamma > 0 ? c.gamma > 0.05 && c.gamma < 0.95 : c.n > 1 || c.H > 1;
  return (c.S > 1 || c.d > 1 ? 1 : 0) + (wide ? 2 : 0) + (middle ? 4 : 0);
}

double ratio_of(Relation relation, const Sides<double>& sides) {
  if (relation == Relation::kEqual) return violation(relation, sides);
  const double allowance = kTiny + kRounding * sides.scale;
  if (sides.right >= 0) {
    const double ratio = sides.left / (sides.right + allowance);
    return measures_constant(relation) ? std::max(0.0, ratio) : ratio;
  }
  // Both negative: left ≤ right means |right| / |left| ≤ 1.
  if (sides.left < 0) return sides.right / sides.left;
  return std::numeric_limits<double>::infinity();
}

void raise(std::map<std::int64_t, double>& bucket, std::int64_t key, double ratio) {
  auto [it, fresh] = bucket.try_emplace(key, ratio);
  if (!fresh) it->second = std::max(it->second, ratio);
}

std::int64_t decade(double x) {  // largest power of ten ≤ x
  return static_cast<std::int64_t>(
      std::llround(std::pow(10, std::floor(std::log10(x) + kTrigger))));
}
std::int64_t octave(int k) {
  int p = 1;
  while (2 * p <= k) p *= 2;
  return p;
}

class Searcher {
 public:
  Searcher(const Entry& entry, SearchResult& result) : entry_(entry), result_(result) {}

  // Builds, checks the premises, evaluates.
  Score evaluate(Choices& choices) {
    const Case<double> c = build<double>(entry_.shape, choices);
    if (broken_premise(c, entry_.assumes)) return reject();
    const Sides<double> sides = entry_.check.approximate(c);
    if (!sides.defined || !std::isfinite(sides.left) || !std::isfinite(sides.right)) {
      return reject();
    }
    ++result_.instances;
    const double score = violation(entry_.relation, sides);
    if (measures_constant(entry_.relation)) note_trend(c, ratio_of(entry_.relation, sides));
    if (score > best_) {
      best_ = score;
      result_.worst_ratio = ratio_of(entry_.relation, sides);
      result_.where = describe(c);
    }
    return {score, niche_of(c)};
  }

 private:
  Score reject() {
    ++result_.rejected;
    return {};
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
  double best_ = kRejected;
};

// The worst random instance of each niche.
std::vector<Scored> random_phase(Searcher& searcher, const Entry& entry, std::int64_t budget,
                                 const SeedTree& seeds) {
  std::array<std::optional<Scored>, kNiches> worst;
  for (std::int64_t i = 0; i < budget; ++i) {
    Rng rng = seeds.stream(entry.id, static_cast<std::uint64_t>(i));
    Choices choices(rng);
    const Score score = searcher.evaluate(choices);
    if (score.value == kRejected) continue;
    auto& best = worst[static_cast<std::size_t>(score.niche)];
    if (!best || score.value > best->score.value) best = Scored{score, std::move(choices)};
  }
  std::vector<Scored> pool;
  for (auto& best : worst) {
    if (best) pool.push_back(std::move(*best));
  }
  return pool;
}

void climb(Searcher& searcher, Scored& start, std::int64_t steps, Rng& rng) {
  start.choices.use_stream(rng);
  Choices next = start.choices;
  for (std::int64_t i = 0; i < steps; ++i) {
    next = start.choices;  // into memory that is already there
    perturb(next, rng);
    const Score score = searcher.evaluate(next);
    if (score.niche == start.score.niche && score.value >= start.score.value) {
      start.score = score;
      std::swap(start.choices, next);
    }
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
  const double allowance = kTiny + kRounding * sides.scale;
  if (relation == Relation::kConstant) {  // no violation, but something to maximise
    const double q = sides.left / (std::abs(sides.right) + allowance);
    return q >= 0 ? -1 / (1 + q) : -1 + q / (1 - q);
  }
  if (relation == Relation::kOrder) {
    const double q = std::max(0.0, sides.left) / (kGenerous * sides.right + allowance);
    return (q - 1) / (q + 1);
  }
  if (sides.right < 0) return (sides.left - sides.right - allowance) / (size + allowance);
  // (q − 1)/(q + 1) for q = left/right: −1 at 0 ≤ 0, so that the search is not drawn to nothing.
  const double q = std::max(0.0, sides.left) / (sides.right + allowance);
  return (q - 1) / (q + 1);
}

bool proves_violation(Relation relation, const Sides<Exact>& sides) {
  if (relation == Relation::kConstant) return false;
  if (relation == Relation::kOrder) return surely_less(Exact(kGenerous) * sides.right, sides.left);
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

template <class T>
std::string describe(const Case<T>& c) {
  std::string text;
  const auto add = [&](std::string_view name, double value) {
    if (value != 0) text += fmt::format("{}{}={:.6g}", text.empty() ? "" : " ", name, value);
  };
  add("X", c.X), add("S", c.S), add("A", c.A), add("d", c.d), add("F", c.F);
  if (c.digits > kPlainDigits) {
    text += fmt::format(" n=10^{}", c.digits);
  } else {
    add("n", c.n != 0 ? c.n : static_cast<double>(c.H) * static_cast<double>(c.m));
  }
  add("γ", to_double(c.gamma)), add("λ", to_double(c.lambda));
  if (c.F != 0) add("δ", to_double(c.delta)), add("C", to_double(c.bound));
  return text;
}

template std::string describe(const Case<double>&);
template std::string describe(const Case<Exact>&);

SearchResult search(const Entry& entry, std::int64_t budget, const SeedTree& seeds) {
  SearchResult result;
  Searcher searcher(entry, result);
  std::vector<Scored> pool = random_phase(searcher, entry, (budget + 1) / 2, seeds);
  const auto places = static_cast<std::int64_t>(pool.size());
  for (std::int64_t k = 0; k < places; ++k) {
    const std::int64_t steps = budget / 2 * (k + 1) / places - budget / 2 * k / places;
    Rng rng = seeds.child("climb").stream(entry.id, static_cast<std::uint64_t>(k));
    climb(searcher, pool[static_cast<std::size_t>(k)], steps, rng);
  }
  std::stable_sort(pool.begin(), pool.end(),
                   [](const Scored& x, const Scored& y) { return x.score.value > y.score.value; });
  Rng rng = seeds.child("shrink").stream(entry.id);
  for (Scored& candidate : pool) {
    candidate.choices.use_stream(rng);
    if (candidate.score.value <= kTrigger || entry.relation == Relation::kConstant) break;
    Choices small = shrink(entry, candidate.choices, rng);
    result.counterexample = confirm(entry, small);
    if (!result.counterexample) result.counterexample = confirm(entry, candidate.choices);
    if (result.counterexample) break;
    ++result.rounding_alarms;
  }
  return result;
}

}  // namespace speder::audit
