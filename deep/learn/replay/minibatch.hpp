#pragma once

#include "speder/deep/learn/nn/torch.hpp"
#include "speder/deep/learn/replay/ring_buffer.hpp"

namespace speder::deep {

/// Where the base samples s_j ~ p of the spectral losses come from.
/// Next states of steps drawn for it, N(0, I), or none: the batch's own rows serve.
enum class BaseMeasure { kReplay, kGaussian, kNone };

struct MinibatchOptions {
  Index size = 256;
  BaseMeasure base = BaseMeasure::kReplay;
  int returns = 1;           // n of the n-step return
  double discount = 1;       // γ of its sum
  bool state_noise = false;  // draw it
};

/// One update's worth of data and noise on the device: views into a single tensor, so that it takes
/// one copy to get there. All randomness of an update is in here, drawn on the host: the same
/// numbers on every device.
struct Minibatch {
  Tensor pair;         // (B, S+A)  [s | a]
  Tensor state;        // (B, S)
  Tensor action;       // (B, A)
  Tensor reward;       // (B)
  Tensor terminated;   // (B)  0 or 1
  Tensor ended;        // (B)  0 or 1, terminated or truncated
  Tensor next_state;   // (B, S)
  Tensor base_state;   // (B, S)  independent of the rows above; undefined with kNone
  Tensor noise;        // (B, A)  standard normal, for π(·|s)
  Tensor next_noise;   // (B, A)  standard normal, for π(·|s'), or for π at `far.state`
  Tensor state_noise;  // (B, S or 2S)  standard normal, for next_state and base_state
  /// ∑_{k<m} γ^k r_{t+k} and what follows it, m ≤ n steps ahead: fewer where the episode, or the
  /// buffer, ends. With n = 1 these are the tensors above.
  struct Far {
    Tensor reward;      // (B)
    Tensor state;       // (B, S)  s_{t+m}
    Tensor terminated;  // (B)
    Tensor discount;    // (B)  γ^m; undefined with n = 1: γ
  } far;
};

[[nodiscard]] Minibatch draw_minibatch(const RingBuffer& buffer, const MinibatchOptions& options,
                                       Device device, Rng& rng);
/// Rows 0 … size−1 in order; base states and noise are undefined.
[[nodiscard]] Minibatch whole_buffer(const RingBuffer& buffer, Device device);

}  // namespace speder::deep
