#pragma once

#include <filesystem>
#include <string_view>

namespace speder::deep {

/// The PyPI package a model file is read from; none of those files is copied into this repository.
enum class Package { kNone, kGymnasium, kDmControl };

/// Where the pinned packages are: the `--packages` option, else $SPEDER_PACKAGES, else
/// `.deps/python` above the executable or the working folder, else the folder found when
/// configuring.
[[nodiscard]] std::filesystem::path packages_folder(const std::filesystem::path& option = {});

/// Full path of a model file. Throws InputError that names the file, the package and the command
/// that installs it.
[[nodiscard]] std::filesystem::path model_path(const std::filesystem::path& packages,
                                               Package package, std::string_view file);

}  // namespace speder::deep
