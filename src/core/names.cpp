#include "speder/core/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "speder/core/check.hpp"

namespace speder {
namespace {

// Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view word, const std::vector<std::string>& names) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  return best;
}

void refuse_name(std::string_view what, std::string_view word,
                 const std::vector<std::string>& names) {
  const std::string near = nearest_name(word, names);
  throw InputError(fmt::format("no {} '{}'; {}there are: {}", what, word,
                               near.empty() ? "" : fmt::format("did you mean {}? ", near),
                               fmt::join(names, ", ")));
}

}  // namespace speder
