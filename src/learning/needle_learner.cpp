#include "speder/learning/needle_learner.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/learning/needle_estimator.hpp"

namespace speder {
namespace {

// At the lobby: sum += value, slope += its derivative in the lobby's value.
struct Sloped {
  double value = 0;
  double slope = 0;
};

class NeedlePlanner {
 public:
  explicit NeedlePlanner(const NeedleClass& F)
      : shape_(F.shape()),
        safe_(F.values().safe),
        doors_(count(shape_.doors)),
        halls_(count(shape_.doors)),
        halves_(count(2 * shape_.doors * shape_.actions)),
        totals_(count(2 * shape_.doors)),
        sums_(count(shape_.doors / 2)),
        rows_(count(2 * shape_.doors)),
        values_(count(2 * shape_.doors)),
        policy_(count(shape_.groups()), 0) {}

  [[nodiscard]] const std::vector<std::int32_t>& policy() const { return policy_; }

  // Line 7: (s,a) ∈ D_n. Its row of φ̂ is looked up when the bonus is made.
  void visit(Index group, Index a) {
    const bool enter = NeedleShape::enters(a);
    if (group < shape_.hall(0)) {
      ++(enter ? doors_[at(group)] : refusals_);
    } else if (group < shape_.half(0, 0)) {
      ++(enter ? halls_[at(group - shape_.doors)] : turns_);
    } else if (group < shape_.prize()) {
      const Index q = group - 2 * shape_.doors;
      ++halves_[at(q * shape_.actions + a)];
      ++totals_[at(q)];
    } else {
      ++(group == shape_.prize() ? prizes_ : returns_);
    }
  }

  // The rows of φ̂ at the pair's four half blocks, and their sums in Σ̂.
  void set_member(const NeedleMember& member, Index pair) {
    Block sum;
    for (Index q = 4 * pair; q < 4 * pair + 4; ++q) {
      const Index z = member.owner(q / 2, q % 2);
      const std::int32_t first = member.needle[at(z)].action;
      const std::int32_t second = member.needle[at(z ^ 1)].action;
      std::vector<Row>& rows = rows_[at(q)];
      rows.clear();
      double rest = totals_[at(q)];
      const auto special = [&](std::int32_t a) {
        rows.push_back({needle_chance(shape_, member, q / 2, q % 2, a), a});
        const double visits = halves_[at(q * shape_.actions + a)];
        sum.add(rows.back().chance, visits);
        rest -= visits;
      };
      if (first >= 0) special(first);
      if (second >= 0 && second != first) special(second);
      std::int32_t plain = 0;
      while (plain == first || plain == second) ++plain;
      if (plain < shape_.actions) rows.push_back({0.5, plain});
      sum.add(0.5, rest);
      // Lowest action first, so that it wins ties.
      std::sort(rows.begin(), rows.end(),
                [](const Row& r, const Row& s) { return r.action < s.action; });
    }
    sums_[at(pair)] = sum;
    for (Index c = 2 * pair; c < 2 * pair + 2; ++c)
      second_[at(c)] = static_cast<std::int32_t>(2 * (member.owner(c, 1) == c ? c : c ^ 1) + 1);
  }

  // Lines 8 and 9. Returns V at the lobby; `changed` says whether the policy is another one.
  double plan(double alpha, double lambda, bool& changed) {
    Block block;  // Σ̂ of the coordinates prize and blank, without λ
    block.add(safe_, refusals_);
    block.add(0, turns_);
    for (const Block& s : sums_) block.add(s);
    const double a11 = block.square + lambda;
    const double a12 = block.first - block.square;
    const double a22 = block.visits - 2 * block.first + block.square + lambda;
    const double det = a11 * a22 - a12 * a12;
    const auto bonus = [&](double p) {  // α ‖(p, 1−p)‖ in Σ̂⁻¹
      const double r = 1 - p;
      return alpha * std::sqrt(std::max(0.0, p * p * a22 - 2 * p * r * a12 + r * r * a11) / det);
    };
    const auto single = [&](double visits) { return alpha / std::sqrt(visits + lambda); };
    const double plain = bonus(0.5);
    for (auto& rows : rows_)
      for (Row& row : rows) row.bonus = row.chance == 0.5 ? plain : bonus(row.chance);
    for (std::size_t c = 0; c < doors_.size(); ++c) {
      door_bonus_[c] = single(doors_[c]);
      hall_bonus_[c] = single(halls_[c]);
    }
    const Bets bets{bonus(safe_), bonus(0), single(prizes_), single(returns_)};
    changed = false;
    for (int step = 0; step < kMostSteps; ++step) {
      const Sloped lobby = back_up(bets, changed);
      const double residual = lobby.value - value_;
      if (std::abs(residual) <=
          tol::kBellman * (1 - shape_.gamma) * std::max(1.0, std::abs(value_)))
        return value_;
      value_ += residual / (1 - lobby.slope);  // the value of the policy that was greedy
    }
    throw std::runtime_error("planning on the needle class does not end");
  }

