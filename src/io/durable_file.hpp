#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace speder {

/// A file that appears whole or not at all, and stays after a power cut once commit() has returned:
/// the bytes go to a temporary beside it, are written through to the disk and read back; then the
/// temporary is renamed and the folder written through. What is no regular file (a pipe,
/// /dev/stdout) is written to as it is. Every failure is an InputError that names the file, and the
/// temporary is removed.
class DurableFile {
 public:
  /// Makes the temporary at once, so that a folder that cannot be written is refused before the
  /// work. The temporary is always a new file: a name that is taken, as by a link, is not followed.
  explicit DurableFile(std::filesystem::path path);
  DurableFile(DurableFile&& other) noexcept;
  DurableFile& operator=(DurableFile&&) = delete;
  ~DurableFile();  // without commit(): removes the temporary
  void commit(std::string_view bytes);
  [[nodiscard]] const std::filesystem::path& temporary() const { return temporary_; }

 private:
  void require_same(std::string_view bytes) const;
  [[noreturn]] void fail() const;  // with the reason in errno
  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty when path is written to as it is
  int descriptor_ = -1;
};

/// A log, which others read while it grows: what was added is there or an InputError says that it is not, and stays
/// after a power cut once finish() has returned. A file of that name is replaced, a link is not followed.
class GrowingFile {
 public:
  explicit GrowingFile(std::filesystem::path path);
  GrowingFile(GrowingFile&& other) noexcept;
  GrowingFile& operator=(GrowingFile&&) = delete;
  ~GrowingFile();
  void add(std::string_view bytes) const;
  void finish();

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// Refuses a file that could not be made, before the work that fills it.
void require_writable(const std::filesystem::path& path);

/// Makes a folder and those above it where they are missing, and writes them through: what a run writes into a new
/// folder is not lost with its name. InputError when it cannot be made.
void make_folder(const std::filesystem::path& folder);

/// Renames within a folder and writes the folder through. InputError when it fails.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace speder
