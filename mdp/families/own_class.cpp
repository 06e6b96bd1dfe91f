#include "speder/mdp/families/own_class.hpp"

#include "speder/core/check.hpp"
#include "speder/mdp/families/families.hpp"

namespace speder {
namespace {

InstanceSpec spec_of(const TabularMdp& mdp) {
  const Provenance& from = mdp.provenance();
  InstanceSpec spec{.family = from.family,
                    .states = mdp.states(),
                    .actions = mdp.actions(),
                    .rank = mdp.rank(),
                    .gamma = mdp.gamma(),
                    .seed = from.seed};
  for (const auto& [name, value] : from.knobs)
    if (const double* number = std::get_if<double>(&value)) spec.knobs[name] = *number;
  return resolve(spec);
}

struct OwnKernels {
  std::vector<Kernel> kernels;
  Index truth = 0;
};

// Emissions are probabilities; densities are with respect to ν, which is uniform.
template <class Shape, class Sample, class Phi, class Emission>
OwnKernels kernels_of(const Kernel& P, const Shape& shape, const Sample& sample, Phi phi,
                      Emission emission) {
  OwnKernels out{{}, sample.truth};
  for (const auto& m : sample.members)
    out.kernels.push_back(
        {P.actions(), phi(shape, m), SparseMatrix(emission(shape, m) / P.nu()[0]), P.nu()});
  return out;
}

OwnKernels lock_kernels(const Kernel& P, const InstanceSpec& made, Index size,
                        const SeedTree& seeds) {
  const LockShape shape = comblock_shape(made);
  const LockMember truth = draw_lock(shape, SeedTree(made.seed));
  return kernels_of(P, shape, sample_locks(shape, truth, size, seeds), lock_phi, lock_emission);
}

OwnKernels leaf_kernels(const Kernel& P, const InstanceSpec& made, Index size,
                        const SeedTree& seeds) {
  const LeafShape shape = leaves_shape(made);
  const LeafMember truth = draw_leaf(shape, SeedTree(made.seed));
  return kernels_of(P, shape, sample_leaves(shape, truth, size, seeds), leaf_phi, leaf_emission);
}

OwnKernels chain_kernels(const Kernel& P, const InstanceSpec& made, Index size,
                         const SeedTree& seeds) {
  const ChainShape shape = chain_shape(made);
  const ChainMember truth = draw_chain(shape, SeedTree(made.seed));
  return kernels_of(P, shape, sample_chains(shape, truth, size, seeds), chain_phi, chain_emission);
}

struct OwnMaker {
  std::string_view family;
  OwnKernels (*make)(const Kernel& P, const InstanceSpec& made, Index size, const SeedTree& seeds);
};
constexpr OwnMaker kOwnMakers[] = {
    {"comblock", lock_kernels}, {"leaves", leaf_kernels}, {"chain", chain_kernels}};

const OwnMaker* own_maker(std::string_view family) {
  for (const OwnMaker& maker : kOwnMakers)
    if (maker.family == family) return &maker;
  return nullptr;
}

}  // namespace

bool has_own_class(std::string_view family) { return own_maker(family) != nullptr; }

CandidateClass own_class(const TabularMdp& mdp, const ClassSpec& spec, const SeedTree& seeds) {
  const std::string& family = mdp.provenance().family;
  const OwnMaker* maker = own_maker(family);
  if (maker == nullptr)
    throw InputError(fmt::format(
        "class own: the family '{}' has no class of its own (comblock, leaves and chain have); "
        "use multiscale, product, net or misspecified",
        family));
  if (spec.size < 1)
    throw InputError(fmt::format("class-size must be at least 1 (got {})", spec.size));
  const Kernel& P = mdp.kernel();
  const ClassShape shape{P.actions(), P.rank(), P.nu()};
  if (FeatureClassBuilder::bytes_needed(shape, spec.size, ClassPrecision::kDouble) > spec.max_bytes)
    throw InputError(
        fmt::format("class own: {} members need more memory than allowed; use a smaller class-size",
                    spec.size));
  const InstanceSpec made = spec_of(mdp);
  OwnKernels own = maker->make(P, made, spec.size, seeds.child("class"));
  return measured_class(FeatureClass::of(own.kernels), own.truth, P, spec.weights);
}

}  // namespace speder
