#include <fstream>
#include <iterator>

#include "speder/core/check.hpp"
#include "speder/deep/train/run_folder.hpp"
#include "tests/catch.hpp"
#include "tests/temporary.hpp"

namespace speder::deep::event_file_test {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("event file: other bytes on the disk are told at the end", "[learn][files]") {
  const testing::Folder folder;
  const fs::path path = folder.path / "events.out.tfevents.0000000000.speder";
  const auto finished = [&](std::int64_t byte) {  // that one is another on the disk
    EventFile file(folder.path, 0, 1.5);
    file.scalars(2.5, {{"a", 300, 0.25}});
    std::string bytes = content(path);
    if (byte >= 0) bytes.at(static_cast<std::size_t>(byte)) ^= 1;
    if (byte >= 0) std::ofstream(path, std::ios::binary) << bytes;
    file.finish();
  };
  CHECK_NOTHROW(finished(-1));
  for (const std::int64_t byte : {0, 39, 40, 79}) {
    CHECK_THROWS_WITH(finished(byte), Catch::Contains("reads back as other bytes"));
  }
}

}  // namespace speder::deep::event_file_test
