#pragma once

namespace speder::deep {

/// From now on the blocks of CPU tensors are kept when they are freed and handed out again, the last
/// one first, while it is still in the cache: an update takes and returns hundreds of them.
/// Call once, before the first tensor.
void keep_tensor_blocks();

}  // namespace speder::deep
