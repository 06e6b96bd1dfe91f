#pragma once

#include <filesystem>
#include <string_view>

namespace speder {

/// Whole or not at all: a temporary beside it is renamed into place. What is no regular file (a
/// pipe, /dev/stdout) is written to as it is. Throws InputError naming the file.
void write_text_file(const std::filesystem::path& file, std::string_view text);

}  // namespace speder
