#include "deep/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/check.hpp"
#include "deep/crc32c.hpp"

namespace speder::deep {
namespace {

namespace fs = std::filesystem;

// File: magic, then per section { u64 name length, name, u64 size, bytes }, then u32 CRC-32C of all
// that.
constexpr std::string_view kMagic = "speder checkpoint 1\n";

/// Owning file descriptor that sums what it writes.
class SummedFile {
 public:
  explicit SummedFile(const fs::path& path)
      : path_(path), fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (fd_ < 0) fail();
  }
  SummedFile(const SummedFile&) = delete;
  SummedFile& operator=(const SummedFile&) = delete;
  ~SummedFile() { ::close(fd_); }

  void write(std::span<const std::byte> bytes) {
    crc_.add(bytes);
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail();
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
  }
  template <class T>
  void write_number(T value) {
    write(std::as_bytes(std::span(&value, 1)));
  }
  void finish() {
    write_number(crc_.value());
    if (::fsync(fd_) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw InputError(fmt::format("{}: cannot write: {}", path_.string(), std::strerror(errno)));
  }
  fs::path path_;
  int fd_;
  Crc32c crc_;
};

void sync_folder(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

/// Reads front numbers and strings off a span; throws on a short one.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  std::span<const std::byte> take(std::uint64_t n) {
    if (n > rest_.size()) throw InputError("truncated");
    const auto front = rest_.first(static_cast<std::size_t>(n));
    rest_ = rest_.subspan(front.size());
    return front;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    const auto bytes = take(sizeof value);
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  [[nodiscard]] bool done() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

std::string to_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Checkpoint parse(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError("cannot be opened");
  Checkpoint c{.memory = std::vector<std::byte>(fs::file_size(path)), .sections = {}, .file = path};
  in.read(reinterpret_cast<char*>(c.memory.data()), static_cast<std::streamsize>(c.memory.size()));
  std::uint32_t stored = 0;
  if (!in || c.memory.size() < kMagic.size() + sizeof stored) throw InputError("truncated");
  const auto body = std::span<const std::byte>(c.memory).first(c.memory.size() - sizeof stored);
  std::memcpy(&stored, body.data() + body.size(), sizeof stored);
  Crc32c crc;
  crc.add(body);
  if (crc.value() != stored) throw InputError("checksum does not match");
  Reader reader(body);
  if (to_text(reader.take(kMagic.size())) != kMagic) throw InputError("not a checkpoint");
  while (!reader.done()) {
    const std::string name = to_text(reader.take(reader.number()));
    c.sections[name] = reader.take(reader.number());
  }
  return c;
}

}  // namespace

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::span<const std::byte> Checkpoint::section(const std::string& name) const {
  const auto found = sections.find(name);
  if (found == sections.end()) {
    throw InputError(fmt::format("{}: has no section '{}'", file.string(), name));
  }
  return found->second;
}

void Checkpoint::copy_to(const std::string& name, std::span<std::byte> out) const {
  const auto bytes = section(name);
  if (bytes.size() != out.size()) {
    throw InputError(fmt::format("{}: section '{}' has {} bytes, expected {}", file.string(), name,
                                 bytes.size(), out.size()));
  }
  std::memcpy(out.data(), bytes.data(), out.size());
}

std::string Checkpoint::text(const std::string& name) const { return to_text(section(name)); }

void save_checkpoint(const fs::path& folder, const std::vector<Section>& sections) {
  const fs::path current = folder / "checkpoint.bin";
  const fs::path temporary = folder / "checkpoint.new.bin";
  try {
    SummedFile file(temporary);
    file.write(as_bytes(kMagic));
    for (const Section& s : sections) {
      file.write_number(std::uint64_t{s.name.size()});
      file.write(as_bytes(s.name));
      file.write_number(std::uint64_t{s.bytes.size()});
      file.write(s.bytes);
    }
    file.finish();
  } catch (const InputError&) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
  if (fs::exists(current)) fs::rename(current, folder / "checkpoint.previous.bin");
  fs::rename(temporary, current);
  sync_folder(folder);
}

LoadedCheckpoint load_checkpoint(const fs::path& folder) {
  LoadedCheckpoint out;
  for (const char* name : {"checkpoint.bin", "checkpoint.previous.bin"}) {
    const fs::path path = folder / name;
    if (!fs::exists(path)) continue;
    try {
      out.checkpoint = parse(path);
      return out;
    } catch (const std::exception& error) {
      out.warning +=
          fmt::format("{}{}: {}", out.warning.empty() ? "" : "; ", path.string(), error.what());
    }
  }
  return out;
}

}  // namespace speder::deep
