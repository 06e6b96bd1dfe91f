#pragma once

#include "speder/deep/learn/nn/torch.hpp"
#include "speder/deep/learn/replay/ring_buffer.hpp"

namespace speder::deep {

/// States in units of the buffer's moments when learning began. Measured once: moments that moved
/// with the data would move φ of old data with them, and p of the spectral losses.
class InputScale {
 public:
  InputScale(Index observation_size, Index action_size, Device device);

  /// Does nothing after its first call, in a resumed run too.
  void measure_once(const RingBuffer& buffer);
  /// [s | a] or s alone (B, S+A or S): (s − mean)/deviation, a as it is.
  [[nodiscard]] Tensor operator()(const Tensor& rows) const;
  void name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const;

 private:
  Tensor measured_;  // a flag on the host, as a tensor so that checkpoints hold it
  Tensor moments_;   // (2, S+A) mean and 1/deviation; 0 and 1 until measured, and for actions
};

}  // namespace speder::deep
