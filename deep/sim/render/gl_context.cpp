#include "speder/deep/sim/render/gl_context.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

using Handle = void*;

/// A shared library that stays loaded: GL drivers do not survive being unloaded.
class Library {
 public:
  explicit Library(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_GLOBAL)) {}
  explicit operator bool() const { return handle_ != nullptr; }
  template <class Function>
  [[nodiscard]] Function* get(const char* symbol) const {
    return reinterpret_cast<Function*>(dlsym(handle_, symbol));
  }

 private:
  void* handle_;
};

// The few EGL 1.5 names used here, with the values of the Khronos registry.
namespace egl {
using Attributes = std::int32_t;
constexpr unsigned kPlatformDevice = 0x313F;
constexpr unsigned kPlatformSurfaceless = 0x31DD;
constexpr unsigned kOpenGlApi = 0x30A2;
constexpr std::array<Attributes, 17> kConfig = {
    0x3024, 8, 0x3023, 8,  0x3022, 8,  // red, green, blue
    0x3021, 8, 0x3025, 24, 0x3026, 8,  // alpha, depth, stencil
    0x3033, 1,                         // surface type: pbuffer
    0x3040, 8,                         // renderable: OpenGL
    0x3038};                           // none
}  // namespace egl

struct Egl {
  Library library{"libEGL.so.1"};
  Handle display = nullptr;
  Handle context = nullptr;

  template <class Function>
  Function* extension(const char* name) const {
    auto* find = library.get<void (*(const char*))()>("eglGetProcAddress");
    return find == nullptr ? nullptr : reinterpret_cast<Function*>(find(name));
  }
  [[nodiscard]] std::vector<Handle> displays() const;
  bool open(Handle candidate);
};

/// Displays to try: every device, then Mesa's surfaceless platform.
std::vector<Handle> Egl::displays() const {
  using Query = unsigned(std::int32_t, Handle*, std::int32_t*);
  using GetDisplay = Handle(unsigned, Handle, const std::int32_t*);
  auto* query = extension<Query>("eglQueryDevicesEXT");
  auto* get = extension<GetDisplay>("eglGetPlatformDisplayEXT");
  std::vector<Handle> found;
  if (get == nullptr) return found;
  std::array<Handle, 8> devices{};
  std::int32_t count = 0;
  if (query != nullptr &&
      query(static_cast<std::int32_t>(devices.size()), devices.data(), &count)) {
    for (std::int32_t i = 0; i < count; ++i) {
      const Handle device = devices[static_cast<std::size_t>(i)];
      found.push_back(get(egl::kPlatformDevice, device, nullptr));
    }
  }
  found.push_back(get(egl::kPlatformSurfaceless, nullptr, nullptr));
  return found;
}

bool Egl::open(Handle candidate) {
  using Initialise = unsigned(Handle, std::int32_t*, std::int32_t*);
  using Bind = unsigned(unsigned);
  using Choose = unsigned(Handle, const std::int32_t*, Handle*, std::int32_t, std::int32_t*);
  using Create = Handle(Handle, Handle, Handle, const std::int32_t*);
  using MakeCurrent = unsigned(Handle, Handle, Handle, Handle);
  if (candidate == nullptr) return false;
  if (!library.get<Initialise>("eglInitialize")(candidate, nullptr, nullptr)) return false;
  Handle config = nullptr;
  std::int32_t count = 0;
  if (!library.get<Choose>("eglChooseConfig")(candidate, egl::kConfig.data(), &config, 1, &count) ||
      count == 0 || !library.get<Bind>("eglBindAPI")(egl::kOpenGlApi)) {
    return false;
  }
  const Handle made = library.get<Create>("eglCreateContext")(candidate, config, nullptr, nullptr);
  if (made == nullptr) return false;
  if (!library.get<MakeCurrent>("eglMakeCurrent")(candidate, nullptr, nullptr, made)) return false;
  display = candidate;
  context = made;
  return true;
}

std::function<void()> try_egl() {
  auto gl = std::make_shared<Egl>();
  if (!gl->library) return {};
  for (const Handle display : gl->displays()) {
    if (!gl->open(display)) continue;
    return [gl] {
      using MakeCurrent = unsigned(Handle, Handle, Handle, Handle);
      using Destroy = unsigned(Handle, Handle);
      gl->library.get<MakeCurrent>("eglMakeCurrent")(gl->display, nullptr, nullptr, nullptr);
      gl->library.get<Destroy>("eglDestroyContext")(gl->display, gl->context);
    };
  }
  return {};
}

std::function<void()> try_osmesa(int width, int height) {
  using Create = Handle(unsigned, int, int, int, Handle);
  using MakeCurrent = unsigned char(Handle, void*, unsigned, int, int);
  using Destroy = void(Handle);
  constexpr unsigned kRgba = 0x1908, kUnsignedByte = 0x1401;
  const Library library("libOSMesa.so.8");
  if (!library) return {};
  const Handle context = library.get<Create>("OSMesaCreateContextExt")(kRgba, 24, 8, 0, nullptr);
  if (context == nullptr) return {};
  auto pixels = std::make_shared<std::vector<unsigned char>>(
      std::size_t{4} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  if (!library.get<MakeCurrent>("OSMesaMakeCurrent")(context, pixels->data(), kUnsignedByte, width,
                                                     height)) {
    return {};
  }
  setenv("MUJOCO_GL", "osmesa", 1);  // tells libmujoco which loader of GL functions to ask
  return [library, context, pixels] { library.get<Destroy>("OSMesaDestroyContext")(context); };
}

}  // namespace

GlContext GlContext::create(int width, int height) {
  const char* variable = std::getenv("MUJOCO_GL");
  const std::string_view wish = variable == nullptr ? "" : variable;
  if (wish != "osmesa") {
    if (auto release = try_egl()) return {"EGL", std::move(release)};
  }
  if (wish != "egl") {
    if (auto release = try_osmesa(width, height)) return {"OSMesa", std::move(release)};
  }
  throw InputError(
      "video needs offscreen OpenGL and neither EGL nor OSMesa works here; on Debian: "
      "apt-get install libegl1 libgl1-mesa-dri (or libosmesa6)");
}

GlContext::GlContext(GlContext&& other) noexcept
    : backend_(std::move(other.backend_)), release_(std::exchange(other.release_, {})) {}

GlContext::~GlContext() {
  if (release_) release_();
}

}  // namespace speder::deep
