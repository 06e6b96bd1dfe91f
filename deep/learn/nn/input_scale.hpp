#pragma once

#include "speder/deep/learn/nn/torch.hpp"
#include "speder/deep/learn/replay/ring_buffer.hpp"

namespace speder::deep {

/// States in units of the buffer's moments. As a rule they are measured once, when learning begins:
/// moments that move with the data move φ of old data with them, and p of the spectral losses.
class InputScale {
 public:
  InputScale(Index observation_size, Index action_size, Device device);

  /// Measures in its first call and, with `every` > 0, in each `every`-th one after it; calls are
  /// counted on over an interruption.
  void measure(const RingBuffer& buffer, int every = 0);
  /// [s | a] or s alone (B, S+A or S): (s − mean)/deviation, a as it is.
  [[nodiscard]] Tensor operator()(const Tensor& rows) const;
  void name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const;

 private:
  Tensor calls_;    // of measure(); on the host, as a tensor so that checkpoints hold it
  Tensor moments_;  // (2, S+A) mean and 1/deviation; 0 and 1 until measured, and for actions
};

}  // namespace speder::deep
