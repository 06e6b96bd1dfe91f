#include "speder/deep/learn/replay/sequences.hpp"

#include <algorithm>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

/// The buffer's steps from the oldest on, as entries [s | a | r | first | terminal].
class EntryStream {
 public:
  EntryStream(const RingBuffer& buffer, Index from)
      : buffer_(buffer), s_(buffer.observation_size()), a_(buffer.action_size()), age_(from) {}

  void write(float* out) {
    const auto now = row(age_);
    if (after_end_) {  // what the step that ended the episode led to
      after_end_ = false;
      put(out, now.last(static_cast<std::size_t>(s_)), now, 0, flag(now, 1));
      ++age_;
      return;
    }
    const bool known = age_ > 0 && flag(row(age_ - 1), 2) == 0;
    const auto state = now.first(static_cast<std::size_t>(s_));
    if (known) {
      put(out, state, row(age_ - 1), 0, 0);
    } else {
      put(out, state, {}, 1, 0);
    }
    if (flag(now, 2) != 0) {
      after_end_ = true;
    } else {
      ++age_;
    }
  }

 private:
  [[nodiscard]] std::span<const float> row(Index age) const {
    return buffer_.row((buffer_.added() - buffer_.size() + age) % buffer_.capacity());
  }
  /// 0: reward, 1: terminated, 2: ended
  [[nodiscard]] float flag(std::span<const float> r, Index i) const {
    return r[static_cast<std::size_t>(s_ + a_ + i)];
  }
  void put(float* out, std::span<const float> state, std::span<const float> led, float first,
           float terminal) const {
    out = std::copy(state.begin(), state.end(), out);
    if (led.empty()) {
      out = std::fill_n(out, a_ + 1, 0.0F);
    } else {
      out = std::copy_n(led.begin() + s_, a_, out);
      *out++ = flag(led, 0);
    }
    *out++ = first;
    *out = terminal;
  }

  const RingBuffer& buffer_;
  Index s_, a_;
  Index age_;
  bool after_end_ = false;
};

}  // namespace

SequenceBatch draw_sequences(const RingBuffer& buffer, Index count, Index length, Device device,
                             Rng& rng) {
  require(count > 0 && length > 0, "sequences need a positive number and length");
  require(buffer.size() > 0, "cannot draw from an empty replay buffer");
  const Index s = buffer.observation_size(), a = buffer.action_size();
  const Index l = std::min(length, buffer.size()), width = s + a + 3;
  const Tensor host = at::empty({l, count, width}, at::kFloat);
  for (Index b = 0; b < count; ++b) {
    // L steps from here give at least L entries, so that the newest is not passed
    EntryStream stream(buffer, rng.index(buffer.size() - l + 1));
    for (Index t = 0; t < l; ++t) {
      float* entry = host.data_ptr<float>() + (t * count + b) * width;
      stream.write(entry);
      if (t == 0) entry[s + a + 1] = 1;
    }
  }
  const Tensor all = host.to(device);
  return {.state = all.narrow(2, 0, s),
          .action = all.narrow(2, s, a),
          .reward = all.select(2, s + a),
          .first = all.select(2, s + a + 1),
          .terminal = all.select(2, s + a + 2)};
}

}  // namespace speder::deep
