#pragma once

#include <hdf5.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "speder/core/check.hpp"
#include "speder/io/library_guard.hpp"

// Shared by the files of H5File; nobody else includes the HDF5 C API.
namespace speder::h5 {

// A library handle with its closing function.
class Handle {
 public:
  Handle(hid_t id, herr_t (*closer)(hid_t)) : id_(id), close_(closer) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool ok() const { return id_ >= 0; }
  /// False when the library could not close it: what it had buffered may be lost.
  [[nodiscard]] bool close() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// What the library gave back, unless it failed: it does so without a word, on damaged files and when memory
/// is short, and a missing table is not a table that could not be looked for.
template <class Result>
Result sound(Result result, const std::filesystem::path& path) {
  if (result < 0)
    throw InputError(path.string() + ": the HDF5 library failed (damaged, or too little memory)");
  return result;
}

/// While one lives, the end of the library is one line and exit code 2.
struct Inside : LibraryGuard {
  Inside() : LibraryGuard("HDF5") {}
};

[[noreturn]] inline void fail(const std::filesystem::path& path, std::string_view what,
                              std::string_view problem) {
  throw ConfigError(path.string(), what, problem);
}

}  // namespace speder::h5
