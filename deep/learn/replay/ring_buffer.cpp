#include "speder/deep/learn/replay/ring_buffer.hpp"

#include <algorithm>

#include "speder/core/check.hpp"

namespace speder::deep {

RingBuffer::RingBuffer(Index observation_size, Index action_size, Index capacity)
    : s_(observation_size), a_(action_size), capacity_(capacity) {
  require(s_ > 0 && a_ > 0, "observations and actions must have a positive size");
  require(capacity > 0, "a replay buffer needs room for at least one step", capacity);
  data_ = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(capacity * row_size()));
}

void RingBuffer::add(const EnvStep& step) {
  require(std::ssize(step.observation) == s_ && std::ssize(step.next_observation) == s_,
          "a step has observations of another size than the buffer", step.observation.size());
  require(std::ssize(step.action) == a_, "a step has another number of actions than the buffer",
          step.action.size());
  float* out = data_.get() + (added_ % capacity_) * row_size();
  out = std::copy(step.observation.begin(), step.observation.end(), out);
  out = std::copy(step.action.begin(), step.action.end(), out);
  *out++ = step.reward;
  *out++ = step.terminated ? 1.0F : 0.0F;
  *out++ = step.ended ? 1.0F : 0.0F;
  std::copy(step.next_observation.begin(), step.next_observation.end(), out);
  ++added_;
  size_ = std::min<Index>(size_ + 1, capacity_);
}

std::span<const float> RingBuffer::row(Index i) const {
  require(0 <= i && i < size_, "no such row in the replay buffer", i);
  return {data_.get() + i * row_size(), static_cast<std::size_t>(row_size())};
}

Index RingBuffer::following(Index i) const {
  const Index newest = (added_ - 1) % capacity_;
  return i == newest ? -1 : (i + 1) % capacity_;
}

Index RingBuffer::draw_index(Rng& rng) const {
  require(size_ > 0, "cannot draw from an empty replay buffer");
  return rng.index(size_);
}

std::span<const float> RingBuffer::rows() const {
  return {data_.get(), static_cast<std::size_t>(size_ * row_size())};
}

void RingBuffer::restore(std::span<const float> rows, std::int64_t added) {
  require(std::ssize(rows) % row_size() == 0 && std::ssize(rows) <= capacity_ * row_size(),
          "stored rows do not fit the replay buffer", rows.size());
  size_ = std::ssize(rows) / row_size();
  require(added >= size_ && (added == size_ || size_ == capacity_),
          "the stored count of steps does not fit the replay buffer", added);
  std::copy(rows.begin(), rows.end(), data_.get());
  added_ = added;
}

}  // namespace speder::deep