 private:
  static constexpr int kMostSteps = 1000;
  struct Row {
    double chance;
    std::int32_t action;
    double bonus = 0;
  };
  struct Bets {
    double safe, blank, prize, home;  // bonuses of the rows without a door
  };
  // ∑ N, ∑ N p, ∑ N p² over rows (p, 1−p).
  struct Block {
    double visits = 0, first = 0, square = 0;
    void add(double p, double n) {
      visits += n;
      first += n * p;
      square += n * p * p;
    }
    void add(const Block& b) {
      visits += b.visits;
      first += b.first;
      square += b.square;
    }
  };

  static std::size_t count(Index n) { return static_cast<std::size_t>(n); }
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  void take(Index group, std::int32_t a, bool& changed) {
    changed = changed || policy_[at(group)] != a;
    policy_[at(group)] = a;
  }

  // One backup of the lobby's value through all groups, greedy on the way.
  Sloped back_up(const Bets& bets, bool& changed) {
    const double g = shape_.gamma;
    const Sloped blank{bets.home + g * value_, g};  // `paid` is worth the same
    const Sloped prize{1 + bets.prize + g * blank.value, g * g};
    for (Index q = 0; q < 2 * shape_.doors; ++q) {
      const Row* best = nullptr;
      double most = 0;
      for (const Row& row : rows_[at(q)]) {
        const double v =
            row.bonus + g * (row.chance * prize.value + (1 - row.chance) * blank.value);
        if (best == nullptr || v > most) {
          most = v;
          best = &row;
        }
      }
      values_[at(q)] = {most, g * (best->chance * prize.slope + (1 - best->chance) * blank.slope)};
      take(2 * shape_.doors + q, best->action, changed);
    }
    const Sloped refuse{bets.safe + g * (safe_ * prize.value + (1 - safe_) * blank.value),
                        g * (safe_ * prize.slope + (1 - safe_) * blank.slope)};
    const Sloped turn{bets.blank + g * blank.value, g * blank.slope};
    const double o = shape_.overlap;
    const auto own = [&](Index z) {
      const Sloped& a = values_[at(2 * z)];
      const Sloped& b = values_[at(second_[at(z)])];
      return Sloped{0.5 * (a.value + b.value), 0.5 * (a.slope + b.slope)};
    };
    Sloped sum;
    for (Index c = 0; c < shape_.doors; ++c) {
      const Sloped mine = own(c);
      const Sloped theirs = own(c ^ 1);
      const Sloped enter{hall_bonus_[at(c)] + g * ((1 - o) * mine.value + o * theirs.value),
                         g * ((1 - o) * mine.slope + o * theirs.slope)};
      const bool on = enter.value > turn.value;
      take(shape_.hall(c), on ? 1 : 0, changed);
      const Sloped& hall = on ? enter : turn;
      const Sloped through{door_bonus_[at(c)] + g * hall.value, g * hall.slope};
      const bool in = through.value > refuse.value;
      take(shape_.door(c), in ? 1 : 0, changed);
      const Sloped& door = in ? through : refuse;
      sum.value += door.value;
      sum.slope += door.slope;
    }
    const auto M = static_cast<double>(shape_.doors);
    return {sum.value / M, sum.slope / M};
  }

