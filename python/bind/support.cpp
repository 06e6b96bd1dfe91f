#include "support.hpp"

#include <nanobind/stl/string.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "speder/core/check.hpp"
#include "speder/sweep/stop_signal.hpp"

namespace speder::python {
namespace {

struct Left {
  std::mutex mutex;
  std::vector<std::shared_ptr<void>> all;
};
Left& left() {
  static auto* const kept = new Left;  // never destroyed: a worker may outlive the statics
  return *kept;
}

// An exit handler, called when Python has been finalised and has written its files. Destructors of statics must
// not run beside a thread that still works, so the process ends here.
void leave(int status, void*) {
  std::fflush(nullptr);
  ::_exit(status);
}

}  // namespace

nb::object view(const Mdp& mdp, const double* data, Shape shape) {
  auto* kept = new std::shared_ptr<const TabularMdp>(mdp.held);
  const nb::capsule owner(
      kept, [](void* p) noexcept { delete static_cast<std::shared_ptr<const TabularMdp>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, const double>(data, shape.size(), shape.data(), owner));
}

Policy policy_of(const nb::object& given, Index states, Index actions) {
  if (Array table; nb::try_cast(given, table, false) && table.ndim() == 2) {
    if (table.shape(0) != size(states) || table.shape(1) != size(actions))
      throw InputError(fmt::format("policy: has shape ({}, {}), expected ({}, {}) probabilities",
                                   table.shape(0), table.shape(1), states, actions));
    const nb::gil_scoped_release free;
    return Policy::stochastic(Eigen::Map<const Matrix>(table.data(), states, actions));
  }
  const auto choice = nb::cast<Integers>(given);
  if (choice.ndim() != 1 || choice.size() != size(states))
    throw InputError(fmt::format("policy: has {} actions, expected one for each of {} states",
                                 choice.size(), states));
  std::vector<std::int32_t> out;
  out.reserve(choice.size());
  for (std::size_t s = 0; s < choice.size(); ++s) {
    const std::int64_t a = choice.data()[s];
    if (a < 0 || a >= actions)
      throw InputError(
          fmt::format("policy: action {} in state {}; the actions are 0 .. {}", a, s, actions - 1));
    out.push_back(static_cast<std::int32_t>(a));
  }
  return Policy::deterministic(std::move(out), actions);
}

void add_errors() {
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const InputError& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const FileError& e) {
      PyErr_SetString(PyExc_OSError, e.what());
    } catch (const Interrupted& e) {
      PyErr_SetString(PyExc_KeyboardInterrupt, e.what());
    } catch (const std::filesystem::filesystem_error& e) {
      PyErr_SetString(PyExc_OSError, e.what());
    }
  });
}

bool unreadable(const std::filesystem::path& path) {
  std::error_code ignored;
  return !std::filesystem::is_regular_file(path, ignored) || access(path.c_str(), R_OK) != 0;
}

void abandon(std::thread worker) {
  static std::once_flag once;
  std::call_once(once, [] { ::on_exit(leave, nullptr); });
  worker.detach();
}

void leave_to_python(std::shared_ptr<void> done) {
  const std::lock_guard lock(left().mutex);
  left().all.push_back(std::move(done));
}

void give_back() {
  // Destroyed after the mutex is free again: Python may call us meanwhile.
  std::vector<std::shared_ptr<void>> all;
  const std::lock_guard lock(left().mutex);
  all.swap(left().all);
}

bool on_main_thread() { return getpid() == gettid(); }

}  // namespace speder::python
