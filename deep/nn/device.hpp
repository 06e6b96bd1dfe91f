#pragma once

#include <string>

#include "deep/nn/torch.hpp"

namespace speder::deep {

/// cpu, cuda, cuda:<n> or auto (cuda when it works, else cpu). cuda loads libtorch_cuda from beside
/// libtorch_cpu at run time, before anything asks libtorch whether it has CUDA: that answer is
/// cached for good. Throws InputError that says what is missing.
[[nodiscard]] Device choose_device(const std::string& name);

}  // namespace speder::deep
