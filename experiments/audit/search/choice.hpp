#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/experiments/audit/objects/scalar.hpp"

namespace speder::audit {

/// What a choice decides. Indices inside a slot do not move when another slot changes, so that a
/// small change of the choices is a small change of the instance.
enum class Slot {
  kSize,
  kKnob,
  kScalar,
  kPhi,
  kMu,
  kTheta,
  kNu,
  kRho,
  kPi,
  kHistory,
  kBehaviour,
  kG,
  kPhiHat,
  kMuHat,
  kWeights,
  kBase,
  kCounts,
  kMatrix,
  kClass,
  kLoss,
  kDesign,
  kCount
};

/// A fraction in [0, 1]: exactly the same number in double and in rational arithmetic.
struct Choice {
  std::int32_t numerator = 0;
  std::int32_t denominator = 0;  // 0: not made yet
};

/// The decisions an instance is built from. A builder asks; what was never asked before is drawn
/// from the stream; what was is repeated. Search moves single choices, shrinking rounds them, and
/// the same choices rebuild the same instance in exact arithmetic.
class Choices {
 public:
  explicit Choices(Rng& rng) : rng_(&rng) {}

  template <class T>
  [[nodiscard]] T unit(Slot slot, int index) {  // in [0, 1]
    const Choice& c = at(slot, index);
    return fraction<T>(c.numerator, c.denominator);
  }
  [[nodiscard]] int integer(Slot slot, int index, int low, int high);  // in {low, …, high}

  void set(Slot slot, int index, Choice value) { at(slot, index) = value; }
  void use_stream(Rng& rng) { rng_ = &rng; }
  /// Every choice made so far.
  [[nodiscard]] std::vector<std::pair<Slot, int>> made() const;
  [[nodiscard]] Choice& at(Slot slot, int index);

 private:
  static constexpr std::size_t kSlots = static_cast<std::size_t>(Slot::kCount);
  [[nodiscard]] Choice draw(Slot slot);
  Rng* rng_;
  std::array<std::vector<Choice>, kSlots> slots_;
  std::array<int, kSlots> style_{};  // how this slot's choices are drawn; 0: not decided
};

/// A neighbour of the choices: one to three of them changed.
void perturb(Choices& choices, Rng& rng);

}  // namespace speder::audit
