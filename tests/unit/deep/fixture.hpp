#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "speder/deep/sim/env/env.hpp"
#include "speder/io/hdf5.hpp"

namespace speder::deep {

inline std::shared_ptr<const Physics> physics_of(std::string_view task) {
  return load_physics(task, SPEDER_PACKAGES_DIR);
}

/// Trajectories recorded from the unmodified peers by tests/parity/record.sh.
inline H5File fixture(const std::string& task) {
  return H5File::open(std::filesystem::path(SPEDER_FIXTURES) / (task + ".h5"));
}

inline std::span<const double> row(const H5Array& table, std::size_t i) {
  return std::span(table.values).subspan(i * table.shape.at(1), table.shape.at(1));
}

}  // namespace speder::deep
