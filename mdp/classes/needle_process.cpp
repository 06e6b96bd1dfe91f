#include "speder/mdp/classes/needle_process.hpp"

#include "speder/core/binomial.hpp"
#include "speder/core/check.hpp"

namespace speder {
namespace {

// Discounted visits of all groups, ∑_t γ^t Pr(s_t in group), from the lobby.
Vector needle_visits(const NeedleShape& shape, const NeedleMember& member,
                     const GroupPolicy& policy) {
  require(policy.rows() == shape.groups() && policy.cols() == shape.actions,
          "a group policy has one row a group", policy.rows());
  // One tour from the lobby back to it. Groups are numbered so that a step never leads to a lower
  // one, except back to the lobby and from prize to paid by way of nothing else.
  Vector visits = Vector::Zero(shape.groups());
  for (Index c = 0; c < shape.doors; ++c)
    visits[shape.door(c)] = 1 / static_cast<double>(shape.doors);
  double home = 0;  // discounted returns of one tour
  for (Index g = 0; g < shape.groups(); ++g) {
    if (visits[g] == 0) continue;
    if (g == shape.blank() || g == shape.paid()) {
      home += shape.gamma * visits[g];
      continue;
    }
    for (Index a = 0; a < shape.actions; ++a) {
      if (policy(g, a) == 0) continue;
      for (const auto& [next, p] : needle_moves(shape, member, g, a))
        visits[next] += shape.gamma * visits[g] * policy(g, a) * p;
    }
  }
  return visits / (1 - home);
}

}  // namespace

std::vector<std::pair<Index, double>> needle_moves(const NeedleShape& shape,
                                                   const NeedleMember& member, Index group,
                                                   Index action) {
  const bool enter = shape.enters(action);
  const auto bet = [&](double p) {
    return std::vector<std::pair<Index, double>>{{shape.prize(), p}, {shape.blank(), 1 - p}};
  };
  if (group < shape.hall(0)) {
    if (!enter) return bet(needle_values(shape).safe);
    return {{shape.hall(group), 1}};
  }
  if (group < shape.half(0, 0)) {
    if (!enter) return {{shape.blank(), 1}};
    const Index z = group - shape.doors;
    std::vector<std::pair<Index, double>> out;
    for (const Index c : {z, z ^ 1}) {
      for (Index h = 0; h < 2; ++h) {
        const double p = member.owner(c, h) == z ? 1 - shape.overlap : shape.overlap;
        if (p > 0) out.emplace_back(shape.half(c, h), p / 2);
      }
    }
    return out;
  }
  if (group < shape.prize()) {
    const Index half = group - 2 * shape.doors;
    return bet(needle_chance(shape, member, half / 2, half % 2, action));
  }
  if (group == shape.prize()) return {{shape.paid(), 1}};
  std::vector<std::pair<Index, double>> lobby;
  for (Index c = 0; c < shape.doors; ++c)
    lobby.emplace_back(shape.door(c), 1 / static_cast<double>(shape.doors));
  return lobby;
}

Vector needle_occupancy(const NeedleShape& shape, const NeedleMember& member,
                        const GroupPolicy& policy) {
  return (1 - shape.gamma) * needle_visits(shape, member, policy);
}

double needle_value(const NeedleShape& shape, const NeedleMember& member,
                    const GroupPolicy& policy) {
  return needle_visits(shape, member, policy)[shape.prize()];  // reward 1 there, whatever is done
}

GroupPolicy group_policy(const NeedleShape& shape, const std::vector<std::int32_t>& choice) {
  GroupPolicy out = Matrix::Zero(shape.groups(), shape.actions);
  for (Index g = 0; g < shape.groups(); ++g) out(g, choice[static_cast<std::size_t>(g)]) = 1;
  return out;
}

Matrix needle_group_phi(const NeedleShape& shape, const NeedleMember& member) {
  NeedleShape small = shape;
  small.copies = 2;  // the least: every group has an observation
  const Matrix all = Matrix(needle_phi(small, member));
  Matrix out(shape.groups() * shape.actions, shape.rank());
  for (Index s = 0; s < small.states(); ++s) {
    const Index g = small.group_of(s);
    out.middleRows(g * shape.actions, shape.actions) =
        all.middleRows(s * shape.actions, shape.actions);
  }
  return out;
}

NeedleData::NeedleData(const NeedleShape& shape, const NeedleMember& truth,
                       const GroupPolicy& behaviour) {
  const Vector mass = needle_occupancy(shape, truth, behaviour);
  for (Index g = 0; g < shape.groups(); ++g) {
    for (Index a = 0; a < shape.actions; ++a) {
      const double p = mass[g] * behaviour(g, a);
      const auto put = [&](Index next, double probability) {
        if (probability <= 0) return;
        kinds_.push_back({g, a, next, 0});
        probability_.push_back(probability);
      };
      const bool tells = g >= shape.hall(0) && g < shape.prize();
      if (!tells) {
        put(0, p);
        continue;
      }
      for (const auto& [next, q] : needle_moves(shape, truth, g, a)) put(next, p * q);
    }
  }
}

std::vector<NeedleCount> NeedleData::draw(Index n, Rng& rng) const {
  const std::vector<Index> counts = multinomial(n, probability_, rng);
  std::vector<NeedleCount> out;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    out.push_back(kinds_[i]);
    out.back().count = static_cast<double>(counts[i]);
  }
  return out;
}

}  // namespace speder
