// gen-mle: least squares and maximum likelihood over one class on the same data; E‖·‖₂², (E‖·‖₁)²
// and E KL of both, in families with flat and with peaked densities. The paper compares the two
// guarantees by L₂ ≤ L₁ (counting measure) and says that neither implies the other in general.
// `spectral`: least squares over all functions of rank d on the same data, without a class.
#include "speder/experiments/rates/experiment.hpp"

#include "speder/experiments/learn/session.hpp"
#include "speder/learning/spectral_estimator.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "speder/oracle/model_error.hpp"

namespace speder {
namespace {

struct MleConfig {
  std::vector<double> spreads = {1, 0.3};  // Dirichlet concentration of μ: flat, peaked
  int states = 30, actions = 3, rank = 4;
  double gamma = 0.5;
  int class_size = 256;
  int scales = 10;
  int first = 512, last = 65536;
};

std::vector<Measure> run_spectral(const std::shared_ptr<const TabularMdp>& mdp,
                                  const EstimateRun& estimate) {
  const Kernel& truth = mdp->kernel();
  const Policy uniform = Policy::uniform(mdp->states(), mdp->actions());
  const Vector weights = uniform.joint(TruthEvaluator(mdp).at(uniform).mass);
  Rng rng = SeedTree(estimate.seed).stream("estimate-data");  // as run_estimate draws them
  const Dataset data = collect_from_occupancy(Simulator(mdp), uniform, estimate.transitions, rng);
  SpectralEstimator estimator({truth.actions(), truth.rank(), truth.nu()});
  std::vector<Measure> out;
  Index used = 0;
  for (const Index n : estimate.grid) {
    for (const CountedStep& cell : tally(data.steps, used, n)) estimator.add(cell.step, cell.count);
    used = n;
    const RowErrors errors =
        row_errors(truth, kernel_of_rows(estimator.fit().P, truth.nu()), weights);
    out.push_back({"l2", n, errors.l2_squared});
    out.push_back({"l1", n, errors.l1 * errors.l1});
  }
  return out;
}

std::vector<Measure> run(const MleConfig& c, const RunContext& context) {
  InstanceSpec spec{.family = "simplex",
                    .states = c.states,
                    .actions = c.actions,
                    .rank = c.rank,
                    .gamma = c.gamma};
  spec.knobs["spread"] = context.cell.number("spread");
  const SeedTree seeds = context.seeds.child("spread " + context.cell.text("spread"));
  const auto mdp = std::make_shared<const TabularMdp>(generate(spec, seeds.child("mdp")));
  EstimateRun estimate;
  estimate.criterion =
      context.cell.text("estimator") == "mle" ? Criterion::kLikelihood : Criterion::kLeastSquares;
  estimate.transitions = c.last;
  estimate.seed = seeds.seed("data");  // the same data for both estimators
  for (Index n = c.first; n <= c.last; n *= 2) estimate.grid.push_back(n);
  if (context.cell.text("estimator") == "spectral") return run_spectral(mdp, estimate);
  ClassSpec class_spec;
  class_spec.size = c.class_size;
  class_spec.scales = c.scales;
  class_spec.jobs = 1;
  const LearnProblem problem = make_problem(mdp, class_spec, seeds);
  TruthEvaluator truth(mdp);
  std::vector<Measure> out;
  for (const EstimateRow& row : run_estimate(problem, truth, estimate).rows) {
    out.push_back({"l2", row.n, row.l2_squared});
    out.push_back({"l1", row.n, row.l1 * row.l1});
    out.push_back({"kl", row.n, row.kl});
  }
  return out;
}

}  // namespace

SweepPlan plan_gen_mle(const ConfigTable& table) {
  MleConfig c;
  Settings settings(table);
  settings.read("spreads", c.spreads, {0.05, 1e6});
  settings.read("states", c.states).read("actions", c.actions).read("rank", c.rank);
  settings.read("gamma", c.gamma, kDiscount).read("class_size", c.class_size, kClassSize);
  settings.read("scales", c.scales).read("first", c.first).read("last", c.last);
  if (c.last < c.first) table.fail("last", "the grid of n ends before it begins");
  SweepPlan plan;
  for (const char* estimator : {"l2", "mle", "spectral"}) {
    for (const double spread : c.spreads) {
      plan.cells.push_back(GridCell().set("estimator", estimator).set("spread", spread));
    }
  }
  plan.config = settings.text();
  plan.run = [c](const RunContext& context) { return run(c, context); };
  return plan;
}

}  // namespace speder
