#pragma once

#include <filesystem>
#include <optional>

namespace speder {

/// An exclusive lock held through a file for as long as the object lives; the system releases it
/// when the process dies, however it dies. The file is removed on release.
class FileLock {
 public:
  /// Empty when another process holds it. InputError when the file cannot be made.
  static std::optional<FileLock> acquire(const std::filesystem::path& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  FileLock(std::filesystem::path path, int descriptor);
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace speder
