#include "speder/experiments/rates/offline/instance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/oracle/coverage.hpp"

namespace speder {
namespace {

std::size_t place(Index i) { return static_cast<std::size_t>(i); }

bool has_needle(const NeedleMember& truth, Index c) { return truth.needle[place(c)].action >= 0; }

// The one needle of a pair of siblings.
Index needle_of_pair(const NeedleMember& truth, Index pair) {
  return std::max(truth.needle[place(2 * pair)].action, truth.needle[place(2 * pair + 1)].action);
}

// Probability `enter` shared by the actions that enter, the rest by the others.
void set_entry(const NeedleShape& shape, GroupPolicy& policy, Index group, double enter) {
  Index entering = 0;
  for (Index a = 0; a < shape.actions; ++a) entering += shape.enters(a) ? 1 : 0;
  for (Index a = 0; a < shape.actions; ++a)
    policy(group, a) = shape.enters(a)
                           ? enter / static_cast<double>(entering)
                           : (1 - enter) / static_cast<double>(shape.actions - entering);
}

GroupPolicy optimal(const NeedleShape& shape, const NeedleMember& truth) {
  std::vector<std::int32_t> choice(place(shape.groups()), 0);
  for (Index c = 0; c < shape.doors; ++c) {
    const std::int32_t on = has_needle(truth, c) ? 1 : 0;
    choice[place(shape.door(c))] = on;
    choice[place(shape.hall(c))] = on;
    for (Index h = 0; h < 2; ++h)
      choice[place(shape.half(c, h))] = static_cast<std::int32_t>(needle_of_pair(truth, c / 2));
  }
  return group_policy(shape, choice);
}

GroupPolicy behaviour_of(const OfflineShape& o, const NeedleMember& truth, Rng rng) {
  const NeedleShape& shape = o.needle;
  const auto A = static_cast<double>(shape.actions);
  GroupPolicy out = Matrix::Constant(shape.groups(), shape.actions, 1 / A);
  for (Index c = 0; c < shape.doors; ++c) {
    set_entry(shape, out, shape.door(c), has_needle(truth, c) ? o.good : o.neglect);
    set_entry(shape, out, shape.hall(c), has_needle(truth, c) ? o.hall : o.neglect);
  }
  for (Index q = 0; q < 2 * shape.doors; ++q) {
    Index favourite = 0;
    do favourite = rng.index(shape.actions);
    while (favourite == needle_of_pair(truth, q / 4));
    out.row(2 * shape.doors + q).setConstant(1 / o.omega);
    out(2 * shape.doors + q, favourite) = 1 - (A - 1) / o.omega;
  }
  return out;
}

Vector joint(const NeedleShape& shape, const NeedleMember& truth, const GroupPolicy& policy) {
  const Vector mass = needle_occupancy(shape, truth, policy);
  Vector out(shape.groups() * shape.actions);
  for (Index g = 0; g < shape.groups(); ++g)
    for (Index a = 0; a < shape.actions; ++a) out[g * shape.actions + a] = mass[g] * policy(g, a);
  return out;
}

// KL(Bernoulli(p) ‖ Bernoulli(q))
double coin_divergence(double p, double q) {
  return p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q));
}

}  // namespace

double needle_coverage(const NeedleShape& shape, const NeedleMember& truth,
                       const GroupPolicy& target, const GroupPolicy& behaviour) {
  return relative_condition(Factor(needle_group_phi(shape, truth)), joint(shape, truth, target),
                            joint(shape, truth, behaviour))
      .value;
}

OfflineInstance make_offline_instance(const OfflineShape& o, const SeedTree& seeds) {
  const NeedleShape& shape = o.needle;
  require_valid(shape);
  if (shape.actions < 3) throw InputError("offline needle: at least 3 actions are needed");
  OfflineInstance out;
  out.truth = draw_needles(shape, seeds);
  out.best = optimal(shape, out.truth);
  out.behaviour = behaviour_of(o, out.truth, seeds.stream("favourite"));
  const double least = out.behaviour.minCoeff();
  out.omega = 1 / least;
  if (least < (1 - tol::kSimplex) / o.omega)
    throw InputError(
        fmt::format("offline needle: some action has probability {:g} < 1/omega = {:g}; raise "
                    "omega, or good, hall and neglect",
                    least, 1 / o.omega));
  return out;
}

double entry_for_coverage(OfflineShape shape, double c_star) {
  const auto coverage = [&](double good) {
    shape.good = good;
    const OfflineInstance instance = make_offline_instance(shape, SeedTree(1));
    return needle_coverage(shape.needle, instance.truth, instance.best, instance.behaviour);
  };
  double low = shape.neglect, high = 1 - shape.neglect;  // C* falls in `good`
  const double least = coverage(high), most = coverage(low);
  if (c_star < least || c_star > most)
    throw InputError(fmt::format("offline needle: C* = {:g} cannot be had; it lies in [{:g}, {:g}]",
                                 c_star, least, most));
  constexpr int kHalvings = 50;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(low * high);
    (coverage(middle) > c_star ? low : high) = middle;
  }
  return high;
}

double offline_lower_bound(const NeedleShape& shape, const OfflineInstance& instance,
                           double delta) {
  const NeedleMember& truth = instance.truth;
  const Vector mass = needle_occupancy(shape, truth, instance.behaviour);
  double least = std::numeric_limits<double>::infinity();
  for (Index pair = 0; 2 * pair < shape.doors; ++pair) {
    const Index one = needle_of_pair(truth, pair);
    for (Index other = 0; other < shape.actions; ++other) {
      if (other == one) continue;
      NeedleMember moved = truth;
      for (Index c = 2 * pair; c < 2 * pair + 2; ++c)
        if (has_needle(truth, c)) moved.needle[place(c)].action = static_cast<std::int32_t>(other);
      double divergence = 0;
      for (Index q = 4 * pair; q < 4 * pair + 4; ++q) {
        for (const Index a : {one, other})
          divergence += mass[2 * shape.doors + q] * instance.behaviour(2 * shape.doors + q, a) *
                        coin_divergence(needle_chance(shape, truth, q / 2, q % 2, a),
                                        needle_chance(shape, moved, q / 2, q % 2, a));
      }
      least = std::min(least, divergence);
    }
  }
  return std::log(1 / (4 * delta)) / least;
}

}  // namespace speder
