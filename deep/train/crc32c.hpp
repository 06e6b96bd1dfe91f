#pragma once

#include <boost/crc.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace speder::deep {

/// CRC-32C (Castagnoli): guards checkpoints, and TensorBoard's records are framed with it.
class Crc32c {
 public:
  void add(std::span<const std::byte> bytes) { crc_.process_bytes(bytes.data(), bytes.size()); }
  [[nodiscard]] std::uint32_t value() const { return static_cast<std::uint32_t>(crc_.checksum()); }

 private:
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc_;
};

}  // namespace speder::deep
