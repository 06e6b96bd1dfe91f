#pragma once

namespace speder {

/// Around calls of a library that does not survive a lack of memory. HDF5 1.10 calls itself until the stack is full,
/// follows null pointers or calls exit; MuJoCo aborts. While a guard lives, that is one line on standard error and
/// exit code 2. A handler that somebody else has set, as sanitizers do, is left alone.
class LibraryGuard {
 public:
  explicit LibraryGuard(const char* library);
  LibraryGuard(const LibraryGuard&) = delete;
  LibraryGuard& operator=(const LibraryGuard&) = delete;
  ~LibraryGuard();
  /// Standard error as the library sees it leads nowhere until the end of the program or of this guard.
  void silence();

 private:
  int nowhere_ = -1;
};

}  // namespace speder
