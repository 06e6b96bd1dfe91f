#pragma once

// The one door to libtorch: ATen and autograd, without the torch::nn front end (a fifth of the
// compile time). Precompiled for every file of the learner.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>

#include <string>
#include <vector>

namespace speder::deep {

using at::Device;
using at::Tensor;

/// A tensor under the name it has in checkpoints and logs; shares the memory of the original.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// Scalars of one update, left on the device: reading them waits for it, so that is done when they
/// are shown, not at every step. In the order they are computed.
using Diagnostics = std::vector<NamedTensor>;

/// The list with one more at its end.
inline std::vector<Tensor> with(std::vector<Tensor> tensors, const Tensor& last) {
  tensors.push_back(last);
  return tensors;
}

}  // namespace speder::deep
