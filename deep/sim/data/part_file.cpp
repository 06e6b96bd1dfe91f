#include "speder/deep/sim/data/part_file.hpp"

#include <fmt/format.h>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

constexpr auto kMode = std::ios::in | std::ios::out | std::ios::binary;

struct Head {
  std::uint64_t count = 0;
  std::uint64_t tag = 0;
};

/// FNV-1a over the record: tells a half-written one from a whole one.
std::uint64_t checksum(const Head& head, const std::vector<float>& values) {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto mix = [&hash](const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): Head has no padding
    for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211ULL;
  };
  mix(&head, sizeof head);
  mix(values.data(), values.size() * sizeof(float));
  return hash;
}

template <class T>
bool get(std::fstream& file, T* out, std::size_t count = 1) {
  file.read(reinterpret_cast<char*>(out), static_cast<std::streamsize>(count * sizeof(T)));
  return static_cast<bool>(file);
}

template <class T>
void put(std::fstream& file, const T* data, std::size_t count = 1) {
  file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(count * sizeof(T)));
}

}  // namespace

PartFile::PartFile(const std::filesystem::path& path, const std::string& title) : path_(path) {
  first_ = title.size() + 1;
  if (holds_title(title + "\n")) {
    cut_off_unsound();
  } else {
    start(title + "\n");
  }
  rewind();
}

bool PartFile::holds_title(const std::string& line) {
  if (!std::filesystem::exists(path_)) return false;
  file_.open(path_, kMode);
  if (!file_) throw InputError(path_.string() + ": cannot be opened for writing");
  std::string text(line.size(), '\0');
  file_.read(text.data(), static_cast<std::streamsize>(text.size()));
  require_readable();  // or it would be taken for an empty one, and begun anew
  text.resize(static_cast<std::size_t>(file_.gcount()));
  if (!line.starts_with(text)) {
    throw InputError(fmt::format(
        "{}: belongs to other settings; remove it, or go on with the settings in its first line",
        path_.string()));
  }
  if (text == line) return true;
  file_.close();  // killed, or out of room, before its first line was there
  return false;
}

void PartFile::cut_off_unsound() {
  size_ = std::filesystem::file_size(path_);
  std::uint64_t sound = first_;
  for (Record r; read_sound(r);) sound = static_cast<std::uint64_t>(file_.tellg());
  cut_off_ = size_ - sound;
  file_.close();
  std::filesystem::resize_file(path_, sound);
  file_.open(path_, kMode);
  size_ = sound;
}

void PartFile::start(const std::string& line) {
  file_.open(path_, kMode | std::ios::trunc);
  put(file_, line.data(), line.size());
  if (!file_.flush()) {
    throw InputError(
        path_.string() +
        ": cannot be written (does the folder exist, is it writable, is the disk full?)");
  }
  size_ = line.size();
}

void PartFile::require_readable() const {
  if (file_.bad()) throw InputError(path_.string() + ": cannot be read (disk failing?)");
}

bool PartFile::read_sound(Record& record) {
  Head head;
  std::uint64_t sum = 0;
  bool whole = get(file_, &head) && head.count <= size_ / sizeof(float);
  if (whole) {
    record.tag = head.tag;
    record.values.resize(head.count);
    whole = get(file_, record.values.data(), head.count) && get(file_, &sum);
  }
  require_readable();
  return whole && sum == checksum(head, record.values);
}

bool PartFile::next(Record& record) {
  if (file_ && static_cast<std::uint64_t>(file_.tellg()) == size_) return false;
  if (read_sound(record)) return true;
  throw InputError(path_.string() +
                   ": does not read back as it was written; start again: what is sound is kept");
}

void PartFile::append(const Record& record) {
  const Head head{record.values.size(), record.tag};
  const std::uint64_t sum = checksum(head, record.values);
  file_.clear();
  file_.seekp(0, std::ios::end);
  put(file_, &head);
  put(file_, record.values.data(), record.values.size());
  put(file_, &sum);
  file_.flush();
  if (!file_) throw InputError(path_.string() + ": could not be written (disk full?)");
  size_ += sizeof head + record.values.size() * sizeof(float) + sizeof sum;
}

void PartFile::rewind() {
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(first_));
}

std::string PartFile::remove() {
  file_.close();
  std::error_code error;
  std::filesystem::remove(path_, error);
  return error ? fmt::format("{}: could not be removed ({}); it is not needed any more",
                             path_.string(), error.message())
               : "";
}

}  // namespace speder::deep
