// The module speder._tasks: tasks on MuJoCo, one by one and in vectors. No libtorch.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "speder/core/check.hpp"
#include "speder/deep/sim/controller.hpp"
#include "speder/deep/sim/data/minari.hpp"
#include "speder/deep/sim/env/assets.hpp"
#include "speder/deep/sim/env/env.hpp"
#include "speder/deep/sim/env/task.hpp"
#include "speder/deep/sim/env/vector_env.hpp"
#include "speder/deep/sim/network.hpp"
#include "speder/deep/sim/render/renderer.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace speder::deep {
namespace {

using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

/// A file that cannot be read or written: OSError.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
template <class F>
auto writing(F f) {
  try {
    return f();
  } catch (const InputError& error) {
    throw FileError(error.what());
  }
}
// What is wrong inside a file stays a ValueError.
void require_readable(const std::filesystem::path& path) {
  if (!std::ifstream(path)) throw FileError(path.string() + ": " + std::strerror(errno));
}

std::span<const double> values_of(const Doubles& a) { return {a.data(), a.size()}; }

/// Compiled models are shared by all environments of a task.
struct Model {
  Model(const std::string& task, const std::filesystem::path& packages)
      : physics(load_physics(task, packages_folder(packages))) {}
  [[nodiscard]] const EnvSpec& spec() const { return physics->spec; }
  std::shared_ptr<const Physics> physics;
};

template <class T>
nb::object copied(std::span<const T> values, std::vector<std::size_t> shape) {
  auto* kept = new std::vector<T>(values.begin(), values.end());
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}
nb::object copied(std::span<const double> values) { return copied(values, {values.size()}); }

/// One environment. Episode e of seed k starts as episode e of `speder deep rollout --seed k`.
class Single {
 public:
  Single(const Model& model, bool keep_going)
      : env_(model.physics, {.keep_going = keep_going}), seeds_(0) {}

  void reseed(std::uint64_t seed) {
    seeds_ = SeedTree(seed);
    episode_ = 0;
  }
  nb::object reset() {
    Rng rng = seeds_.stream("episode", episode_++);
    return copied(env_.reset(rng));
  }
  nb::object place(const Doubles& qpos, const Doubles& qvel) {
    return copied(env_.place(values_of(qpos), values_of(qvel)));
  }
  std::tuple<nb::object, double, bool, bool, bool> step(const Doubles& action) {
    const StepResult r = env_.step(values_of(action));
    return {copied(env_.observation()), r.reward, r.terminated, r.truncated, r.unstable};
  }
  [[nodiscard]] nb::object qpos() const { return copied(env_.qpos()); }
  [[nodiscard]] nb::object qvel() const { return copied(env_.qvel()); }
  nb::object render() {
    if (!env_.physics().model)
      throw InputError(env_.spec().name + " has closed-form dynamics and no model to draw");
    if (!renderer_) renderer_ = std::make_unique<Renderer>(*env_.physics().model);
    const auto pixels = renderer_->render(*env_.world().data);
    return copied(std::span<const std::uint8_t>(pixels.data(), pixels.size()),
                  {static_cast<std::size_t>(renderer_->height()),
                   static_cast<std::size_t>(renderer_->width()), 3});
  }

 private:
  Env env_;
  SeedTree seeds_;
  std::uint64_t episode_ = 0;
  std::unique_ptr<Renderer> renderer_;
};

/// An object's memory for as long as this lives, where it is a float32 table in C order of this shape.
class FloatTable {
 public:
  FloatTable(nb::handle given, std::size_t rows, std::size_t columns) {
    if (PyObject_GetBuffer(given.ptr(), &buffer_, PyBUF_ND | PyBUF_FORMAT) != 0) {
      PyErr_Clear();
      return;
    }
    held_ = true;
    fits_ = buffer_.ndim == 2 && static_cast<std::size_t>(buffer_.shape[0]) == rows &&
            static_cast<std::size_t>(buffer_.shape[1]) == columns && buffer_.format != nullptr &&
            std::string_view(buffer_.format) == "f";
  }
  FloatTable(const FloatTable&) = delete;
  FloatTable& operator=(const FloatTable&) = delete;
  ~FloatTable() {
    if (held_) PyBuffer_Release(&buffer_);
  }
  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] std::span<const float> values() const {
    return {static_cast<const float*>(buffer_.buf),
            static_cast<std::size_t>(buffer_.len) / sizeof(float)};
  }

