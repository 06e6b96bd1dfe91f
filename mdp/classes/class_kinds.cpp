#include "speder/mdp/classes/class_kinds.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"

namespace speder {
namespace {

constexpr Index kLargestNet = 4096;           // every pair of members is compared
constexpr Index kAttempts = 20;               // draws per member before the packing is given up
constexpr Index kLargestProduct = 4'000'000;  // losses of all pairs are held

struct Member {
  Matrix phi;
  Matrix mu;
  double norm2 = 0;  // ‖P‖²
};

// ⟨P_a, P_b⟩_{L2(ρ)} = tr((Φ_aᵀ W Φ_b)(M_bᵀ N M_a))
double inner(const KnownKernel& truth, const Member& a, const Member& b) {
  const Matrix F = a.phi.transpose() * truth.weights.asDiagonal() * b.phi;
  const Matrix M = a.mu.transpose() * truth.nu.asDiagonal() * b.mu;
  return F.cwiseProduct(M).sum();
}

bool apart(const KnownKernel& truth, const std::vector<Member>& net, const Member& fresh,
           double radius) {
  return std::all_of(net.begin(), net.end(), [&](const Member& old) {
    return old.norm2 + fresh.norm2 - 2 * inner(truth, old, fresh) >= radius * radius;
  });
}

Member draw_member(const ClassJob& job, double radius, Index attempt) {
  Rng rng = job.seeds.stream("net", static_cast<std::uint64_t>(attempt));
  const double wanted = radius * (1 + rng.uniform());
  const Direction d = random_direction(job.truth, {true, true, job.spec.support}, rng);
  const double t = d.solve(wanted);
  Member member{job.truth.phi + t * d.U, job.truth.mu + t * d.V};
  member.norm2 = inner(job.truth, member, member);
  return member;
}

std::vector<Member> draw_packing(const ClassJob& job, double radius) {
  std::vector<Member> net{{job.truth.phi, job.truth.mu}};
  net.front().norm2 = inner(job.truth, net.front(), net.front());
  for (Index attempt = 0; static_cast<Index>(net.size()) < job.spec.size; ++attempt) {
    if (attempt == kAttempts * job.spec.size) {
      throw InputError(
          fmt::format("class net: only {} of {} candidates are {} apart within twice that distance "
                      "of P*; use a "
                      "smaller class-radius or class-size",
                      net.size(), job.spec.size, radius));
    }
    Member fresh = draw_member(job, radius, attempt);
    if (apart(job.truth, net, fresh, radius)) net.push_back(std::move(fresh));
  }
  return net;
}

// The truth's factor at place `truth`, the others at base·2⁻ʲ in turn.
std::vector<Matrix> side_ladder(const ClassJob& job, Index size, Index truth, bool phi_side) {
  std::vector<Matrix> side;
  for (Index i = 0; i < size; ++i) {
    side.push_back(phi_side ? job.truth.phi : job.truth.mu);
    if (i == truth) continue;
    const int j = static_cast<int>((i > truth ? i - 1 : i) % (job.spec.scales + 1));
    Rng rng = job.seeds.stream(phi_side ? "phi-side" : "mu-side", static_cast<std::uint64_t>(i));
    const Direction d = random_direction(job.truth, {phi_side, !phi_side}, rng);
    side.back() += d.solve(std::ldexp(job.base, -j)) * (phi_side ? d.U : d.V);
  }
  return side;
}

// Members of a product are not put at a radius of their own: the scale nearest to where they are.
int nearest_scale(double distance, const ClassJob& job) {
  const double j = std::round(std::log2(job.base / distance));
  return static_cast<int>(std::clamp(j, 0.0, static_cast<double>(job.spec.scales)));
}

Index side_of(Index size) {  // the largest divisor up to the square root
  auto root = static_cast<Index>(std::sqrt(static_cast<double>(size)));
  while (size % root != 0) --root;
  return root;
}

}  // namespace

CandidateClass packing(const ClassJob& job) {
  const double radius = job.spec.radius > 0 ? job.spec.radius : job.base / 4;
  if (job.spec.size > kLargestNet) {
    throw InputError(
        fmt::format("class net: at most {} candidates, since all pairs are compared", kLargestNet));
  }
  if (job.spec.precision == "float") {
    throw InputError("class net is held in double precision: use class-precision auto or double");
  }
  std::vector<Member> net = draw_packing(job, radius);
  Rng rng = job.seeds.stream("truth-place");
  const Index truth = rng.index(job.spec.size);
  std::swap(net.front(), net[static_cast<std::size_t>(truth)]);
  FeatureClassBuilder builder = make_builder(job);
  Vector distance(job.spec.size);
  for (Index c = 0; c < job.spec.size; ++c) {
    const Member& member = net[static_cast<std::size_t>(c)];
    builder.put(c, {&member.phi, 1}, {&member.mu, 1});
    distance[c] = distance_to(job.truth, member.phi, member.mu);
  }
  std::vector<int> scale(net.size(), 0);
  scale[static_cast<std::size_t>(truth)] = -1;
  return {std::move(builder).finish(), truth, std::move(distance), std::move(scale), radius};
}

CandidateClass product_ladder(const ClassJob& job) {
  if (!job.truth.mixture) {
    throw InputError(
        "class product needs an MDP whose phi rows lie in the simplex and whose mu columns are "
        "densities: otherwise a phi and a mu taken from two kernels do not make a kernel");
  }
  if (job.spec.size > kLargestProduct) {
    throw InputError(fmt::format("class product: at most {} candidates", kLargestProduct));
  }
  const Index n_phi = side_of(job.spec.size);
  const Index n_mu = job.spec.size / n_phi;
  Rng rng = job.seeds.stream("truth-place");
  const Index i_true = rng.index(n_phi);
  const Index j_true = rng.index(n_mu);
  const std::vector<Matrix> phi = side_ladder(job, n_phi, i_true, true);
  const std::vector<Matrix> mu = side_ladder(job, n_mu, j_true, false);
  const Index truth = i_true * n_mu + j_true;
  CandidateClass made{FeatureClass::product(job.shape, phi, mu),
                      truth,
                      product_distances(job.truth, phi, mu),
                      {},
                      job.base};
  made.distance[truth] = 0;
  for (Index c = 0; c < job.spec.size; ++c) {
    made.scale.push_back(c == truth ? -1 : nearest_scale(made.distance[c], job));
  }
  return made;
}

}  // namespace speder
