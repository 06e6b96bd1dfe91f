#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace speder::fuzz {

/// A reader of foreign bytes: returns when they are read or refused. A crash, a hang, or an
/// exception that is neither InputError nor std::invalid_argument is a defect.
struct Reader {
  std::string_view name;  // of its folder under tests/fuzz/corpus
  void (*read)(std::span<const std::uint8_t> bytes);
};

[[nodiscard]] const std::vector<Reader>& readers();

}  // namespace speder::fuzz
