#pragma once

#include <string>

namespace speder {

/// What computed a set of rows. Host-independent: no names of machines, paths or clock values.
struct Manifest {
  std::string version;
  std::string commit;
  std::string compiler;
  std::string build_type;
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// The manifest of this program.
[[nodiscard]] Manifest this_build();

}  // namespace speder
