#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace speder {

/// The name nearest to `word` in edit distance, "" when none is within a third of its letters.
[[nodiscard]] std::string nearest_name(std::string_view word,
                                       const std::vector<std::string>& names);

/// "no family 'lok'; did you mean lock? There are: block, lock, …". Throws InputError.
[[noreturn]] void refuse_name(std::string_view what, std::string_view word,
                              const std::vector<std::string>& names);

}  // namespace speder
