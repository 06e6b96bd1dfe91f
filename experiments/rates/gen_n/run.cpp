// gen-n: E‖P̂ − P*‖² against n, log|F| and C, each with the theorem's explicit bound C' log(|F|/δ)/n
// beside it. [thm:generalization, eq:generalization]
//   axis n      one class, data independent (s ~ d^π) or one long run of the uniform policy; there
//               the error is the theorem's (1/n) ∑ᵢ E_{xᵢ ~ Dᵢ}, Dᵢ the law of xᵢ given the past
//   axis F      all candidates lie at one radius r, so that the bound says from which n on P* itself is
//               found: N = C' log(|F|/δ)/r²; |F| moves
//   axis C      ν = v/|S| moves the densities by |S|/v and nothing else
// Mutations, on axis n: the truth taken out of F; a truth of rank d+1; the squared term summed
// without ν; a stream that visits one pair for ever, judged as if it were independent (`sparse`: the
// same class, whose members differ from P* on some of the other pairs, on independent data).
#include "speder/experiments/rates/experiment.hpp"

#include <algorithm>
#include <cmath>

#include "speder/experiments/rates/error_curve.hpp"
#include "speder/mdp/classes/candidate_class.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "speder/oracle/bounds/generalization.hpp"
#include "speder/oracle/model_error.hpp"
#include "speder/stats/isotonic.hpp"

