// The module speder._tasks: tasks on MuJoCo, one by one and in vectors. No libtorch.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
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

template <class T>
using Rows = nb::ndarray<T, nb::c_contig, nb::device::cpu>;  // written to

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

/// N environments. Every step writes its results into the next row of a block of arrays that Python gave, so
/// that making arrays costs a step next to nothing; without a block they stay in buffers().
class Vectorised {
 public:
  enum Told {
    kNotFloats = -1,
    kWentOn = 0,
    kEnded = 1,
    kBlockFull = 2
  };  // the last two may be added

  Vectorised(const Model& model, int envs, int threads)
      : physics_(model.physics),
        options_{.envs = envs, .threads = threads},
        brief_(physics_->model == nullptr && envs <= kBriefEnvs && threads == 1) {
    reseed(0);
  }
  void reseed(std::uint64_t seed) {
    env_ = std::make_unique<VectorEnv>(physics_, options_, SeedTree(seed));
  }
  void reset() {
    const nb::gil_scoped_release free;
    env_->reset();
  }
  /// Observations (K × N × D), rewards, terminated, truncated (K × N) for the next K steps.
  void write_into(const Rows<float>& observations, const Rows<float>& rewards,
                  const Rows<std::uint8_t>& terminated, const Rows<std::uint8_t>& truncated) {
    const std::size_t rows = rewards.shape(0);
    if (rewards.size() != rows * env_->rewards().size() ||
        observations.size() != rows * env_->observations().size() ||
        terminated.size() != rewards.size() || truncated.size() != rewards.size())
      throw InputError("the arrays of a block have other sizes than the environments");
    block_ = {observations, rewards, terminated, truncated, rows, 0};
  }
  /// kNotFloats: nothing has moved, the actions are to be converted first.
  int step(nb::handle actions) {
    const EnvSpec& sizes = env_->spec();
    const FloatTable given(actions, static_cast<std::size_t>(env_->size()),
                           static_cast<std::size_t>(sizes.action_size));
    if (!given.fits()) return kNotFloats;
    if (brief_) {
      env_->step(given.values());
    } else {
      const nb::gil_scoped_release free;
      env_->step(given.values());
    }
    int told = any(env_->terminated()) || any(env_->truncated()) ? kEnded : kWentOn;
    if (block_.next < block_.rows) {
      copy_row(env_->observations(), block_.observations.data());
      copy_row(env_->rewards(), block_.rewards.data());
      copy_row(env_->terminated(), block_.terminated.data());
      copy_row(env_->truncated(), block_.truncated.data());
      if (++block_.next == block_.rows) told += kBlockFull;
    }
    return told;
  }
  /// The same actions n times without coming back to Python: what a step costs in C++ alone.
  void repeat(const Floats& actions, int n) {
    const nb::gil_scoped_release free;
    for (int i = 0; i < n; ++i) env_->step({actions.data(), actions.size()});
  }
  /// observations, next_observations, rewards, terminated, truncated: written anew by every step.
  nb::tuple buffers(nb::handle self) {
    const auto n = static_cast<std::size_t>(env_->size());
    const auto d = static_cast<std::size_t>(env_->spec().observation_size);
    return nb::make_tuple(shown(env_->observations(), {n, d}, self),
                          shown(env_->next_observations(), {n, d}, self),
                          shown(env_->rewards(), {n}, self), shown(env_->terminated(), {n}, self),
                          shown(env_->truncated(), {n}, self));
  }

 private:
  static constexpr int kBriefEnvs =
      256;  // some tens of microseconds where the dynamics are in closed form

  struct Block {
    Rows<float> observations, rewards;
    Rows<std::uint8_t> terminated, truncated;
    std::size_t rows = 0;
    std::size_t next = 0;
  };
  static bool any(std::span<const std::uint8_t> flags) {
    return std::any_of(flags.begin(), flags.end(), [](std::uint8_t f) { return f != 0; });
  }
  template <class T>
  void copy_row(std::span<const T> from, T* block) const {
    std::copy(from.begin(), from.end(), block + block_.next * from.size());
  }
  template <class T>
  static nb::object shown(std::span<const T> values, std::vector<std::size_t> shape,
                          nb::handle self) {
    return nb::cast(
        nb::ndarray<nb::numpy, const T>(values.data(), shape.size(), shape.data(), self));
  }
  std::shared_ptr<const Physics> physics_;
  VectorOptions options_;
  bool brief_;
  std::unique_ptr<VectorEnv> env_;
  Block block_;
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
      .def(nb::init<const Model&, int, int>())
      .def("reseed", &Vectorised::reseed)
      .def("reset", &Vectorised::reset)
      .def("write_into", &Vectorised::write_into)
      .def("step", &Vectorised::step)
      .def("repeat", &Vectorised::repeat)
      .def("buffers", [](nb::handle self) { return nb::cast<Vectorised&>(self).buffers(self); });
}
