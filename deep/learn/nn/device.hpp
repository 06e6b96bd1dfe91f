#pragma once

#include <functional>
#include <string>

#include "speder/deep/learn/nn/torch.hpp"

namespace speder::deep {

/// cpu, cuda, cuda:<n> or auto (cuda when it works, else cpu). cuda loads libtorch_cuda from beside
/// libtorch_cpu at run time, before anything asks libtorch whether it has CUDA: that answer is
/// cached for good. Throws InputError that says what is missing.
[[nodiscard]] Device choose_device(const std::string& name);

/// 0 when CUDA cannot be used.
[[nodiscard]] int cuda_devices();
/// What `name` means to process n of those that share a machine: cuda and auto take its GPUs in
/// turn, cuda:<n> and cpu stay as they are.
[[nodiscard]] std::string device_of_process(const std::string& name, int process,
                                            const std::function<int()>& devices = cuda_devices);

/// From now on the blocks of CPU tensors are kept when they are freed and handed out again, the last
/// one first, while it is still in the cache: an update takes and returns hundreds of them.
/// Call once, before the first tensor.
void keep_tensor_blocks();

}  // namespace speder::deep
