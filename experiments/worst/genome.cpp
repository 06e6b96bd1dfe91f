#include "speder/experiments/worst/genome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "speder/core/check.hpp"
#include "speder/experiments/learn/session.hpp"
#include "speder/learning/needle_learner.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/stats/isotonic.hpp"

namespace speder::worst {
namespace {

constexpr Index kBlock = 8;        // observations of a latent
constexpr int kMoves = 2;          // pairs (z,a) that a rival may move
constexpr int kMoveGenes = 3;      // which pair, towards which latent, how far
constexpr std::size_t kKnobs = 4;  // needle: lead, overlap, levels, and where the needles are

Index chosen(double gene, Index n) {
  return std::min(static_cast<Index>(gene * static_cast<double>(n)), n - 1);
}
std::size_t move_genes(const Setting& s) {
  return static_cast<std::size_t>(s.rank * s.actions * s.rank);
}

// (dA × d) rows of the latent moves; fourth powers, so that a row in the middle of the genes' range is
// already uneven.
Matrix latent_moves(const Setting& s, const Genes& genes) {
  Matrix T(s.rank * s.actions, s.rank);
  std::size_t g = 0;
  for (Index row = 0; row < T.rows(); ++row) {
    constexpr double kLeast = 1e-3;  // no row is all zeros
    for (Index z = 0; z < s.rank; ++z) T(row, z) = std::pow(genes[g++], 4) + kLeast;
    T.row(row) /= T.row(row).sum();
  }
  return T;
}
Vector latent_rewards(const Setting& s, const Genes& genes) {
  Vector theta(s.rank);
  for (Index z = 0; z < s.rank; ++z) theta[z] = genes[move_genes(s) + static_cast<std::size_t>(z)];
  return theta;
}
// The rows that rival k says otherwise.
Matrix rival_moves(const Setting& s, const Genes& genes, const Matrix& truth, Index k) {
  Matrix T = truth;
  std::size_t g = move_genes(s) + static_cast<std::size_t>(s.rank) +
                  static_cast<std::size_t>(k) * kMoves * kMoveGenes;
  for (int i = 0; i < kMoves; ++i, g += kMoveGenes) {
    const Index row = chosen(genes[g], T.rows());
    const double share = genes[g + 2];
    T.row(row) *= 1 - share;
    T(row, chosen(genes[g + 1], s.rank)) += share;
  }
  return T;
}

Matrix emissions(const Setting& s) {  // (S × d) masses
  Matrix mu = Matrix::Zero(kBlock * s.rank, s.rank);
  for (Index x = 0; x < mu.rows(); ++x) {
    const Index z = x / kBlock;
    mu(x, z) += (1 - s.overlap) / static_cast<double>(kBlock);
    mu(x, (z + s.rank - 1) % s.rank) += s.overlap / static_cast<double>(kBlock);
  }
  return mu;
}
// φ(s,a) = ∑_z w(z|s) T(z,a), w(z|s) ∝ μ_z(s)
Kernel observed(const Setting& s, const Matrix& T, const Matrix& mu) {
  Matrix phi = Matrix::Zero(mu.rows() * s.actions, s.rank);
  for (Index x = 0; x < mu.rows(); ++x) {
    for (Index z = 0; z < s.rank; ++z) {
      const double w = mu(x, z) / mu.row(x).sum();
      if (w > 0)
        phi.middleRows(x * s.actions, s.actions) += w * T.middleRows(z * s.actions, s.actions);
    }
  }
  const double volume = static_cast<double>(s.rank) / static_cast<double>(s.actions * s.actions);
  const double nu = volume / static_cast<double>(mu.rows());
  return {s.actions, phi, Matrix(mu / nu), Vector::Constant(mu.rows(), nu)};
}

NeedleShape needle_shape(const Setting& s, const Genes& genes) {
  constexpr double kLeastLead = 0.05, kMostLead = 0.49, kMostOverlap = 0.45;
  constexpr Index kMostLevels = 16;
  return {.doors = s.rank / 2 - 2,
          .actions = s.actions,
          .gamma = s.gamma,
          .overlap = kMostOverlap * genes[1],
          .lead = kLeastLead + (kMostLead - kLeastLead) * genes[0],
          .levels = 1 + chosen(genes[2], kMostLevels)};
}
SeedTree needle_seeds(const Genes& genes) {
  constexpr Index kPlaces = Index{1} << 30;
  return SeedTree(static_cast<std::uint64_t>(chosen(genes[3], kPlaces)));
}

// Follows the mean gap of the policies so far: when was it last above ε?
class Watch {
 public:
  Watch(const Setting& s)
      : epsilon_(s.epsilon), grid_(quarter_octaves(1, static_cast<int>(s.episodes))) {}
  /// False: at most ε for an octave.
  bool see(Index n, double mean_gap) {
    while (next_ < grid_.size() && grid_[next_] < n) ++next_;
    if (next_ == grid_.size() || grid_[next_] != n) return true;
    if (mean_gap > epsilon_) last_above_ = n;
    at_ = n;
    return at_ < 2 * std::max<Index>(last_above_, 1);
  }
  [[nodiscard]] double episodes() const {
    if (at_ < 2 * std::max<Index>(last_above_, 1)) return std::numeric_limits<double>::infinity();
    const auto above = std::upper_bound(grid_.begin(), grid_.end(), last_above_);
    return above == grid_.end() ? std::numeric_limits<double>::infinity()
                                : static_cast<double>(*above);
  }

