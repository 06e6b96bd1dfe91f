#include "speder/mdp/classes/candidate_class.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "speder/core/check.hpp"
#include "speder/core/parallel.hpp"
#include "speder/mdp/classes/candidate_direction.hpp"
#include "speder/mdp/classes/class_kinds.hpp"

namespace speder {
namespace {

constexpr Index kBlock = 64;  // candidates a thread makes at a time
constexpr int kPilots = 32;

using Maker = CandidateClass (*)(const ClassJob&);

CandidateClass multiscale(const ClassJob& job) {
  Rng rng = job.seeds.stream("truth-place");
  return ladder(job, rng.index(job.spec.size));
}

CandidateClass misspecified(const ClassJob& job) { return ladder(job, std::nullopt); }

const std::map<std::string_view, Maker> kMakers = {{"misspecified", misspecified},
                                                   {"multiscale", multiscale},
                                                   {"net", packing},
                                                   {"product", product_ladder}};

double pilot_base(const ClassJob& job) {
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kPilots; ++i) {
    Rng rng = job.seeds.stream("pilot", static_cast<std::uint64_t>(i));
    const Direction d = random_direction(job.truth, {true, true, job.spec.support}, rng);
    shortest = std::min(shortest, d.distance(d.reach));
  }
  if (shortest > 0) return shortest / 2;
  throw InputError(
      "class: the truth has no neighbours of its own form (all rows of phi equal, or no pair "
      "moved); "
      "choose another MDP or raise the support");
}

void check_spec(const ClassSpec& spec) {
  if (spec.size < 1)
    throw InputError(fmt::format("class-size must be at least 1 (got {})", spec.size));
  if (spec.scales < 0 || spec.scales > 40) {
    throw InputError(fmt::format("class-scales must lie in 0 … 40 (got {})", spec.scales));
  }
  if (!(spec.base >= 0) || !(spec.radius >= 0)) {
    throw InputError("class-base and class-radius must not be negative");
  }
  if (!(spec.support > 0 && spec.support <= 1)) {
    throw InputError(fmt::format("class-support must lie in (0,1] (got {})", spec.support));
  }
}

bool use_float(const ClassJob& job) {
  const auto& [spec, truth, shape] = std::tie(job.spec, job.truth, job.shape);
  if (spec.precision == "double") return false;
  if (spec.precision == "float") {
    if (truth.mixture) return true;
    throw InputError(
        "class-precision float needs an MDP whose phi rows lie in the simplex and whose mu columns "
        "are densities; use double");
  }
  if (spec.precision != "auto") {
    throw InputError(
        fmt::format("unknown class-precision '{}': use auto, double or float", spec.precision));
  }
  return truth.mixture && FeatureClassBuilder::bytes_needed(shape, spec.size,
                                                            ClassPrecision::kDouble) > kDoubleLimit;
}

void set_nearest(CandidateClass& made) {
  made.nearest = std::numeric_limits<double>::infinity();
  for (Index c = 0; c < made.distance.size(); ++c) {
    if (made.truth != c) made.nearest = std::min(made.nearest, made.distance[c]);
  }
}

}  // namespace

FeatureClassBuilder make_builder(const ClassJob& job) {
  const bool single = use_float(job);
  const std::size_t bytes = FeatureClassBuilder::bytes_needed(
      job.shape, job.spec.size, single ? ClassPrecision::kFloat : ClassPrecision::kDouble);
  if (bytes > job.spec.max_bytes) {
    throw InputError(
        fmt::format("a class of {} candidates for |S|={}, |A|={}, d={} needs {} MiB, the limit is "
                    "{} MiB: use a "
                    "smaller class-size, class-precision float or a product class",
                    job.spec.size, job.shape.states(), job.shape.actions, job.shape.rank,
                    bytes >> 20U, job.spec.max_bytes >> 20U));
  }
  if (single) return {job.shape, job.spec.size, job.kernel};
  return {job.shape, job.spec.size};
}

CandidateClass ladder(const ClassJob& job, std::optional<Index> truth) {
  const Index size = job.spec.size;
  FeatureClassBuilder builder = make_builder(job);
  Vector distance = Vector::Zero(size);
  std::vector<int> scale(static_cast<std::size_t>(size), -1);
  parallel_for((size + kBlock - 1) / kBlock, job.spec.jobs, [&](Index block) {
    const Index first = block * kBlock;
    const auto run = static_cast<std::size_t>(std::min(kBlock, size - first));
    std::vector<Matrix> phi(run, job.truth.phi);
    std::vector<Matrix> mu(run, job.truth.mu);
    for (std::size_t i = 0; i < run; ++i) {
      const Index c = first + static_cast<Index>(i);
      if (truth == c) continue;
      const Index turn = truth && c > *truth ? c - 1 : c;
      const int j = static_cast<int>(turn % (job.spec.scales + 1));
      Rng rng = job.seeds.stream("candidate", static_cast<std::uint64_t>(c));
      const Direction d = random_direction(job.truth, {true, true, job.spec.support}, rng);
      const double t = d.solve(std::ldexp(job.base, -j));
      phi[i] += t * d.U;
      mu[i] += t * d.V;
      builder.snap(phi[i], mu[i]);
      scale[static_cast<std::size_t>(c)] = j;
      distance[c] = distance_to(job.truth, phi[i], mu[i]);
    }
    builder.put(first, phi, mu);
  });
  return {std::move(builder).finish(), truth, std::move(distance), std::move(scale), job.base};
}

