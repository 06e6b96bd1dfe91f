#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <utility>

// How a result store's file is opened and what its failures mean. Private to src/sweep/store.cpp.
namespace speder {

/// The library's exception as an InputError: file, what happened, what to do.
[[noreturn]] void fail_sqlite(const std::filesystem::path& path, const SQLite::Exception& e);

/// Runs body and turns the library's exceptions into InputErrors.
template <class Body>
auto sqlite_guarded(const std::filesystem::path& path, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const SQLite::Exception& e) {
    fail_sqlite(path, e);
  }
}

/// Made with its tables when absent; refused when it belongs to something else or a newer schema.
[[nodiscard]] SQLite::Database open_sqlite_for_writing(const std::filesystem::path& path);
[[nodiscard]] SQLite::Database open_sqlite_for_reading(const std::filesystem::path& path);

}  // namespace speder
