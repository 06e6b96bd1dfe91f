#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include "speder/core/types.hpp"
#include "speder/mdp/model/policy.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"
#include "speder/plots/figure.hpp"

namespace speder::python {

namespace nb = nanobind;

/// An array as the Python side hands it over: float64, C order, any number of axes. Read in place.
using Array = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;
using Shape = std::vector<std::size_t>;

[[nodiscard]] inline std::span<const double> values_of(const Array& a) {
  return {a.data(), a.size()};
}
[[nodiscard]] inline Vector vector_of(const Array& a) {
  return Eigen::Map<const Vector>(a.data(), static_cast<Index>(a.size()));
}

/// The numbers themselves move into the array: nothing is copied.
template <class T>
nb::object owned(std::vector<T> values, Shape shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}
template <class Table>
requires std::is_same_v<typename Table::Scalar, double> nb::object owned(Table values,
                                                                         Shape shape) {
  auto* kept = new Table(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Table*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, double>(kept->data(), shape.size(), shape.data(), owner));
}
[[nodiscard]] inline nb::object owned(Vector v) {
  const auto n = static_cast<std::size_t>(v.size());
  return owned(std::move(v), Shape{n});
}

/// An MDP never changes: its tables are shown as they lie in memory, read-only, and keep it alive.
struct Mdp {
  std::shared_ptr<const TabularMdp> held;
  [[nodiscard]] const TabularMdp& operator*() const { return *held; }
  [[nodiscard]] const TabularMdp* operator->() const { return held.get(); }
};
[[nodiscard]] nb::object view(const Mdp& mdp, const double* data, Shape shape);

[[nodiscard]] inline std::size_t size(Index n) { return static_cast<std::size_t>(n); }

/// A policy as (S) actions or (S × A) probabilities.
[[nodiscard]] Policy policy_of(const nb::object& given, Index states, Index actions);

/// std::invalid_argument and InputError become ValueError. A path that cannot be read, or anything
/// written that fails, becomes OSError.
void add_errors();
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
template <class F>
auto reading(const std::filesystem::path& path, F f) -> decltype(f());
template <class F>
auto writing(F f) -> decltype(f());
[[nodiscard]] bool unreadable(const std::filesystem::path& path);

template <class F>
auto reading(const std::filesystem::path& path, F f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::runtime_error& error) {
    if (unreadable(path)) throw FileError(error.what());
    throw;
  }
}
template <class F>
auto writing(F f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::runtime_error& error) {
    throw FileError(error.what());
  }
}

/// Nobody waits for the result any more, nor does the end of the process.
void abandon(std::thread worker);
/// What a worker worked on and what it found may be Python's, whose lock it does not have, and asking for it would end
/// the process while Python ends. So the last reference is left to the next call on the main thread.
void leave_to_python(std::shared_ptr<void> done);
void give_back();
[[nodiscard]] bool on_main_thread();

/// Calls f(stop) without the interpreter's lock. On the main thread another thread does the work, so that
/// Ctrl-C is seen at once: `stop` becomes true and KeyboardInterrupt is raised. A computation that looks at
/// `stop` is waited for; another one (patient = false) ends by itself and its result is dropped, so f owns
/// what it works on. `brief`: too short for any of this.
struct Call {
  bool brief = false;
  bool patient = false;
};
/// Numbers in φ that planning takes some hundredths of a second for: nobody presses Ctrl-C.
inline constexpr Index kBriefWork = 1'000'000;
[[nodiscard]] inline bool brief(const TabularMdp& mdp) {
  return mdp.pairs() * mdp.rank() <= kBriefWork;
}
template <class F>
auto without_lock(Call call, F f) {
  using Result = std::invoke_result_t<F, const std::atomic<bool>&>;
  struct Shared {
    explicit Shared(F given) : f(std::move(given)) {}
    F f;
    std::mutex mutex;
    std::condition_variable changed;
    std::atomic<bool> stop{false};
    bool done = false;
    std::optional<Result> result;
    std::exception_ptr error;
  };
  const auto shared = std::make_shared<Shared>(std::move(f));
  if (call.brief || !on_main_thread()) {
    const nb::gil_scoped_release free;
    return shared->f(shared->stop);
  }
  give_back();
  std::thread worker([mine = shared]() mutable {
    std::optional<Result> result;
    std::exception_ptr error;
    try {
      result.emplace(mine->f(mine->stop));
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard lock(mine->mutex);
      mine->result = std::move(result);
      mine->error = error;
      mine->done = true;
      mine->changed.notify_all();
    }
    leave_to_python(std::move(mine));
  });
  const auto wait = [&](std::chrono::milliseconds patience) {
    const nb::gil_scoped_release free;
    std::unique_lock lock(shared->mutex);
    return shared->changed.wait_for(lock, patience, [&] { return shared->done; });
  };
  constexpr std::chrono::milliseconds kLook{50};
  while (!wait(kLook)) {
    if (PyErr_CheckSignals() == 0) continue;
    nb::python_error interrupt;
    shared->stop = true;
    if (call.patient) {
      while (!wait(kLook)) {
      }
      worker.join();
      give_back();
    } else {
      abandon(std::move(worker));
    }
    throw interrupt;
  }
  worker.join();
  give_back();
  if (shared->error) std::rethrow_exception(shared->error);
  return std::move(*shared->result);
}

/// A figure as the text of an SVG file.
[[nodiscard]] std::string svg_of(const Figure& figure);

// One file beside this one each.
void add_mdp(nb::module_& m);
void add_solvers(nb::module_& m);
void add_learn(nb::module_& m);
void add_studies(nb::module_& m);
void add_figures(nb::module_& m);

}  // namespace speder::python
