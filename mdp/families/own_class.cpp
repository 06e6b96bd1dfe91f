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
Kernel own_kernel(const Kernel& P, SparseMatrix phi, const SparseMatrix& emission) {
  return {P.actions(), std::move(phi), SparseMatrix(emission / P.nu()[0]), P.nu()};
}

OwnKernels lock_kernels(const Kernel& P, const InstanceSpec& made, Index size,
                        const SeedTree& seeds) {
  const LockShape shape = comblock_shape(made);
  const LockSample sample = sample_locks(shape, draw_lock(shape, SeedTree(made.seed)), size, seeds);
  OwnKernels out{{}, sample.truth};
  for (const LockMember& m : sample.members)
    out.kernels.push_back(own_kernel(P, lock_phi(shape, m), lock_emission(shape, m)));
  return out;
}

OwnKernels leaf_kernels(const Kernel& P, const InstanceSpec& made, Index size,
                        const SeedTree& seeds) {
  const LeafShape shape = leaves_shape(made);
  const LeafSample sample =
      sample_leaves(shape, draw_leaf(shape, SeedTree(made.seed)), size, seeds);
  OwnKernels out{{}, sample.truth};
  for (const LeafMember& m : sample.members)
    out.kernels.push_back(own_kernel(P, leaf_phi(shape, m), leaf_emission(shape, m)));
  return out;
}

}  // namespace

CandidateClass own_class(const TabularMdp& mdp, const ClassSpec& spec, const SeedTree& seeds) {
  const std::string& family = mdp.provenance().family;
  if (family != "comblock" && family != "leaves")
    throw InputError(fmt::format(
        "class own: the family '{}' has no class of its own (comblock and leaves have); "
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
  OwnKernels own =
      (family == "leaves" ? leaf_kernels : lock_kernels)(P, made, spec.size, seeds.child("class"));
  return measured_class(FeatureClass::of(own.kernels), own.truth, P, spec.weights);
}

}  // namespace speder