 private:
  Py_buffer buffer_{};
  bool held_ = false;
  bool fits_ = false;
};

/// The memory of `owner`, for as long as one of its arrays lives.
template <class T>
nb::object shown(const T* values, std::vector<std::size_t> shape,
                 const std::shared_ptr<const VectorEnv>& owner) {
  auto* kept = new std::shared_ptr<const VectorEnv>(owner);
  const nb::capsule keeps(
      kept, [](void* p) noexcept { delete static_cast<std::shared_ptr<const VectorEnv>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, const T>(values, shape.size(), shape.data(), keeps));
}

/// Memory for the results of some hundred steps: the arrays of a step are rows of it, which costs less than
/// arrays of their own.
class Block {
 public:
  Block(std::size_t envs, std::size_t observation)
      : rows_(std::clamp<std::size_t>(kBytes / (envs * (4 * observation + 6)), 1, 256)) {
    const nb::object empty = nb::module_::import_("numpy").attr("empty");
    const auto part = [&](std::size_t i, auto& data, const nb::tuple& shape, const char* kind) {
      const nb::object all = empty(shape, kind);
      data = nb::cast<nb::ndarray<std::remove_reference_t<decltype(*data)>>>(all).data();
      parts_[i] = nb::iter(all);
    };
    part(0, observations_, nb::make_tuple(rows_, envs, observation), "f4");
    part(1, rewards_, nb::make_tuple(rows_, envs), "f4");
    part(2, terminated_, nb::make_tuple(rows_, envs), "?");
    part(3, truncated_, nb::make_tuple(rows_, envs), "?");
  }
  [[nodiscard]] bool full() const { return next_ == rows_; }
  /// Puts the next row of every part, with the results of the last step, into the first places of `out`.
  void take(const VectorEnv& env, nb::handle out) {
    copy(env.observations(), observations_);
    copy(env.rewards(), rewards_);
    copy(env.terminated(), terminated_);
    copy(env.truncated(), truncated_);
    ++next_;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      PyObject* const row = PyIter_Next(parts_[i].ptr());
      if (row == nullptr) throw nb::python_error();
      PyTuple_SetItem(out.ptr(), static_cast<Py_ssize_t>(i), row);
    }
  }

 private:
  static constexpr std::size_t kBytes = 1 << 20;
  template <class T, class To>
  void copy(std::span<const T> from, To* to) const {
    std::copy(from.begin(), from.end(), to + next_ * from.size());
  }
  std::size_t rows_;
  std::size_t next_ = 0;
  std::array<nb::object, 4> parts_;
  float* observations_ = nullptr;
  float* rewards_ = nullptr;
  bool* terminated_ = nullptr;
  bool* truncated_ = nullptr;
};

