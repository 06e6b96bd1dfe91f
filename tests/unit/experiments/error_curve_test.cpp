#include "speder/experiments/rates/error_curve.hpp"

#include "speder/mdp/classes/candidate_class.hpp"
#include "speder/mdp/families/families.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace error_curve_test {
namespace {

struct Problem {
  TabularMdp mdp;
  CandidateClass model_class;
  std::vector<Step> steps;
};

Problem make() {
  InstanceSpec spec{.family = "simplex", .states = 6, .actions = 2, .rank = 2, .gamma = 0.5};
  spec.knobs["volume"] = 2;
  TabularMdp mdp = generate(spec, SeedTree(1));
  ClassSpec class_spec;
  class_spec.size = 20;
  class_spec.scales = 3;
  CandidateClass made = make_class(mdp.kernel(), class_spec, SeedTree(2));
  Rng rng(3);
  std::vector<Step> steps;
  for (int i = 0; i < 300; ++i) {
    const Index x = rng.index(12);
    steps.push_back({x, categorical(mdp.kernel().dense_row(x), rng)});
  }
  return {std::move(mdp), std::move(made), std::move(steps)};
}

// argmin_c ∑ᵢ [−2 f_c(xᵢ,yᵢ) + c ∑_y f_c(xᵢ,y)² ν(y)], written out.
Index by_hand(const Problem& p, int n, double measure) {
  Index best = 0;
  double least = 1e300;
  for (Index c = 0; c < p.model_class.candidates.size(); ++c) {
    const Matrix phi = p.model_class.candidates.phi(c);
    const Matrix mu = p.model_class.candidates.mu(c);
    double loss = 0;
    for (int i = 0; i < n; ++i) {
      const Step& step = p.steps[static_cast<std::size_t>(i)];
      const Vector f = mu * phi.row(step.pair).transpose();
      loss += -2 * f[step.next] + measure * f.cwiseAbs2().dot(p.mdp.kernel().nu());
    }
    if (loss < least) best = c, least = loss;
  }
  return best;
}

}  // namespace

TEST_CASE("chosen_candidates: the minimiser of the printed objective, and of the mutated one",
          "[experiments][error_curve]") {
  const Problem p = make();
  const std::vector<int> grid = {10, 50, 300};
  bool differ = false;
  for (const double measure : {1.0, 3.0}) {
    ErrorCurveRequest request{p.mdp.kernel(), p.model_class.candidates, p.steps, grid};
    request.measure = measure;
    const std::vector<Index> chosen = chosen_candidates(request);
    for (std::size_t k = 0; k < grid.size(); ++k) CHECK(chosen[k] == by_hand(p, grid[k], measure));
    differ = differ || by_hand(p, 300, measure) != by_hand(p, 300, 1);
  }
  CHECK(differ);  // otherwise the mutation is none
}

TEST_CASE("density_bound: at least every density of the class", "[experiments][error_curve]") {
  const Problem p = make();
  const double C = density_bound(p.model_class.candidates);
  double largest = 0;
  for (Index c = 0; c < p.model_class.candidates.size(); ++c) {
    const Matrix f = p.model_class.candidates.phi(c) * p.model_class.candidates.mu(c).transpose();
    largest = std::max(largest, f.maxCoeff());
  }
  CHECK(C >= largest);
  CHECK(C == Approx(p.model_class.candidates.mu(0).maxCoeff()).epsilon(1));  // the same order
}

}  // namespace error_curve_test