 private:
  double epsilon_;
  std::vector<int> grid_;
  std::size_t next_ = 0;
  Index last_above_ = 0;
  Index at_ = 0;
};

double latent_episodes(const Setting& s, const Genes& genes, const SeedTree& seeds) {
  const LearnProblem problem = make_latent_instance(s, genes);
  OnlineRun run;
  run.options.episodes = s.episodes;
  run.options.bonus = {.alpha = s.c_alpha, .lambda = s.c_lambda};
  run.options.delta = s.delta;
  run.seed = seeds.seed("learner");
  for (const int n : quarter_octaves(1, static_cast<int>(s.episodes))) run.grid.push_back(n);
  TruthEvaluator truth(problem.mdp);
  Watch watch(s);
  LearnHooks hooks;
  hooks.on_row = [&](const LearnRow& row) { return watch.see(row.n, row.gap_mixture); };
  (void)run_online(problem, truth, run, hooks);
  return watch.episodes();
}

double needle_episodes(const Setting& s, const Genes& genes, const SeedTree& seeds) {
  const NeedleShape shape = needle_shape(s, genes);
  const NeedleMember truth = draw_needles(shape, needle_seeds(genes));
  const NeedleClass F(shape, needle_seeds(genes).child("order"));
  const double best = needle_values(shape).best;
  const Simulator env(std::make_shared<const TabularMdp>(make_mdp(s, genes)));
  NeedleOptions options;
  options.episodes = s.episodes;
  options.bonus = {.alpha = s.c_alpha, .lambda = s.c_lambda};
  options.delta = s.delta;
  Watch watch(s);
  double gap = 0, regret = 0;
  needle_speder(env, F, options, seeds, [&](const NeedleReport& report) {
    if (report.changed) gap = best - needle_value(shape, truth, report.policy);
    regret += gap;
    return watch.see(report.n, regret / static_cast<double>(report.n));
  });
  return watch.episodes();
}

// A lock: action good(z) leads from z to z + 1, every other one to latent 0; the last latent pays, the
// first a little. Half of the rivals deny one good step.
void shape_as_lock(const Setting& s, Genes& genes, Rng& rng) {
  std::vector<Index> good;
  for (Index z = 0; z < s.rank; ++z) good.push_back(rng.index(s.actions));
  std::size_t g = 0;
  for (Index z = 0; z < s.rank; ++z) {
    for (Index a = 0; a < s.actions; ++a) {
      const bool on = a == good[static_cast<std::size_t>(z)] && z + 1 < s.rank;
      for (Index to = 0; to < s.rank; ++to) genes[g++] = to == (on ? z + 1 : 0) ? 1 : 0;
    }
  }
  for (Index z = 0; z < s.rank; ++z)
    genes[g++] = z + 1 == s.rank ? 1 : z == 0 ? 0.3 * rng.uniform() : 0;
  for (Index k = 0; k + 1 < s.class_size; ++k, g += kMoves * kMoveGenes) {
    if (rng.bernoulli(0.5)) continue;
    const Index z = rng.index(s.rank);
    const Index row = z * s.actions + good[static_cast<std::size_t>(z)];
    genes[g] = (static_cast<double>(row) + 0.5) / static_cast<double>(s.rank * s.actions);
    genes[g + 1] = 0, genes[g + 2] = 1, genes[g + kMoveGenes + 2] = 0;
  }
}

}  // namespace

void require_valid(const Setting& s) {
  if (s.kind != "latent" && s.kind != "needle")
    throw InputError(fmt::format("worst: no kind '{}'; there are latent and needle", s.kind));
  const bool latent = s.kind == "latent";
  constexpr Index kMostRank = 32, kMostActions = 16;
  if (latent && (s.rank < 2 || s.rank > kMostRank || s.actions < 2 || s.actions > kMostActions)) {
    throw InputError(
        fmt::format("worst: rank 2 to {} and 2 to {} actions for kind latent, not {} and {}",
                    kMostRank, kMostActions, s.rank, s.actions));
  }
  if (latent && s.class_size < 2) throw InputError("worst: --class-size must be at least 2");
  if (latent && (s.overlap < 0 || s.overlap >= 0.5))
    throw InputError(fmt::format("worst: --overlap must lie in [0, 0.5), not {}", s.overlap));
  if (!latent && (s.rank < 8 || s.rank % 4 != 0))
    throw InputError(fmt::format("worst: kind needle has ranks 8, 12, 16, …, not {}", s.rank));
  if (!latent) speder::require_valid(needle_shape(s, Genes(kKnobs, 0.5)));
}

double density_bound(const Setting& s) {
  return (1 - s.overlap) * static_cast<double>(s.actions * s.actions);
}

std::size_t gene_count(const Setting& s) {
  if (s.kind == "needle") return kKnobs;
  return move_genes(s) + static_cast<std::size_t>(s.rank) +
         static_cast<std::size_t>(s.class_size - 1) * kMoves * kMoveGenes;
}

Genes random_genes(const Setting& s, Rng& rng) {
  Genes genes(gene_count(s));
  for (double& g : genes) g = rng.uniform();
  if (s.kind == "latent" && rng.bernoulli(0.5)) shape_as_lock(s, genes, rng);
  return genes;
}

Genes mutated(Genes genes, Rng& rng) {
  constexpr int kMost = 6;
  const Index moves = 1 + rng.index(kMost);
  for (Index i = 0; i < moves; ++i) {
    double& g = genes[static_cast<std::size_t>(rng.index(static_cast<Index>(genes.size())))];
    const double pick = rng.uniform();
    g = pick < 0.25  ? (rng.bernoulli(0.5) ? 1 : 0)
        : pick < 0.5 ? rng.uniform()
                     : std::clamp(g + 0.1 * rng.normal(), 0.0, 1.0);
  }
  return genes;
}

LearnProblem make_latent_instance(const Setting& s, const Genes& genes) {
  require(genes.size() == gene_count(s), "an instance has its number of genes", genes.size());
  const Matrix T = latent_moves(s, genes);
  const Matrix mu = emissions(s);
  std::vector<Kernel> members;
  for (Index k = 0; k + 1 < s.class_size; ++k) {
    members.push_back(observed(s, rival_moves(s, genes, T, k), mu));
  }
  members.push_back(observed(s, T, mu));
  CandidateClass F{.candidates = FeatureClass::of(members),
                   .truth = s.class_size - 1,
                   .distance = {},
                   .scale = {}};
  return {std::make_shared<const TabularMdp>(make_mdp(s, genes)), std::move(F)};
}

TabularMdp make_mdp(const Setting& s, const Genes& genes) {
  if (s.kind == "needle") {
    const NeedleShape shape = needle_shape(s, genes);
    InstanceSpec spec{.family = "needle", .actions = s.actions, .rank = s.rank, .gamma = s.gamma};
    spec.seed = needle_seeds(genes).root();
    spec.knobs = {{"overlap", shape.overlap}, {"lead", shape.lead}};
    return generate(resolve(spec));
  }
  const Matrix mu = emissions(s);
  Kernel P = observed(s, latent_moves(s, genes), mu);
  Vector theta = latent_rewards(s, genes);
  Vector r = P.phi().times(theta).cwiseMax(0.0).cwiseMin(1.0);
  return {std::move(P), {std::move(r), std::move(theta)}, Vector(mu.col(0)), s.gamma};
}

double episodes_needed(const Setting& s, const Genes& genes, const SeedTree& seeds) {
  return s.kind == "needle" ? needle_episodes(s, genes, seeds) : latent_episodes(s, genes, seeds);
}

}  // namespace speder::worst
