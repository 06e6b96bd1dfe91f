#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "speder/deep/sim/env/mujoco.hpp"

namespace speder::deep {

/// Pictures of a simulation without a window. RGB, bottom row first, as OpenGL reads it.
class Renderer {
 public:
  explicit Renderer(const mjModel& model);
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;
  ~Renderer();

  [[nodiscard]] int width() const;
  [[nodiscard]] int height() const;
  [[nodiscard]] const std::string& backend() const;
  /// Valid until the next call.
  [[nodiscard]] const std::vector<std::uint8_t>& render(mjData& data);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace speder::deep
