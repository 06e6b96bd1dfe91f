#pragma once

#include <filesystem>
#include <optional>

#include "speder/mdp/classes/feature_class.hpp"

namespace speder {

/// A class as its file has it.
struct StoredClass {
  FeatureClass candidates;
  std::optional<Index> truth;  // which member is P*, if the file says so: not checked here
};

/// The HDF5 layout of docs/mdp-files.md, numbers in double whatever the class holds. The file
/// appears whole or not at all. InputError above kMaxClassFile bytes.
void save_class(const std::filesystem::path& path, const FeatureClass& candidates,
                std::optional<Index> truth);
inline constexpr std::size_t kMaxClassFile = std::size_t{1} << 30U;

/// Refuses, with one line naming file and dataset: a missing dataset, a wrong shape, a number that
/// is not finite, ν ≤ 0, a member that is no kernel (with its number), a product whose sides are
/// not of mixture form, a truth that is no member.
[[nodiscard]] StoredClass load_class(const std::filesystem::path& path);

}  // namespace speder
