#include "speder/mdp/families/instance.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"

namespace speder {
namespace {

constexpr Index kLargestTable = Index{1} << 32;  // values; the limit of H5File::read as well

Factor scaled(const Factor& factor, double c) {
  if (factor.is_sparse()) return SparseMatrix(c * factor.sparse());
  return Matrix(c * factor.dense());
}

Vector linear_reward(const Factor& phi, const Vector& theta) {
  Vector r = phi.times(theta);
  r = r.cwiseMax(0.0).cwiseMin(1.0);  // ⟨φ, θ⟩ can leave [0,1] by rounding
  return r;
}

}  // namespace

TabularMdp assemble(const InstanceSpec& spec, Blueprint b) {
  const Index S = b.mu.rows();
  const double volume = spec.knob("volume");
  Vector nu = Vector::Ones(S);
  if (volume > 0) {
    const double weight = volume / static_cast<double>(S);
    nu.setConstant(weight);
    b.mu = scaled(b.mu, 1 / weight);
  }
  if (b.reward.size() == 0) b.reward = linear_reward(b.phi, b.theta);
  Provenance provenance{.family = spec.family, .seed = spec.seed, .knobs = {}};
  for (const auto& [name, value] : spec.knobs) provenance.knobs[name] = value;
  const Index actions = b.phi.rows() / S;
  return TabularMdp(Kernel(actions, std::move(b.phi), std::move(b.mu), std::move(nu)),
                    {.table = std::move(b.reward), .theta = std::move(b.theta)}, std::move(b.rho),
                    spec.gamma, std::move(provenance));
}

Index size_in_range(const InstanceSpec& spec, std::string_view what, Index given, Index low,
                    Index high) {
  if (low <= given && given <= high) return given;
  throw InputError(fmt::format("family {}: {} must lie in [{}, {}], got {} (states {}, actions {})",
                               spec.family, what, low, high, given, spec.states, spec.actions));
}

Index derived_size(const InstanceSpec& spec, std::string_view what, Index given, Index value) {
  if (given == 0 || given == value) return value;
  throw InputError(fmt::format("family {}: {} is {} here, it cannot be {} (leave the option out)",
                               spec.family, what, value, given));
}

Index whole_knob(const InstanceSpec& spec, const std::string& name) {
  const double value = spec.knob(name);
  if (value == std::floor(value)) return static_cast<Index>(value);
  throw InputError(
      fmt::format("family {}: knob {} must be a whole number, got {}", spec.family, name, value));
}

void require_table_size(const InstanceSpec& spec, Index rows, Index columns) {
  if (rows <= kLargestTable / std::max<Index>(columns, 1)) return;
  throw InputError(fmt::format("family {}: a table of {} x {} values is beyond the limit of {}",
                               spec.family, rows, columns, kLargestTable));
}

Vector uniform_distribution(Index n) { return Vector::Constant(n, 1.0 / static_cast<double>(n)); }

}  // namespace speder
