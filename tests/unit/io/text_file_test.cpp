#include "speder/io/text_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "speder/core/check.hpp"
#include "speder/io/durable_file.hpp"
#include "speder/io/file_lock.hpp"
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

/// Nothing more can be opened.
class NoDescriptorLeft {
 public:
  NoDescriptorLeft() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::open("/dev/null", O_RDONLY);
    ::close(next);
    const rlimit limit{static_cast<rlim_t>(next), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  NoDescriptorLeft(const NoDescriptorLeft&) = delete;
  NoDescriptorLeft& operator=(const NoDescriptorLeft&) = delete;
  ~NoDescriptorLeft() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

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
  CHECK_THROWS_WITH(write_text_file(folder.path, "x"), Catch::Contains("could not be written"));
  CHECK_THROWS_WITH(write_text_file("/dev/full", std::string(1 << 16, 'x')),
                    Catch::Contains("disk full"));
}

TEST_CASE("a text file is written beside a link planted under the temporary's name",
          "[core][files]") {
  const testing::Folder folder;
  const fs::path file = folder.path / "a.txt";
  std::ofstream(folder.path / "precious") << "keep";
  fs::create_symlink("precious", file.string() + "." + std::to_string(::getpid()) + ".tmp");
  write_text_file(file, "text");
  CHECK(content(file) == "text");
  CHECK(content(folder.path / "precious") == "keep");
}

TEST_CASE("a folder that could not be written through is told", "[core][files]") {
  const testing::Folder folder;
  write_text_file(folder.path / "a.txt", "text");
  const NoDescriptorLeft limit;
  CHECK_THROWS_WITH(rename_durably(folder.path / "a.txt", folder.path / "b.txt"),
                    Catch::Contains("b.txt: could not be written"));
}

TEST_CASE("a log says what it could not add, and follows no link", "[core][files]") {
  const testing::Folder folder;
  const fs::path file = folder.path / "a.log";
  write_text_file(file, "of before");
  {
    GrowingFile log(file);
    log.add("first ");
    CHECK(content(file) == "first ");
    log.add("second");
    log.finish();
  }
  CHECK(content(file) == "first second");
  CHECK_THROWS_WITH(GrowingFile("/dev/full").add("x"), Catch::Contains("disk full"));
  CHECK_THROWS_WITH(GrowingFile(folder.path / "none" / "a.log"),
                    Catch::Contains("a.log: could not"));
  fs::create_symlink("a.log", folder.path / "link");
  CHECK_THROWS_WITH(GrowingFile(folder.path / "link"), Catch::Contains("could not be written"));
  CHECK(content(file) == "first second");
}

TEST_CASE("a lock is refused where a link is planted, and nothing is made behind it",
          "[core][files]") {
  const testing::Folder folder;
  fs::create_symlink("elsewhere", folder.path / "a.lock");
  CHECK_THROWS_WITH(FileLock::acquire(folder.path / "a.lock"),
                    Catch::Contains("cannot be written"));
  CHECK(!fs::exists(folder.path / "elsewhere"));
}

TEST_CASE("what is read is a regular file of a sensible size", "[core][files]") {
  const testing::Folder folder;
  const fs::path file = folder.path / "a.txt";
  write_text_file(file, std::string("a\0b", 3));
  CHECK(read_text_file(file) == std::string("a\0b", 3));
  CHECK_THROWS_WITH(read_text_file(file, 2), Catch::Contains("larger than 2 bytes"));
  CHECK_THROWS_WITH(read_text_file(folder.path / "none"), Catch::Contains("no such file"));
  CHECK_THROWS_WITH(read_text_file(folder.path), Catch::Contains("not a regular file"));
  CHECK_THROWS_WITH(read_text_file("/dev/zero"), Catch::Contains("not a regular file"));
  REQUIRE(::mkfifo((folder.path / "pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(read_text_file(folder.path / "pipe"), Catch::Contains("not a regular file"));
}

TEST_CASE("a folder is made with those above it, or what is in the way is named", "[core][files]") {
  const testing::Folder folder;
  make_folder(folder.path / "a" / "b" / "");
  CHECK(fs::is_directory(folder.path / "a" / "b"));
  CHECK_NOTHROW(make_folder(folder.path / "a" / "b"));
  write_text_file(folder.path / "file", "text");
  CHECK_THROWS_WITH(make_folder(folder.path / "file"), Catch::Contains("cannot be made"));
  CHECK_THROWS_WITH(make_folder(folder.path / "file" / "x"), Catch::Contains("cannot be made"));
}

}  // namespace text_file_test