namespace speder {
namespace {

struct GenConfig {
  int states = 50, actions = 4, rank = 5;
  double gamma = 0.5;
  double volume = 10;  // ν = volume/|S|; the counting measure is volume = |S|
  int size = 256;      // |F|
  int scales = 10;
  int first = 64, last = 65536;  // n
  std::vector<int> sizes = {4, 16, 64, 256, 1024, 4096};
  int sizes_states = 10, sizes_actions = 2, sizes_rank = 3;
  double radius = 0.05;  // r √ν on axis F
  int sizes_first = 64, sizes_last = 8192;
  std::vector<double> volumes = {1, 2, 4, 8, 16, 32};
  int middle = 4096;      // n on axis C
  int draws = 5;          // data sets per class on the axes F and C
  double support = 0.25;  // share of the pairs that a candidate of the sparse class moves
  int stream_last = 2097152;
  double delta = 0.1;
};

struct Problem {
  std::shared_ptr<const TabularMdp> mdp;
  CandidateClass model_class;
};

constexpr Index kVisited = 0;  // the pair of the adversary's stream

// The class with P*'s own row at one pair; μ is P*'s in a sparse class.
CandidateClass with_fixed_row(CandidateClass made, const Kernel& truth, Index pair) {
  std::vector<Kernel> kernels;
  for (Index c = 0; c < made.candidates.size(); ++c) {
    Matrix phi = made.candidates.phi(c);
    phi.row(pair) = truth.phi().row(pair).transpose();
    kernels.emplace_back(truth.actions(), std::move(phi), made.candidates.mu(c), truth.nu());
  }
  made.candidates = FeatureClass::of(kernels);
  return made;
}

// P* with its last two latents merged into one: the nearest thing of rank d a class can be made
// around when the truth has rank d + 1.
Kernel merged(const Kernel& truth) {
  const Index d = truth.rank() - 1;
  const Matrix phi = truth.phi().to_dense();
  const Matrix mu = truth.mu().to_dense();
  Matrix merged_phi = phi.leftCols(d);
  merged_phi.col(d - 1) += phi.col(d);
  Matrix merged_mu = mu.leftCols(d);
  merged_mu.col(d - 1) = (mu.col(d - 1) + mu.col(d)) / 2;
  return {truth.actions(), std::move(merged_phi), std::move(merged_mu), truth.nu()};
}

bool is_sparse(const GridCell& cell) {
  return cell.text("variant") == "stream" || cell.text("variant") == "sparse";
}

InstanceSpec instance(const GenConfig& config, const GridCell& cell) {
  InstanceSpec spec{.family = "simplex",
                    .states = config.states,
                    .actions = config.actions,
                    .rank = config.rank + (cell.text("variant") == "rank" ? 1 : 0),
                    .gamma = config.gamma};
  spec.knobs["volume"] = cell.text("axis") == "C" ? cell.number("volume") : config.volume;
  if (cell.text("axis") == "F") {
    spec.states = config.sizes_states;
    spec.actions = config.sizes_actions;
    spec.rank = config.sizes_rank;
  }
  return spec;
}

ClassSpec class_spec(const GenConfig& config, const GridCell& cell, double nu) {
  ClassSpec out;
  out.size = config.size;
  out.scales = config.scales;
  out.jobs = 1;
  const std::string& variant = cell.text("variant");
  if (variant == "no-truth") {
    out.kind = "misspecified";
    out.scales = 2;
  }
  if (is_sparse(cell)) out.support = config.support;
  if (cell.text("axis") == "F") {
    out.size = static_cast<Index>(cell.number("size"));
    out.scales = 0;
    out.base = config.radius / std::sqrt(nu);  // densities are in units of 1/ν
  }
  return out;
}

Problem make(const GenConfig& config, const GridCell& cell, const SeedTree& seeds) {
  auto mdp =
      std::make_shared<const TabularMdp>(generate(instance(config, cell), seeds.child("mdp")));
  const bool extra = cell.text("variant") == "rank";
  const Kernel centre = extra ? merged(mdp->kernel()) : mdp->kernel();
  CandidateClass made = make_class(centre, class_spec(config, cell, mdp->kernel().nu()[0]), seeds);
  if (extra) made.truth.reset();
  if (is_sparse(cell)) made = with_fixed_row(std::move(made), mdp->kernel(), kVisited);
  return {std::move(mdp), std::move(made)};
}

std::vector<int> grid_of(const GenConfig& config, const GridCell& cell) {
  if (cell.text("axis") == "C") return {config.middle};
  if (cell.text("axis") == "F") return quarter_octaves(config.sizes_first, config.sizes_last);
  const int last = cell.text("variant") == "stream" ? config.stream_last : config.last;
  std::vector<int> grid;
  for (int n = config.first; n <= last; n *= 2) grid.push_back(n);
  return grid;
}

// The adversary: the same pair for ever, one on which the whole class agrees.
std::vector<Step> one_pair(const Simulator& env, int n, Rng& rng) {
  std::vector<Step> out;
  for (int i = 0; i < n; ++i) {
    out.push_back({kVisited, index(env.step(state(0), action(0), rng).next)});
  }
  return out;
}

// (1/n) ∑ᵢ Dᵢ for a run that restarts with probability 1−γ: s₁ ~ ρ, then
// sᵢ ~ γ δ_{s'_{i−1}} + (1−γ) ρ.
class ConditionalLaw {
 public:
  explicit ConditionalLaw(const TabularMdp& mdp) : mdp_(&mdp), sum_(mdp.rho()) {}
  Vector up_to(std::span<const Step> steps, int n) {
    for (; used_ + 1 < n; ++used_) {
      sum_[steps[static_cast<std::size_t>(used_)].next] += mdp_->gamma();
      sum_ += (1 - mdp_->gamma()) * mdp_->rho();
    }
    return sum_ / n;
  }

