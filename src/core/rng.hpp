#pragma once

#include <boost/random/mersenne_twister.hpp>
#include <cstdint>
#include <string_view>

#include "speder/core/types.hpp"

namespace speder {

/// One stream of random numbers. The same numbers on every platform and locale: Boost.Random's
/// distributions are specified, the standard library's are not.
class Rng {
 public:
  using Engine = boost::random::mt19937_64;
  using result_type = Engine::result_type;

  explicit Rng(std::uint64_t seed) : engine_(seed) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() { return engine_(); }

  double uniform() {  // [0, 1), 53 bits
    return static_cast<double>(engine_() >> 11U) * 0x1.0p-53;
  }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  Index index(Index n);  // uniform on {0, …, n−1}
  double normal();
  double exponential();
  double gamma(double shape);
  bool bernoulli(double p) { return uniform() < p; }

  [[nodiscard]] Engine& engine() { return engine_; }

 private:
  Engine engine_;
};

/// Seeds for named streams: stream(name, i) depends on (root, name, i) alone, so that adding a
/// stream moves no other and runs can be handed to any thread.
class SeedTree {
 public:
  explicit constexpr SeedTree(std::uint64_t root) : root_(root) {}
  [[nodiscard]] std::uint64_t seed(std::string_view name, std::uint64_t index = 0) const;
  [[nodiscard]] Rng stream(std::string_view name, std::uint64_t index = 0) const {
    return Rng(seed(name, index));
  }
  [[nodiscard]] SeedTree child(std::string_view name, std::uint64_t index = 0) const {
    return SeedTree(seed(name, index));
  }
  [[nodiscard]] constexpr std::uint64_t root() const { return root_; }

 private:
  std::uint64_t root_;
};

/// Dirichlet(concentration, …, concentration) on n points; sums to one up to rounding.
[[nodiscard]] Vector dirichlet(Index n, double concentration, Rng& rng);
/// Uniform on the unit sphere of Rⁿ.
[[nodiscard]] Vector unit_vector(Index n, Rng& rng);
/// Index drawn with the given probabilities (linear scan: for small n).
[[nodiscard]] Index categorical(const Eigen::Ref<const Vector>& probabilities, Rng& rng);

}  // namespace speder
