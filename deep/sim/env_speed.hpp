#pragma once

#include <cstdint>
#include <memory>

#include "speder/deep/sim/env/env.hpp"

namespace speder::deep {

struct SpeedOptions {
  double seconds = 0.2;  // of simulation per sample
  int repeats = 9;       // paired samples; medians are reported
  std::uint64_t seed = 1;
};

/// Env against a loop of the same MuJoCo calls on the same states and actions, resets included.
struct WrapperSpeed {
  double env_steps_per_second = 0;   // control steps per CPU-second
  double bare_steps_per_second = 0;  // 0 for closed-form tasks, which make no MuJoCo calls
  double ratio = 0;                  // median of the paired bare time / env time; 1 = no overhead
};

struct VectorSpeed {
  double one_thread = 0;  // control steps per second of wall clock, all environments together
  double many_threads = 0;
  double ratio = 0;  // median of the paired ratios
};

/// Control steps per CPU-second of Env with random actions, resets included.
[[nodiscard]] double env_speed(const std::shared_ptr<const Physics>& physics,
                               const SpeedOptions& options);
[[nodiscard]] WrapperSpeed wrapper_speed(const std::shared_ptr<const Physics>& physics,
                                         const SpeedOptions& options);
[[nodiscard]] VectorSpeed vector_speed(const std::shared_ptr<const Physics>& physics, int envs,
                                       int threads, const SpeedOptions& options);

}  // namespace speder::deep
