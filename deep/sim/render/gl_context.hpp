#pragma once

#include <functional>
#include <string>

namespace speder::deep {

/// An offscreen OpenGL context on the calling thread, from EGL or OSMesa, whichever is found at run
/// time (MUJOCO_GL=egl or osmesa chooses). No link-time dependency: both are opened with dlopen.
class GlContext {
 public:
  /// Throws InputError that says what to install when neither works.
  static GlContext create(int width, int height);
  GlContext(GlContext&& other) noexcept;
  GlContext& operator=(GlContext&&) = delete;
  ~GlContext();
  [[nodiscard]] const std::string& backend() const { return backend_; }

 private:
  GlContext(std::string backend, std::function<void()> release)
      : backend_(std::move(backend)), release_(std::move(release)) {}
  std::string backend_;
  std::function<void()> release_;
};

}  // namespace speder::deep
