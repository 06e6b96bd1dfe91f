#include "speder/learning/model_loop.hpp"

#include <algorithm>
#include <cmath>

namespace speder {

double greedy_backup(const Vector& q, Index actions, double ceiling, Vector& value,
                     std::vector<std::int32_t>& policy) {
  double change = 0;
  for (Index s = 0; s < value.size(); ++s) {
    const double* row = q.data() + s * actions;
    const double* best = std::max_element(row, row + actions);  // the first of equals
    const double v = std::clamp(*best, 0.0, ceiling);
    change = std::max(change, std::abs(v - value[s]));
    value[s] = v;
    policy[static_cast<std::size_t>(s)] = static_cast<std::int32_t>(best - row);
  }
  return change;
}

}  // namespace speder
