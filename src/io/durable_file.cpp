#include "speder/io/durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "speder/core/check.hpp"

namespace speder {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_write(const fs::path& path, int reason) {
  throw InputError(fmt::format("{}: could not be written ({})", path.string(),
                               reason == ENOSPC || reason == EDQUOT ? "disk full"
                               : reason == EFBIG ? "larger than a file may be here"
                                                 : std::strerror(reason)));
}

bool written_as_it_is(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
}

// A folder on a file system that cannot write folders through (EINVAL) is left to it.
void sync_folder_of(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 && errno == EACCES) return;  // a folder that may be written to but not listed
  if (descriptor < 0) fail_to_write(path, errno);
  const bool synced = ::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP;
  const int reason = errno;
  ::close(descriptor);
  if (!synced) fail_to_write(path, reason);
}

void write_all(int descriptor, const fs::path& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_to_write(path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

DurableFile::DurableFile(fs::path path) : path_(std::move(path)) {
  constexpr mode_t kMode = 0666;
  constexpr int kNames = 100;  // killed processes may have left theirs
  if (written_as_it_is(path_)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail();
    return;
  }
  for (int i = 0; descriptor_ < 0 && i < kNames; ++i) {
    temporary_ = path_;
    temporary_ +=
        i == 0 ? fmt::format(".{}.tmp", ::getpid()) : fmt::format(".{}.{}.tmp", ::getpid(), i);
    descriptor_ =
        ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode);
    if (descriptor_ < 0 && errno != EEXIST) fail();
  }
  if (descriptor_ < 0) fail();
}

DurableFile::DurableFile(DurableFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

DurableFile::~DurableFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void DurableFile::fail() const { fail_to_write(path_, errno); }

void DurableFile::require_same(std::string_view bytes) const {
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED);  // from the disk where it can be
  std::array<char, 1U << 16U> read{};
  off_t at = 0;
  while (true) {
    const ssize_t n = ::pread(descriptor_, read.data(), read.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail();
    const std::string_view part(read.data(), static_cast<std::size_t>(n));
    if (part != bytes.substr(static_cast<std::size_t>(at), part.size()) ||
        (n == 0 && static_cast<std::size_t>(at) != bytes.size())) {
      throw InputError(path_.string() + ": could not be written (it reads back as other bytes)");
    }
    if (n == 0) return;
    at += n;
  }
}

void DurableFile::commit(std::string_view bytes) {
  write_all(descriptor_, path_, bytes);
  if (!temporary_.empty()) {
    if (::fsync(descriptor_) != 0) fail();
    require_same(bytes);
  }
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0 && errno != EINTR) {
    const int reason = errno;
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    fail_to_write(path_, reason);
  }
  if (temporary_.empty()) return;
  try {
    rename_durably(temporary_, path_);
  } catch (const InputError&) {
    ::unlink(temporary_.c_str());
    throw;
  }
}

GrowingFile::GrowingFile(fs::path path)
    : path_(std::move(path)),
      descriptor_(
          ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail_to_write(path_, errno);
}

GrowingFile::GrowingFile(GrowingFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

GrowingFile::~GrowingFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void GrowingFile::add(std::string_view bytes) const { write_all(descriptor_, path_, bytes); }

void GrowingFile::finish() {
  if (::fsync(descriptor_) != 0) fail_to_write(path_, errno);
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail_to_write(path_, errno);
  sync_folder_of(path_);
}

void require_writable(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored) || !written_as_it_is(path)) DurableFile{path};
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> missing;
  for (fs::path part = folder.has_filename() ? folder : folder.parent_path();
       !part.empty() && !fs::exists(part, error) && !error; part = part.parent_path()) {
    missing.push_back(part);
  }
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder, error)) {
    throw InputError(fmt::format("{}: the folder cannot be made ({})", folder.string(),
                                 error ? error.message() : "there is a file of that name"));
  }
  for (const fs::path& part : missing) sync_folder_of(part);
}

void rename_durably(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail_to_write(to, errno);
  sync_folder_of(to);
}

}  // namespace speder