 private:
  const TabularMdp* mdp_;
  Vector sum_;
  int used_ = 0;
};

std::vector<Step> draw(const Simulator& env, const Policy& policy, const GridCell& cell, int n,
                       Rng& rng) {
  if (cell.text("variant") == "stream") return one_pair(env, n, rng);
  return cell.text("data") == "run" ? collect_trajectory(env, policy, n, rng).steps
                                    : collect_from_occupancy(env, policy, n, rng).steps;
}

// Errors at the grid of one data set.
std::vector<double> errors_of(const GenConfig& config, const GridCell& cell, const Problem& problem,
                              const std::vector<int>& grid, Rng& rng) {
  const TabularMdp& mdp = *problem.mdp;
  const FeatureClass& F = problem.model_class.candidates;
  const Policy policy = Policy::uniform(mdp.states(), mdp.actions());
  const std::vector<Step> steps = draw(Simulator(problem.mdp), policy, cell, grid.back(), rng);
  ErrorCurveRequest request{mdp.kernel(), F, steps, grid};
  if (cell.text("variant") == "measure") request.measure = config.states / config.volume;
  const std::vector<Index> chosen = chosen_candidates(request);
  const Vector occupancy =
      visitation({mdp.kernel(), mdp.reward(), mdp.gamma()}, mdp.rho(), policy).mass;
  ConditionalLaw law(mdp);
  std::vector<double> out;
  for (std::size_t k = 0; k < grid.size(); ++k) {
    const Vector mass = cell.text("data") == "run" ? law.up_to(steps, grid[k]) : occupancy;
    const bool exact = problem.model_class.truth == chosen[k];  // 0, not a rounding error
    out.push_back(exact ? 0
                        : l2_error_squared(mdp.kernel(), F.kernel(chosen[k]), policy.joint(mass)));
  }
  return out;
}

std::vector<Measure> run(const GenConfig& config, const RunContext& context) {
  const GridCell& cell = context.cell;
  const Problem problem = make(config, cell, context.seeds);
  const FeatureClass& F = problem.model_class.candidates;
  const SeedTree seeds = context.seeds.child(cell.key());
  const std::vector<int> grid = grid_of(config, cell);
  const int draws = cell.text("axis") == "n" ? 1 : config.draws;
  const double C = density_bound(F);
  std::vector<Measure> out = {{"C", 0, C}};
  for (int i = 0; i < draws; ++i) {
    Rng rng = seeds.stream("data", static_cast<std::uint64_t>(i));
    const std::vector<double> errors = errors_of(config, cell, problem, grid, rng);
    for (std::size_t k = 0; k < grid.size(); ++k)
      out.push_back({draw_name("error", i), grid[k], errors[k]});
  }
  for (const double n : grid) {
    const auto size = static_cast<double>(F.size());
    out.push_back({"bound", static_cast<std::int64_t>(n),
                   bounds::generalization_error(C, size, config.delta, n)});
  }
  return out;
}

std::vector<GridCell> cells_of(const GenConfig& config) {
  const auto cell = [](const char* axis, const char* variant, const char* data) {
    return GridCell().set("axis", axis).set("data", data).set("variant", variant);
  };
  std::vector<GridCell> out = {cell("n", "speder", "iid"), cell("n", "speder", "run")};
  for (const int size : config.sizes) out.push_back(cell("F", "speder", "iid").set("size", size));
  for (const double v : config.volumes) out.push_back(cell("C", "speder", "iid").set("volume", v));
  for (const char* mutation : {"no-truth", "rank", "measure", "sparse", "stream"})
    out.push_back(cell("n", mutation, "iid"));
  return out;
}

}  // namespace

SweepPlan plan_gen_n(const ConfigTable& table) {
  GenConfig c;
  Settings settings(table);
  settings.read("states", c.states).read("actions", c.actions).read("rank", c.rank);
  settings.read("gamma", c.gamma, kDiscount).read("volume", c.volume, kScale);
  settings.read("class_size", c.size).read("scales", c.scales);
  settings.read("first", c.first).read("last", c.last);
  settings.read("sizes", c.sizes, kClassSize).read("sizes_states", c.sizes_states);
  settings.read("sizes_actions", c.sizes_actions).read("sizes_rank", c.sizes_rank);
  settings.read("radius", c.radius, kScale).read("volumes", c.volumes, kScale);
  settings.read("middle", c.middle).read("draws", c.draws).read("support", c.support, {1e-3, 1});
  settings.read("stream_last", c.stream_last).read("delta", c.delta, kFailure);
  settings.read("sizes_first", c.sizes_first).read("sizes_last", c.sizes_last);
  if (c.last < c.first) table.fail("last", "the grid of n ends before it begins");
  if (c.rank >= c.states) table.fail("rank", "must be less than states");
  SweepPlan plan;
  plan.cells = cells_of(c);
  plan.config = settings.text();
  plan.run = [c](const RunContext& context) { return run(c, context); };
  return plan;
}

}  // namespace speder
