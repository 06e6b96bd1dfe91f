#include "speder/deep/train/events.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "speder/core/check.hpp"
#include "speder/deep/train/crc32c.hpp"

namespace speder::deep {
namespace {

// Wire types of protocol buffers.
constexpr unsigned kVarint = 0;
constexpr unsigned kFixed64 = 1;
constexpr unsigned kBytes = 2;
constexpr unsigned kFixed32 = 5;

template <class T>
std::string raw(T value) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7U) out.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
  out.push_back(static_cast<char>(value));
  return out;
}

std::string field(unsigned number, unsigned type, const std::string& payload) {
  const std::string key = varint((number << 3U) | type);
  return type == kBytes ? key + varint(payload.size()) + payload : key + payload;
}

/// The masking of TFRecord: a checksum of checksums would be weak.
std::uint32_t masked_crc(std::string_view data) {
  Crc32c crc;
  crc.add(std::as_bytes(std::span(data.data(), data.size())));
  return std::rotr(crc.value(), 15) + 0xA282EAD8U;
}

}  // namespace

EventFile::EventFile(const std::filesystem::path& folder, std::int64_t first_step,
                     double wall_time) {
  const auto path = folder / fmt::format("events.out.tfevents.{:010}.speder", first_step);
  out_.open(path, std::ios::binary | std::ios::trunc);
  if (!out_) throw InputError(fmt::format("{}: cannot be written", path.string()));
  // Event { 1: wall_time, 3: file_version }
  record(field(1, kFixed64, raw(wall_time)) + field(3, kBytes, "brain.Event:2"));
}

void EventFile::scalars(std::int64_t step, double wall_time,
                        const std::vector<std::pair<std::string, double>>& values) {
  std::string summary;  // Summary { 1: repeated Value { 1: tag, 2: simple_value } }
  for (const auto& [tag, value] : values) {
    summary += field(1, kBytes,
                     field(1, kBytes, tag) + field(2, kFixed32, raw(static_cast<float>(value))));
  }
  // Event { 1: wall_time, 2: step, 5: summary }
  record(field(1, kFixed64, raw(wall_time)) +
         field(2, kVarint, varint(static_cast<std::uint64_t>(step))) + field(5, kBytes, summary));
}

void EventFile::record(std::string_view data) {
  const std::string length = raw(std::uint64_t{data.size()});
  out_ << length << raw(masked_crc(length)) << data << raw(masked_crc(data)) << std::flush;
}

}  // namespace speder::deep
