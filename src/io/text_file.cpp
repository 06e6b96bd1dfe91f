#include "speder/io/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "speder/core/check.hpp"
#include "speder/io/durable_file.hpp"

namespace speder {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_read(const fs::path& file, std::string_view problem) {
  throw InputError(fmt::format("{}: {}", file.string(), problem));
}

class Descriptor {
 public:
  explicit Descriptor(
      const fs::path& file)  // O_NONBLOCK: a pipe without a writer is not waited for
      : value_(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  [[nodiscard]] int value() const { return value_; }

 private:
  int value_;
};

}  // namespace

void write_text_file(const fs::path& file, std::string_view text) {
  DurableFile(file).commit(text);
}

std::string read_text_file(const fs::path& file, std::uintmax_t max_bytes) {
  const Descriptor in(file);
  struct stat status {};
  if (in.value() < 0 && errno == ENOENT) fail_to_read(file, "no such file");
  if (in.value() < 0 || ::fstat(in.value(), &status) != 0) {
    fail_to_read(file, fmt::format("cannot be read ({})", std::strerror(errno)));
  }
  if (!S_ISREG(status.st_mode)) fail_to_read(file, "cannot be read (not a regular file)");
  std::string text;
  std::array<char, 1U << 16U> part{};
  while (text.size() <= max_bytes) {
    const ssize_t n = ::read(in.value(), part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_to_read(file, fmt::format("cannot be read ({})", std::strerror(errno)));
    if (n == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  fail_to_read(file, fmt::format("is larger than {} bytes", max_bytes));
}

}  // namespace speder
