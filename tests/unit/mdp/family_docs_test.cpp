#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "speder/mdp/families/families.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace family_docs_test {
namespace {

std::string escaped(std::string_view text) {  // as a table cell of Markdown
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

}  // namespace

TEST_CASE("docs/mdp-files.md says what the table of families says", "[mdp][families][docs]") {
  std::ifstream in(SPEDER_SOURCE_DIR "/docs/mdp-files.md");
  REQUIRE(in);
  const std::string docs = (std::ostringstream() << in.rdbuf()).str();
  for (const Family& f : families()) {
    CHECK_THAT(docs, Catch::Contains(fmt::format("### `{}`\n\n{}. Sizes: {}.", f.name,
                                                 f.description, f.sizes)));
    for (const KnobInfo& k : f.knobs) {
      const std::string range = std::isinf(k.high) ? fmt::format(">= {:g}", k.low)
                                                   : fmt::format("{:g} .. {:g}", k.low, k.high);
      CHECK_THAT(docs, Catch::Contains(fmt::format("| `{}` | {:g} | {} | {} |", k.name, k.fallback,
                                                   range, escaped(k.meaning))));
    }
  }
}

}  // namespace family_docs_test
