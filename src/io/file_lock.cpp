#include "speder/io/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "speder/core/check.hpp"

namespace speder {
namespace {

// The holder removes the file before it lets go, so a lock counts only while path names our file.
bool still_named(const std::filesystem::path& path, int descriptor) {
  struct stat held {};
  struct stat named {};
  return ::fstat(descriptor, &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

}  // namespace

std::optional<FileLock> FileLock::acquire(const std::filesystem::path& path) {
  constexpr int kAttempts = 100;  // each failed one means that a holder has just left
  constexpr mode_t kMode = 0644;
  for (int i = 0; i < kAttempts; ++i) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kMode);
    if (descriptor < 0) {
      throw InputError(fmt::format("{}: cannot be written ({}); choose a folder you may write to",
                                   path.string(), std::strerror(errno)));
    }
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      ::close(descriptor);
      if (reason == EWOULDBLOCK) return std::nullopt;
      throw InputError(
          fmt::format("{}: cannot be locked ({})", path.string(), std::strerror(reason)));
    }
    if (still_named(path, descriptor)) return FileLock(path, descriptor);
    ::close(descriptor);
  }
  return std::nullopt;
}

FileLock::FileLock(std::filesystem::path path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace speder
