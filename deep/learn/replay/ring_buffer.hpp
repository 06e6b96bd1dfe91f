#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "speder/core/rng.hpp"
#include "speder/core/types.hpp"

namespace speder::deep {

/// One step of an environment. next_observation is the true successor, never a reset observation.
struct EnvStep {
  std::span<const float> observation;  // (S)
  std::span<const float> action;       // (A) in [−1, 1]
  float reward = 0;
  std::span<const float> next_observation;  // (S)
  bool terminated = false;                  // no value beyond
  bool ended = false;                       // terminated or truncated
};

/// The last `capacity` steps, one contiguous row each: [s | a | r | terminated | ended | s']. A row
/// is what a minibatch copies, and [s | a] is the input of φ as it stands. Pages of a large buffer
/// are taken from the system as they fill.
class RingBuffer {
 public:
  RingBuffer(Index observation_size, Index action_size, Index capacity);

  void add(const EnvStep& step);
  void clear() { size_ = added_ = 0; }

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index capacity() const { return capacity_; }
  [[nodiscard]] std::int64_t added() const { return added_; }  // since the start
  [[nodiscard]] Index observation_size() const { return s_; }
  [[nodiscard]] Index action_size() const { return a_; }
  [[nodiscard]] Index row_size() const { return 2 * s_ + a_ + 3; }
  /// Row i; 0 is the oldest of an unwrapped buffer, afterwards the order is that of the ring.
  [[nodiscard]] std::span<const float> row(Index i) const;
  /// The row of the step after that of row i, −1 after the newest. It may begin another episode.
  [[nodiscard]] Index following(Index i) const;
  /// A row drawn uniformly, and its place. Both throw when the buffer is empty.
  [[nodiscard]] std::span<const float> draw(Rng& rng) const { return row(draw_index(rng)); }
  [[nodiscard]] Index draw_index(Rng& rng) const;

  /// All stored rows and the counter: what a checkpoint keeps.
  [[nodiscard]] std::span<const float> rows() const;
  void restore(std::span<const float> rows, std::int64_t added);

 private:
  Index s_;
  Index a_;
  Index capacity_;
  Index size_ = 0;
  std::int64_t added_ = 0;
  std::unique_ptr<float[]> data_;
};

}  // namespace speder::deep
