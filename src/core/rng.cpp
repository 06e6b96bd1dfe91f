#include "speder/core/rng.hpp"

#include <boost/random/exponential_distribution.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_int_distribution.hpp>

#include "speder/core/check.hpp"

namespace speder {
namespace {

// SplitMix64 finaliser (Steele, Lea & Flood 2014): a bijection whose output bits all depend on
// all input bits.
std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

}  // namespace

std::uint64_t SeedTree::seed(std::string_view name, std::uint64_t index) const {
  std::uint64_t h = mix(root_);
  for (const char c : name) h = mix(h ^ static_cast<unsigned char>(c));
  return mix(mix(h ^ (0x100ULL + name.size())) ^ index);
}

Index Rng::index(Index n) {
  return boost::random::uniform_int_distribution<Index>(0, n - 1)(engine_);
}
double Rng::normal() { return boost::random::normal_distribution<double>()(engine_); }
double Rng::exponential() { return boost::random::exponential_distribution<double>()(engine_); }
double Rng::gamma(double shape) {
  return boost::random::gamma_distribution<double>(shape)(engine_);
}

Vector dirichlet(Index n, double concentration, Rng& rng) {
  require(n >= 1, "dirichlet needs at least one point", n);
  require(concentration > 0, "dirichlet concentration must be positive", concentration);
  boost::random::gamma_distribution<double> gamma(concentration);
  Vector p(n);
  for (double& x : p) x = gamma(rng.engine());
  const double total = p.sum();
  if (total > 0) return p / total;
  p.setZero();  // every draw underflowed (tiny concentration): the limit is a vertex
  p[rng.index(n)] = 1;
  return p;
}

Vector unit_vector(Index n, Rng& rng) {
  Vector x(n);
  do {
    for (double& xi : x) xi = rng.normal();
  } while (x.squaredNorm() == 0);
  return x.normalized();
}

Index categorical(const Eigen::Ref<const Vector>& probabilities, Rng& rng) {
  double u = rng.uniform();
  Index last = 0;
  for (Index i = 0; i < probabilities.size(); ++i) {
    if (probabilities[i] <= 0) continue;
    last = i;
    u -= probabilities[i];
    if (u < 0) break;
  }
  return last;  // rounding can leave u ≥ 0 past the end: the last point with mass
}

}  // namespace speder
