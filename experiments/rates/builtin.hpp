#pragma once

#include <map>
#include <string_view>

namespace speder {

/// id → text of the suite under experiments/rates/, as it was when the program was built.
[[nodiscard]] const std::map<std::string_view, std::string_view>& builtin_suites();

}  // namespace speder
