#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace speder {

/// Whole or not at all, as a DurableFile. Throws InputError naming the file.
void write_text_file(const std::filesystem::path& file, std::string_view text);

/// The bytes of a regular file. Throws InputError when it is absent, unreadable, larger than
/// max_bytes, or a pipe or device, which might never end.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file,
                                         std::uintmax_t max_bytes = std::uintmax_t{1} << 30U);

}  // namespace speder