  NeedleShape shape_;
  double safe_;
  // Visits in D_n.
  std::vector<double> doors_, halls_;  // (M)  that entered
  double refusals_ = 0, turns_ = 0, prizes_ = 0, returns_ = 0;
  std::vector<double> halves_;  // (2M × A)
  std::vector<double> totals_;  // (2M)
  std::vector<Block> sums_;     // (M/2)  of the half blocks
  // The learned model.
  std::vector<std::vector<Row>> rows_;  // (2M)  distinct rows, with their lowest action
  std::vector<std::int32_t> second_ =
      std::vector<std::int32_t>(count(shape_.doors));  // (M)  second half block of a context
  std::vector<double> door_bonus_ = std::vector<double>(count(shape_.doors));
  std::vector<double> hall_bonus_ = std::vector<double>(count(shape_.doors));
  std::vector<Sloped> values_;  // (2M)
  double value_ = 0;            // of the lobby
  std::vector<std::int32_t> policy_;
};

}  // namespace

Index needle_speder(const Simulator& env, const NeedleClass& F, const NeedleOptions& options,
                    const SeedTree& seeds, const NeedleObserver& observe) {
  require_valid(
      OnlineOptions{.episodes = options.episodes, .bonus = options.bonus, .delta = options.delta});
  const NeedleShape& shape = F.shape();
  const Index A = shape.actions;
  require(env.states() == shape.states() && env.actions() == A && env.gamma() == shape.gamma,
          "the class is for another environment");
  Rng rng = seeds.stream("rollout");
  const double size = std::exp(options.log_class > 0 ? options.log_class : F.log_size());
  const BonusSchedule schedule{options.bonus, shape.rank(), size,
                               options.delta, shape.gamma,  static_cast<double>(A)};
  BonusSchedule for_alpha = schedule;
  if (options.alpha_rank > 0)
    for_alpha.constants.alpha *= options.alpha_rank / static_cast<double>(shape.rank());
  if (options.alpha_actions > 0) for_alpha.concentrability = options.alpha_actions;
  if (options.alpha_horizon > 0) for_alpha.gamma = 1 - 1 / options.alpha_horizon;
  NeedleEstimator estimator(F);
  NeedlePlanner planner(F);
  for (Index pair = 0; 2 * pair < shape.doors; ++pair) planner.set_member(estimator.best(), pair);
  const Policy uniform = Policy::uniform(env.states(), A);
  std::vector<std::int32_t> group(static_cast<std::size_t>(shape.states()));
  for (Index s = 0; s < shape.states(); ++s)
    group[static_cast<std::size_t>(s)] = static_cast<std::int32_t>(shape.group_of(s));
  const auto group_of = [&](StateId s) { return group[static_cast<std::size_t>(index(s))]; };

  Index env_steps = 0;
  for (Index n = 1; n <= options.episodes; ++n) {
    // Lines 4 and 5, as in collect_episode.
    const bool random = n == 1 || !options.follow_plan;
    const Index length = geometric_length(shape.gamma, rng);
    StateId s = env.reset(rng);
    for (Index t = 0; t < length; ++t) {
      const ActionId a = random ? uniform.sample(s, rng)
                                : action(planner.policy()[static_cast<std::size_t>(group_of(s))]);
      s = env.step(s, a, rng).next;
    }
    env_steps += length + 2;
    const auto record = [&](const Transition& t, bool joins_sigma) {
      if (joins_sigma) planner.visit(group_of(t.state), index(t.action));
      const Index pair = estimator.add({pair_index(t.state, t.action, A), index(t.next)});
      return pair;
    };
    const auto choose = [&](StateId at) {
      return options.policy_actions && !random
                 ? action(planner.policy()[static_cast<std::size_t>(group_of(at))])
                 : action(rng.index(A));
    };
    const Transition first = env.step(s, choose(s), rng);
    const Transition second = env.step(first.next, choose(first.next), rng);
    const Index one = record(first, true);
    const Index two = options.drop_second ? -1 : record(second, options.sigma_of_both);
    // Lines 6 and 7: only what the two steps speak of can have changed.
    if (one >= 0) planner.set_member(estimator.best(), one);
    if (two >= 0 && two != one) planner.set_member(estimator.best(), two);
    const auto now = static_cast<double>(n);
    const double alpha = for_alpha.alpha(now);
    const double lambda = schedule.lambda(now);
    bool changed = false;
    const double value = planner.plan(options.subtract ? -alpha : alpha, lambda, changed);
    const NeedleReport report{n,     planner.policy(), changed || n == 1, estimator.best(), value,
                              alpha, lambda,           env_steps};
    if (observe && !observe(report)) return n;
  }
  return options.episodes;
}

}  // namespace speder
