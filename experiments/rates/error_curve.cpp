#include "speder/experiments/rates/error_curve.hpp"

#include <algorithm>

#include "speder/core/check.hpp"

namespace speder {
namespace {

// out[c] += (count of x) ∑_y f_c(x,y)² ν(y), over the cells' pairs.
void add_energies(const FeatureClass& F, const std::vector<CountedStep>& cells, Vector& out) {
  std::vector<double> row(static_cast<std::size_t>(F.size()));
  for (const CountedStep& cell : cells) {
    F.energies(cell.step.pair, 0, row);
    out += cell.count * Eigen::Map<const Vector>(row.data(), F.size());
  }
}

}  // namespace

std::vector<Index> chosen_candidates(const ErrorCurveRequest& request) {
  require(!request.grid.empty() &&
              static_cast<std::size_t>(request.grid.back()) <= request.steps.size(),
          "the grid ends within the data");
  const FeatureClass& F = request.candidates;
  const std::vector<Step> steps(request.steps.begin(), request.steps.end());
  Estimator estimator(F, request.criterion);
  Vector energy = Vector::Zero(F.size());
  std::vector<Index> out;
  Index used = 0;
  for (const Index n : request.grid) {
    const std::vector<CountedStep> cells = tally(steps, used, n);
    used = n;
    estimator.add(cells);
    if (request.measure == 1) {
      out.push_back(estimator.best().candidate);
      continue;
    }
    add_energies(F, cells, energy);
    Index best = 0;
    (estimator.profile() + (request.measure - 1) * energy).minCoeff(&best);
    out.push_back(best);
  }
  return out;
}

double density_bound(const FeatureClass& candidates) {
  double largest = 0;
  for (Index c = 0; c < candidates.size(); ++c) {
    largest = std::max(largest, candidates.mu(c).maxCoeff());
  }
  return largest;
}

}  // namespace speder
