#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace speder::deep {

/// A file that comes with the program, of the kind "suites" or "policies": in the folder that
/// $SPEDER_SUITES or $SPEDER_POLICIES names, else beside the installed program, else in the sources.
/// The path may not exist; then it is the last place looked at.
[[nodiscard]] std::filesystem::path find_data_file(std::string_view kind, const std::string& name);

/// The ant's walking policy: the file given, or the one that comes with the program when none is.
/// Throws InputError that says how to train one when that is not there.
[[nodiscard]] std::filesystem::path walking_policy(const std::filesystem::path& given);

}  // namespace speder::deep