CandidateClass make_class(const Kernel& truth, const ClassSpec& spec, const SeedTree& seeds) {
  check_spec(spec);
  const auto maker = kMakers.find(spec.kind);
  if (maker == kMakers.end()) {
    throw InputError(fmt::format(
        "unknown class '{}': use multiscale, product, net, misspecified or own", spec.kind));
  }
  ClassJob job{truth,
               spec,
               KnownKernel(truth, spec.weights),
               {truth.actions(), truth.rank(), truth.nu()},
               seeds.child("class")};
  // With P* alone in the class nothing has to be surrounded.
  job.base = spec.base > 0 || spec.size == 1 ? spec.base : pilot_base(job);
  CandidateClass made = maker->second(job);
  set_nearest(made);
  return made;
}

// ‖P_c − P*‖² = ⟨Φ_cᵀWΦ_c, M_cᵀNM_c⟩ − 2⟨Φ_cᵀWΦ*, M_cᵀNM*⟩ + ⟨Φ*ᵀWΦ*, M*ᵀNM*⟩: in any
// coordinates and of any rank, known to about 1e-8 of ‖P*‖.
CandidateClass measured_class(FeatureClass candidates, std::optional<Index> truth, const Kernel& P,
                              const Vector& weights) {
  const KnownKernel known(P, weights);
  CandidateClass made{std::move(candidates), truth, {}, {}};
  const FeatureClass& F = made.candidates;
  struct Side {
    Matrix gram, cross;
  };
  const auto side = [](const Matrix& table, const Vector& w, const Matrix& other) {
    const Matrix weighted = w.asDiagonal() * table;
    return Side{table.transpose() * weighted, weighted.transpose() * other};
  };
  const Index mus = F.is_product() ? F.mu_count() : 1;
  std::vector<Side> phi_sides;
  std::vector<Side> mu_sides;
  for (Index i = 0; i < F.phi_count(); ++i)
    phi_sides.push_back(side(F.phi(i * mus), known.weights, known.phi));
  for (Index j = 0; j < F.mu_count(); ++j) mu_sides.push_back(side(F.mu(j), known.nu, known.mu));
  const double own = known.phi_gram.cwiseProduct(known.mu_gram).sum();
  made.distance = Vector::Zero(F.size());
  made.scale.assign(static_cast<std::size_t>(F.size()), 0);
  for (Index c = 0; c < F.size(); ++c) {
    const auto at = static_cast<std::size_t>(c);
    const Side& f = phi_sides[F.is_product() ? static_cast<std::size_t>(c / mus) : at];
    const Side& m = mu_sides[F.is_product() ? static_cast<std::size_t>(c % mus) : at];
    const double squared =
        f.gram.cwiseProduct(m.gram).sum() - 2 * f.cross.cwiseProduct(m.cross).sum() + own;
    made.distance[c] = truth == c ? 0 : std::sqrt(std::max(squared, 0.0));
    if (truth == c) made.scale[at] = -1;
  }
  set_nearest(made);
  return made;
}

std::vector<std::string_view> class_kinds() {
  std::vector<std::string_view> kinds;
  for (const auto& [name, maker] : kMakers) kinds.push_back(name);
  return kinds;
}

std::vector<ScaleRow> distance_histogram(const CandidateClass& made) {
  std::map<int, ScaleRow> rows;
  for (Index c = 0; c < made.distance.size(); ++c) {
    const int j = made.scale[static_cast<std::size_t>(c)];
    const double d = made.distance[c];
    ScaleRow& row = rows.try_emplace(j, ScaleRow{j, 0, 0, d, 0, d}).first->second;
    row.wanted = j < 0 ? 0 : std::ldexp(made.base, -j);
    row.count += 1;
    row.least = std::min(row.least, d);
    row.largest = std::max(row.largest, d);
    row.mean += (d - row.mean) / static_cast<double>(row.count);
  }
  std::vector<ScaleRow> list;
  for (const auto& [j, row] : rows) list.push_back(row);
  return list;
}

}  // namespace speder
