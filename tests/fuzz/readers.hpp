#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace speder::fuzz {

/// A reader of foreign bytes: true when they are read, false when they are refused. A crash, a hang, or an
/// exception that is neither InputError nor std::invalid_argument is a defect.
struct Reader {
  std::string_view name;  // of its folder under tests/fuzz/corpus
  bool (*read)(std::span<const std::uint8_t> bytes);
};

[[nodiscard]] const std::vector<Reader>& readers();  // all of them
[[nodiscard]] const std::vector<Reader>& deep_readers();

}  // namespace speder::fuzz
