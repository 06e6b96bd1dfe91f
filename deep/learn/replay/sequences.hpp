#pragma once

#include "speder/deep/learn/nn/torch.hpp"
#include "speder/deep/learn/replay/ring_buffer.hpp"

namespace speder::deep {

/// Pieces of experience for recurrent models, time first. Entry k has what is observed and what led there:
/// an episode of T steps is T + 1 entries, the last one its final observation.
struct SequenceBatch {
  Tensor state;     // (L, B, S)  s_k
  Tensor action;    // (L, B, A)  a_{k−1}
  Tensor reward;    // (L, B)  r_{k−1}
  Tensor first;     // (L, B)  1 where nothing led there: an episode's start, or the sequence's
  Tensor terminal;  // (L, B)  1 where no value is beyond
};

/// B sequences of L entries (fewer when less is stored) from steps drawn uniformly. A sequence may go on into
/// the next episode, never from the newest step to the oldest.
[[nodiscard]] SequenceBatch draw_sequences(const RingBuffer& buffer, Index count, Index length,
                                           Device device, Rng& rng);

}  // namespace speder::deep
