#include "speder/io/text_file.hpp"

#include <fstream>
#include <iterator>

#include "speder/core/check.hpp"
#include "tests/catch.hpp"
#include "tests/temporary.hpp"

using namespace speder;
namespace fs = std::filesystem;

namespace text_file_test {
namespace {

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a text file is there whole, and nothing is left beside it", "[core][files]") {
  const testing::Folder folder;
  const fs::path file = folder.path / "a.txt";
  write_text_file(file, "first");
  write_text_file(file, "second");
  CHECK(content(file) == "second");
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}

TEST_CASE("what is no regular file is written to, not replaced", "[core][files]") {
  write_text_file("/dev/null", "gone");
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("a text file that cannot be written is named", "[core][files]") {
  const testing::Folder folder;
  CHECK_THROWS_WITH(write_text_file(folder.path / "none" / "a.txt", "x"),
                    Catch::Contains("a.txt: could not be written"));
  CHECK_THROWS_WITH(write_text_file("/dev/full", std::string(1 << 16, 'x')),
                    Catch::Contains("disk full"));
}

}  // namespace text_file_test
