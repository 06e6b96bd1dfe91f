#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace speder {

/// One thing an installation needs or can use, tried out rather than looked up.
struct Check {
  std::string part;    // "pictures"
  bool required;       // false: only what `serves` names does without
  std::string serves;  // "speder report, learn --plot"
  std::string found;   // what was found; empty: it does not work
  std::string wrong;   // why not
  std::string fix;     // the command that mends it

  [[nodiscard]] bool works() const { return wrong.empty(); }
};

/// Tries everything, in a scratch folder of its own. `programs` is the folder of the executable.
[[nodiscard]] std::vector<Check> examine(const std::filesystem::path& programs);

}  // namespace speder
