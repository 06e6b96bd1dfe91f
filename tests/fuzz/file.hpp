#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "speder/core/check.hpp"

namespace speder::fuzz {

using Bytes = std::span<const std::uint8_t>;

/// The bytes as a file; HDF5 does not open what is in memory only.
class File {
 public:
  explicit File(Bytes bytes, const char* ending = "")
      : path_(std::filesystem::temp_directory_path() /
              ("speder_fuzz_" + std::to_string(::getpid()) + ending)) {
    std::ofstream out(path_, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    require(static_cast<bool>(out.flush()), "no room for a file");
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

template <class Read>
bool accepted(const Read& read) {
  try {
    read();
    return true;
  } catch (const InputError&) {  // refused, with a message
    return false;
  } catch (const std::invalid_argument&) {  // the same, from a type's own door
    return false;
  }
}

}  // namespace speder::fuzz
