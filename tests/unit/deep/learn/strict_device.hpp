#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace speder::deep {

/// A device for tests: its memory is the host's and its kernels are the CPU's, but an operation
/// that mixes it with CPU tensors throws, as on a GPU, and every copy over the border is counted.
struct StrictDevice {
  static at::Device device();  // registers it on the first call
  static std::int64_t& to_device();
  static std::int64_t& to_host();  // includes reading a scalar
};

}  // namespace speder::deep