/// N environments. copy = false: every step gives the same arrays, which show their buffers.
class Vectorised {
 public:
  Vectorised(const Model& model, int envs, int threads, bool copy)
      : physics_(model.physics),
        options_{.envs = envs, .threads = threads},
        brief_(physics_->model == nullptr && envs <= kBriefEnvs && threads == 1),
        copy_(copy) {
    reseed(0);
  }
  void reseed(std::uint64_t seed) {
    env_ = std::make_shared<VectorEnv>(physics_, options_, SeedTree(seed));
    if (copy_) return;
    const auto n = static_cast<std::size_t>(env_->size());
    const auto flags = [](std::span<const std::uint8_t> f) {
      return reinterpret_cast<const bool*>(f.data());
    };
    buffers_ = {shown(env_->observations().data(), {n, width()}, env_),
                shown(env_->rewards().data(), {n}, env_),
                shown(flags(env_->terminated()), {n}, env_),
                shown(flags(env_->truncated()), {n}, env_)};
  }
  nb::object reset() {
    {
      const nb::gil_scoped_release free;
      env_->reset();
    }
    return copy_ ? table(env_->observations()) : buffers_.front();
  }
  /// (observations, rewards, terminated, truncated, info). None, and nothing has moved: the actions are to be
  /// made a float32 table in C order of (N, A) first.
  nb::object step(nb::handle actions) {
    const FloatTable given(actions, static_cast<std::size_t>(env_->size()),
                           static_cast<std::size_t>(env_->spec().action_size));
    if (!given.fits()) return nb::none();
    if (brief_) {
      env_->step(given.values());
    } else {
      const nb::gil_scoped_release free;
      env_->step(given.values());
    }
    // Python's own functions: nanobind's wrappers cost as much as a small environment.
    const nb::object out = nb::steal(PyTuple_New(5));
    const nb::object info = nb::steal(PyDict_New());
    if (!out.is_valid() || !info.is_valid()) throw nb::python_error();
    PyTuple_SetItem(out.ptr(), 4, info.inc_ref().ptr());
    if (any(env_->terminated()) || any(env_->truncated())) {
      info["final_obs"] = table(env_->next_observations());
      info["_final_obs"] = ended();
    }
    if (!copy_) {
      for (std::size_t i = 0; i < buffers_.size(); ++i)
        PyTuple_SetItem(out.ptr(), static_cast<Py_ssize_t>(i), buffers_[i].inc_ref().ptr());
      return out;
    }
    if (!block_ || block_->full())
      block_ = std::make_unique<Block>(static_cast<std::size_t>(env_->size()), width());
    block_->take(*env_, out);
    return out;
  }
  /// The same actions n times without coming back to Python: what a step costs in C++ alone.
  void repeat(const Floats& actions, int n) {
    const nb::gil_scoped_release free;
    for (int i = 0; i < n; ++i) env_->step({actions.data(), actions.size()});
  }

 private:
  static constexpr int kBriefEnvs =
      256;  // some tens of microseconds where the dynamics are in closed form

  [[nodiscard]] std::size_t width() const {
    return static_cast<std::size_t>(env_->spec().observation_size);
  }
  [[nodiscard]] nb::object table(std::span<const float> values) const {
    return copied(values, {static_cast<std::size_t>(env_->size()), width()});
  }
  static bool any(std::span<const std::uint8_t> flags) {
    return std::any_of(flags.begin(), flags.end(), [](std::uint8_t f) { return f != 0; });
  }
  // Whose episode has ended.
  [[nodiscard]] nb::object ended() const {
    const auto n = static_cast<std::size_t>(env_->size());
    auto* kept = new bool[n];
    const nb::capsule owner(kept, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
    std::transform(env_->terminated().begin(), env_->terminated().end(), env_->truncated().begin(),
                   kept, [](auto one, auto other) { return (one | other) != 0; });
    return nb::cast(nb::ndarray<nb::numpy, bool>(kept, 1, &n, owner));
  }
  std::shared_ptr<const Physics> physics_;
  VectorOptions options_;
  bool brief_;
  bool copy_;
  std::shared_ptr<VectorEnv> env_;
  std::array<nb::object, 4> buffers_;
  std::unique_ptr<Block> block_;
};

/// A policy file of `speder deep train`.
class SavedPolicy {
 public:
  explicit SavedPolicy(const std::filesystem::path& path)
      : layers_(read(path)), act_(network_controller(path, spec())) {}
  [[nodiscard]] EnvSpec spec() const {
    EnvSpec sizes;
    sizes.observation_size = static_cast<int>(layers_.front().weight.cols());
    sizes.action_size = static_cast<int>(layers_.back().bias.size());
    return sizes;
  }
  [[nodiscard]] nb::object actions(const Doubles& observations) const {  // (N × D)
    const auto d = static_cast<std::size_t>(spec().observation_size);
    const auto a = static_cast<std::size_t>(spec().action_size);
    const std::size_t n = observations.size() / d;
    std::vector<double> out(n * a);
    {
      const nb::gil_scoped_release free;
      for (std::size_t i = 0; i < n; ++i)
        act_(values_of(observations).subspan(i * d, d), std::span(out).subspan(i * a, a));
    }
    return copied(std::span<const double>(out), {n, a});
  }
  void to_onnx(const std::filesystem::path& path) const {
    writing([&] { write_onnx(path, layers_); });
  }

