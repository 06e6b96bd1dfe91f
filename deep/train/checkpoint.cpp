#include "speder/deep/train/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <sstream>

#include "speder/core/check.hpp"
#include "speder/io/durable_file.hpp"

namespace speder::deep {
namespace {

namespace fs = std::filesystem;

// A file: the magic line; for each section { u64 name length, name, u64 size, bytes }; then the u32
// CRC-32C of everything before it.
constexpr std::string_view kMagic = "speder checkpoint 1\n";
constexpr std::string_view kCurrent = "checkpoint.bin";
constexpr std::string_view kTemporary = "checkpoint.new.bin";
constexpr std::string_view kPrevious = "checkpoint.previous.bin";

std::string_view to_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Keeps the checksum of what it writes.
class SummedFile {
 public:
  explicit SummedFile(const fs::path& path) : file_(path) {}

  void write(std::span<const std::byte> bytes) {
    crc_.add(bytes);
    file_.add(to_text(bytes));
  }
  template <class T>
  void write_number(T value) {
    write(std::as_bytes(std::span(&value, 1)));
  }
  void finish() {
    write_number(crc_.value());
    file_.finish();
  }

 private:
  GrowingFile file_;
  Crc32c crc_;
};

[[noreturn]] void refuse(const fs::path& path, std::string_view problem) {
  throw InputError(fmt::format("{}: {}", path.string(), problem));
}

/// Takes numbers and strings from the front of a span; throws when too little is left.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const fs::path& path) : rest_(bytes), path_(&path) {}
  std::span<const std::byte> take(std::uint64_t n) {
    if (n > rest_.size()) refuse(*path_, "is truncated");
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
  const fs::path* path_;
};

std::vector<std::byte> bytes_of(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) refuse(path, "cannot be opened");  // before a pipe without a writer is waited for
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(path, "cannot be opened");
  std::vector<std::byte> bytes(size);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!in) refuse(path, "cannot be read");
  return bytes;
}

}  // namespace

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::span<const std::byte> Checkpoint::section(const std::string& name) const {
  const auto found = sections.find(name);
  if (found == sections.end()) {
    refuse(file, fmt::format("has no section '{}'", name));
  }
  return found->second;
}

void Checkpoint::copy_to(const std::string& name, std::span<std::byte> out) const {
  const auto bytes = section(name);
  if (bytes.size() != out.size()) {
    refuse(file,
           fmt::format("section '{}' has {} bytes, expected {}", name, bytes.size(), out.size()));
  }
  std::copy(bytes.begin(), bytes.end(), out.begin());
}

std::string Checkpoint::text(const std::string& name) const {
  return std::string(to_text(section(name)));
}

std::vector<Measure> Checkpoint::measures(const std::string& name) const {
  std::vector<Measure> out;
  std::istringstream in(text(name));
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Measure m;
    std::uint64_t bits = 0;
    if (!(words >> m.metric >> m.n >> bits)) {
      refuse(file, fmt::format("section '{}' has a line that is no measure", name));
    }
    m.value = std::bit_cast<double>(bits);
    out.push_back(std::move(m));
  }
  return out;
}

std::string measures_text(const std::vector<Measure>& measures) {
  std::string out;
  for (const Measure& m : measures) {
    out += fmt::format("{} {} {}\n", m.metric, m.n, std::bit_cast<std::uint64_t>(m.value));
  }
  return out;
}

Checkpoint read_checkpoint(const fs::path& path) {
  Checkpoint c{.memory = bytes_of(path), .sections = {}, .file = path};
  std::uint32_t stored = 0;
  if (c.memory.size() < kMagic.size() + sizeof stored) refuse(path, "is truncated");
  const auto body = std::span<const std::byte>(c.memory).first(c.memory.size() - sizeof stored);
  std::memcpy(&stored, body.data() + body.size(), sizeof stored);
  Crc32c crc;
  crc.add(body);
  if (crc.value() != stored) refuse(path, "is damaged: its checksum does not match");
  Reader reader(body, path);
  if (to_text(reader.take(kMagic.size())) != kMagic) refuse(path, "is no checkpoint");
  while (!reader.done()) {
    const std::string name(to_text(reader.take(reader.number())));
    c.sections[name] = reader.take(reader.number());
  }
  return c;
}

void save_checkpoint(const fs::path& folder, const std::vector<Section>& sections) {
  const fs::path current = folder / kCurrent;
  const fs::path temporary = folder / kTemporary;
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
  } catch (const InputError& error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw InputError(fmt::format(
        "cannot write a checkpoint: {}; free some room or mend the folder, and start again: the "
        "checkpoints that were there are kept",
        error.what()));
  }
  if (fs::exists(current)) rename_durably(current, folder / kPrevious);
  rename_durably(temporary, current);
}

LoadedCheckpoint load_checkpoint(const fs::path& folder) {
  LoadedCheckpoint out;
  for (const std::string_view name : {kCurrent, kTemporary, kPrevious}) {
    const fs::path path = folder / name;
    if (!fs::exists(path)) continue;
    try {
      out.checkpoint = read_checkpoint(path);
      return out;
    } catch (const InputError& error) {
      if (name == kTemporary) continue;  // killed while it was being written
      out.warning += fmt::format("{}{}", out.warning.empty() ? "" : "; ", error.what());
    }
  }
  if (!out.warning.empty()) out.warning += "; none is left, so the run starts from its beginning";
  return out;
}

bool has_checkpoint(const fs::path& folder) {
  return fs::exists(folder / kCurrent) || fs::exists(folder / kPrevious);
}

}  // namespace speder::deep
