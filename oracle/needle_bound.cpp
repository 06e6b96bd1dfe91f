#include "speder/oracle/needle_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "speder/core/check.hpp"

namespace speder {
namespace {

// What one door adds to the lobby's value: V = constant + slope · V(lobby).
struct DoorLine {
  double constant = 0, slope = 0;
};

// γ^steps times a bet that is won with probability p: prize (1, then home) or blank.
DoorLine bet_after(int steps, double p, double gamma) {
  const double g = std::pow(gamma, steps + 1);
  return {g * p, g * gamma * (p * gamma + (1 - p))};
}

// All that a policy can do about a pair of siblings, as (constant, slope) of both doors together. The
// needle is behind the first one; `right` says at which of the two halves of each context it is played.
std::vector<DoorLine> pair_lines(const NeedleShape& shape, bool solved) {
  const double o = shape.overlap, D = shape.lead, g = shape.gamma;
  const double safe = needle_values(shape).safe;
  enum Door { kRefuse, kTurn, kEnter };
  std::set<std::pair<double, double>> seen;
  for (const Door needle : {kRefuse, kTurn, kEnter}) {
    for (const Door dud : {kRefuse, kTurn, kEnter}) {
      for (int own = 0; own <= 2; ++own) {  // halves of the needle's context with the needle played
        for (int other = 0; other <= 2; ++other) {  // of its sibling's
          const bool is_solved = needle == kEnter && own == 2 && dud != kEnter;
          if (is_solved != solved) continue;
          const double mine = 0.5 + (1 - o) * D * own / 2;
          const double theirs = 0.5 + o * D * other / 2;
          const auto line = [&](Door door, double p) {
            if (door == kRefuse) return bet_after(0, safe, g);
            return door == kTurn ? bet_after(1, 0, g) : bet_after(2, p, g);
          };
          const DoorLine a = line(needle, (1 - o) * mine + o * theirs);
          const DoorLine b = line(dud, (1 - o) * theirs + o * mine);
          seen.emplace(a.constant + b.constant, a.slope + b.slope);
        }
      }
    }
  }
  std::vector<DoorLine> out;
  for (const auto& [constant, slope] : seen) out.push_back({constant, slope});
  return out;
}

double bernoulli_divergence_from_half(double x) { return -0.5 * std::log1p(-4 * x * x); }

}  // namespace

NeedleBound needle_lower_bound(const NeedleShape& shape, double epsilon, double delta) {
  require_valid(shape);
  require(shape.one_key, "the bound is for needle MDPs with one key");
  const NeedleValues values = needle_values(shape);
  const auto M = static_cast<double>(shape.doors);
  const auto A = static_cast<double>(shape.actions);
  const double pairs = M / 2;
  // s: the least loss for each pair that is not solved, over how many there are.
  const std::vector<DoorLine> good = pair_lines(shape, true), bad = pair_lines(shape, false);
  double loss = std::numeric_limits<double>::infinity();
  for (double k = 1; k <= pairs; ++k) {
    double best = 0;
    for (const DoorLine& x : good) {
      for (const DoorLine& y : bad) {
        const double constant = (pairs - k) * x.constant + k * y.constant;
        const double slope = (pairs - k) * x.slope + k * y.slope;
        best = std::max(best, constant / M / (1 - slope / M));
      }
    }
    loss = std::min(loss, (values.best - best) / k);
  }
  NeedleBound out;
  out.unsolved = loss > 0 ? std::min(1.0, epsilon / (loss * pairs)) : 1;
  // Contexts are seen after two deliberate steps, or after one and the first recorded action. An
  // episode comes to the lobby most often if all other doors are refused.
  const double g = shape.gamma;
  const double enter = (std::pow(g, 4) + std::pow(g, 5)) / 2;
  const double refuse = (1 - values.safe) * std::pow(g, 2) + values.safe * std::pow(g, 3);
  const double cycle = 2 / M * enter + (1 - 2 / M) * refuse;
  out.visits = (1 - g) / (1 - cycle) * (2 / M) * (g * g + g / A);
  out.information = bernoulli_divergence_from_half((1 - shape.overlap) * shape.lead) +
                    bernoulli_divergence_from_half(shape.overlap * shape.lead);
  const double learned = (1 - delta) * (1 - out.unsolved) - 1 / (2 * A);
  if (learned > 0)
    out.episodes = std::max(1.0, 4 * A * learned * learned / (out.visits * out.information));
  return out;
}

}  // namespace speder