 private:
  static std::vector<NetworkLayer> read(const std::filesystem::path& path) {
    require_readable(path);
    return read_network(path);
  }
  std::vector<NetworkLayer> layers_;
  Controller act_;
};

// The episodes of `speder deep rollout` with the same seed, as a Minari data set; the return of each.
std::vector<double> rollout(const Model& model, const std::string& policy, int episodes,
                            std::uint64_t seed, const std::filesystem::path& folder) {
  require(episodes >= 1, "episodes must be at least 1", episodes);
  const nb::gil_scoped_release free;
  if (policy != "random" && policy != "zero") require_readable(policy);
  const SeedTree seeds(seed);
  Rng noise = seeds.stream("policy");
  const Controller act = policy == "random" ? random_controller(noise)
                         : policy == "zero" ? zero_controller()
                                            : network_controller(policy, model.spec());
  Env env(model.physics);
  std::vector<Trajectory> all;
  std::vector<double> returns;
  for (int e = 0; e < episodes; ++e) {
    Rng rng = seeds.stream("episode", static_cast<std::uint64_t>(e));
    env.reset(rng);
    all.push_back(run_episode(env, act, {}));
    returns.push_back(all.back().total_reward());
  }
  writing([&] { write_minari(folder, model.spec(), all); });
  return returns;
}

}  // namespace
}  // namespace speder::deep

NB_MODULE(_tasks, m) {
  using namespace speder::deep;
  m.doc() = "Tasks of speder on MuJoCo; use the package speder.";
  nb::set_leak_warnings(false);
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const speder::InputError& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const FileError& e) {
      PyErr_SetString(PyExc_OSError, e.what());
    }
  });
  m.def("task_names", [] {
    std::vector<std::string> out;
    for (const Task& task : tasks()) out.emplace_back(task.name);
    return out;
  });
  nb::class_<Model>(m, "Model", "A task with its compiled model.")
      .def(nb::init<const std::string&, const std::filesystem::path&>())
      .def_prop_ro("name", [](const Model& x) { return x.spec().name; })
      .def_prop_ro("suite", [](const Model& x) { return x.spec().suite; })
      .def_prop_ro("observation_size", [](const Model& x) { return x.spec().observation_size; })
      .def_prop_ro("action_size", [](const Model& x) { return x.spec().action_size; })
      .def_prop_ro("max_steps", [](const Model& x) { return x.spec().max_steps; })
      .def_prop_ro("control_step", [](const Model& x) { return x.spec().control_step; })
      .def_prop_ro("drawable", [](const Model& x) { return x.physics->model != nullptr; });
  nb::class_<Single>(m, "Single", "One environment.")
      .def(nb::init<const Model&, bool>())
      .def("reseed", &Single::reseed)
      .def("reset", &Single::reset)
      .def("place", &Single::place, "qpos"_a, "qvel"_a)
      .def("step", &Single::step)
      .def("render", &Single::render)
      .def_prop_ro("qpos", &Single::qpos)
      .def_prop_ro("qvel", &Single::qvel);
  m.def("rollout", &rollout, "model"_a, "policy"_a, "episodes"_a, "seed"_a, "folder"_a);
  nb::class_<SavedPolicy>(m, "SavedPolicy", "A network policy from its file.")
      .def(nb::init<const std::filesystem::path&>())
      .def_prop_ro("observation_size",
                   [](const SavedPolicy& p) { return p.spec().observation_size; })
      .def_prop_ro("action_size", [](const SavedPolicy& p) { return p.spec().action_size; })
      .def("actions", &SavedPolicy::actions)
      .def("to_onnx", &SavedPolicy::to_onnx);
  nb::class_<Vectorised>(m, "Vectorised", "Environments stepped together.")
      .def(nb::init<const Model&, int, int, bool>())
      .def("reseed", &Vectorised::reseed)
      .def("reset", &Vectorised::reset)
      .def("step", &Vectorised::step, "actions"_a.none())
      .def("repeat", &Vectorised::repeat);
}
