#include "speder/deep/sim/render/renderer.hpp"

#include <algorithm>
#include <stdexcept>

#include "speder/deep/sim/render/gl_context.hpp"

namespace speder::deep {
namespace {

constexpr int kWidth = 640, kHeight = 480, kMaxGeoms = 2000, kShadowMap = 1024;
constexpr int kRootBody = 1;

/// The model's own first camera, else one that follows the root body from the side.
mjvCamera choose_camera(const mjModel& model) {
  mjvCamera camera;
  mjv_defaultFreeCamera(&model, &camera);
  if (model.ncam > 0) {
    camera.type = mjCAMERA_FIXED;
    camera.fixedcamid = 0;
  } else if (model.nbody > kRootBody) {
    camera.type = mjCAMERA_TRACKING;
    camera.trackbodyid = kRootBody;
    camera.elevation = -20;
  }
  return camera;
}

/// A copy with smaller shadow maps: half the time per frame where OpenGL runs on the processor.
ModelPtr for_drawing(const mjModel& model) {
  ModelPtr copy(mj_copyModel(nullptr, &model));
  if (!copy) throw std::runtime_error("MuJoCo could not copy the model");
  copy->vis.quality.shadowsize = std::min(copy->vis.quality.shadowsize, kShadowMap);
  return copy;
}

}  // namespace

struct Renderer::State {
  explicit State(const mjModel& m)
      : model(for_drawing(m)),
        viewport{0, 0, std::min(kWidth, m.vis.global.offwidth),
                 std::min(kHeight, m.vis.global.offheight)},
        gl(GlContext::create(viewport.width, viewport.height)),
        camera(choose_camera(m)) {
    mjv_defaultOption(&option);
    mjv_defaultScene(&scene);
    mjv_makeScene(model.get(), &scene, kMaxGeoms);
    mjr_defaultContext(&context);
    mjr_makeContext(model.get(), &context, mjFONTSCALE_100);
    mjr_setBuffer(mjFB_OFFSCREEN, &context);
    pixels.resize(std::size_t{3} * static_cast<std::size_t>(viewport.width) *
                  static_cast<std::size_t>(viewport.height));
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    mjr_freeContext(&context);
    mjv_freeScene(&scene);
  }

  ModelPtr model;
  mjrRect viewport;
  GlContext gl;  // before the MuJoCo context, and destroyed after it
  mjvCamera camera;
  mjvOption option{};
  mjvScene scene{};
  mjrContext context{};
  std::vector<std::uint8_t> pixels;
};

Renderer::Renderer(const mjModel& model) : state_(std::make_unique<State>(model)) {}
Renderer::~Renderer() = default;

int Renderer::width() const { return state_->viewport.width; }
int Renderer::height() const { return state_->viewport.height; }
const std::string& Renderer::backend() const { return state_->gl.backend(); }

const std::vector<std::uint8_t>& Renderer::render(mjData& data) {
  State& s = *state_;
  mjv_updateScene(s.model.get(), &data, &s.option, nullptr, &s.camera, mjCAT_ALL, &s.scene);
  mjr_render(s.viewport, &s.scene, &s.context);
  mjr_readPixels(s.pixels.data(), nullptr, s.viewport, &s.context);
  return s.pixels;
}

}  // namespace speder::deep
