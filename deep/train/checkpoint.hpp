#pragma once

#include <boost/crc.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "speder/sweep/store.hpp"

namespace speder::deep {

/// CRC-32C (Castagnoli): guards checkpoints, and TensorBoard's records are framed with it.
class Crc32c {
 public:
  void add(std::span<const std::byte> bytes) { crc_.process_bytes(bytes.data(), bytes.size()); }
  [[nodiscard]] std::uint32_t value() const { return static_cast<std::uint32_t>(crc_.checksum()); }

 private:
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc_;
};

/// Named byte strings that make up a saved state.
struct Section {
  std::string name;
  std::span<const std::byte> bytes;
};

/// What a file held; the spans point into `memory`.
struct Checkpoint {
  std::vector<std::byte> memory;
  std::map<std::string, std::span<const std::byte>> sections;
  std::filesystem::path file;

  /// Throws InputError naming file and section when it is absent or of another size.
  [[nodiscard]] std::span<const std::byte> section(const std::string& name) const;
  void copy_to(const std::string& name, std::span<std::byte> out) const;
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] std::vector<Measure> measures(const std::string& name) const;
};
/// "metric n bits" per line: the bits of the double, so that nothing is rounded.
[[nodiscard]] std::string measures_text(const std::vector<Measure>& measures);

/// Throws InputError that names the file unless it is whole: its checksum matches.
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& file);

/// Writes <folder>/checkpoint.bin so that at every moment a complete one is on disk: a temporary is
/// written and synced, the current one becomes checkpoint.previous.bin, the temporary takes its
/// place. Throws InputError (disk full, no permission); the checkpoints that were there stay.
void save_checkpoint(const std::filesystem::path& folder, const std::vector<Section>& sections);

struct LoadedCheckpoint {
  std::optional<Checkpoint> checkpoint;  // empty: there is none to go on from
  std::string warning;  // why the newest one was passed over; empty when it was not
};
/// The newest sound one: a truncated or altered file fails its checksum and the one before is used;
/// so is a temporary that was whole when its process was killed.
[[nodiscard]] LoadedCheckpoint load_checkpoint(const std::filesystem::path& folder);

/// Whether a checkpoint was completed here, sound or not.
[[nodiscard]] bool has_checkpoint(const std::filesystem::path& folder);

[[nodiscard]] std::span<const std::byte> as_bytes(std::string_view text);

}  // namespace speder::deep
