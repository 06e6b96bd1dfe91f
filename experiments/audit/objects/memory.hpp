#pragma once

#include <algorithm>
#include <vector>

#include "speder/experiments/audit/objects/model.hpp"

namespace speder::audit {

/// A policy with memory k ∈ {0, …, H}: it plays π (k = 0) or the k-th past policy. After a step k
/// becomes k + 1 up to H (the policy of each time of the first H steps), or k + 1 + sA + a modulo
/// H + 1 (which depends on every pair visited so far). Both sides of V^{π̄} = V^π, with the occupancy
/// and the value of π from the chain over (s, k).
template <class T>
[[nodiscard]] Sides<T> with_memory(const Case<T>& c, bool by_pairs) {
  const Table<T> P = kernel(c, c.phi, c.mu);
  const Column<T> r = reward(c);
  const int M = c.H + 1;
  std::vector<Table<T>> policies = {c.pi};
  for (int k = 0; k < c.H; ++k) policies.push_back(past_policy(c, k));
  Table<T> step = identity<T>(c.S * M);  // I − γP^π over (s, k)
  Column<T> gain(c.S * M, 1), start(c.S * M, 1);
  for (int s = 0; s < c.S; ++s) {
    start(s * M) = c.rho(s);
    for (int k = 0; k < M; ++k) {
      for (int a = 0; a < c.A; ++a) {
        const T& p = policies[static_cast<std::size_t>(k)](s, a);
        const int pair = s * c.A + a;
        const int next = by_pairs ? (k + 1 + pair) % M : std::min(k + 1, c.H);
        gain(s * M + k) = gain(s * M + k) + p * r(pair);
        for (int t = 0; t < c.S; ++t) {
          step(s * M + k, t * M + next) = step(s * M + k, t * M + next) - c.gamma * p * P(pair, t);
        }
      }
    }
  }
  const Column<T> visits = solve(transposed(step), start);  // d^π(s, k)/(1−γ)
  Table<T> markov = uniform_policy(c);
  for (int s = 0; s < c.S; ++s) {
    T total = T(0);
    for (int k = 0; k < M; ++k) total = total + visits(s * M + k);
    if (!surely_less(T(0), total)) continue;
    for (int a = 0; a < c.A; ++a) {
      T joint = T(0);
      for (int k = 0; k < M; ++k) {
        joint = joint + visits(s * M + k) * policies[static_cast<std::size_t>(k)](s, a);
      }
      markov(s, a) = joint / total;
    }
  }
  return {dot(c.rho, value(P, r, markov, c.gamma)), dot(start, solve(step, gain))};
}

}  // namespace speder::audit
