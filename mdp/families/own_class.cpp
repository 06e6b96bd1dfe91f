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

}  // namespace

CandidateClass own_class(const TabularMdp& mdp, const ClassSpec& spec, const SeedTree& seeds) {
  if (mdp.provenance().family != "comblock")
    throw InputError(
        fmt::format("class own: the family '{}' has no class of its own (comblock has one); use "
                    "multiscale, product, net or misspecified",
                    mdp.provenance().family));
  if (spec.size < 1)
    throw InputError(fmt::format("class-size must be at least 1 (got {})", spec.size));
  const Kernel& P = mdp.kernel();
  const ClassShape shape{P.actions(), P.rank(), P.nu()};
  if (FeatureClassBuilder::bytes_needed(shape, spec.size, ClassPrecision::kDouble) > spec.max_bytes)
    throw InputError(
        fmt::format("class own: {} members need more memory than allowed; use a smaller class-size",
                    spec.size));
  const InstanceSpec made = spec_of(mdp);
  const LockShape lock = comblock_shape(made);
  const LockSample sample =
      sample_locks(lock, draw_lock(lock, SeedTree(made.seed)), spec.size, seeds.child("class"));
  std::vector<Kernel> kernels;
  for (const LockMember& member : sample.members) {
    // Emissions are probabilities; densities with respect to ν, which is uniform.
    const SparseMatrix mu = lock_emission(lock, member) / P.nu()[0];
    kernels.emplace_back(lock.actions, lock_phi(lock, member), mu, P.nu());
  }
  return measured_class(FeatureClass::of(kernels), sample.truth, P, spec.weights);
}

}  // namespace speder
