#include "speder/io/hdf5.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "speder/core/check.hpp"
#include "speder/io/library_guard.hpp"
#include "tests/catch.hpp"

using namespace speder;
namespace fs = std::filesystem;

namespace hdf5_test {
namespace {
/// A disk with room for so many bytes a file, as far as this process is concerned.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

struct Folder {
  fs::path path = fs::temp_directory_path() / ("speder_hdf5_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};
}  // namespace

TEST_CASE("H5File: what is written is what is read", "[core][hdf5]") {
  const Folder folder;
  const fs::path file = folder.path / "a.h5";
  const Matrix table = (Matrix(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  {
    H5File out = H5File::create(file);
    out.write("table", table);
    out.number("gamma", 0.25);
    out.text("family", "lock");
    out.text("empty", "");
    CHECK(!fs::exists(file));  // nothing is visible before commit
    out.commit();
  }
  const H5File in = H5File::open(file);
  const H5Array read = in.read("table");
  CHECK(read.shape == std::vector<std::uint64_t>{2, 3});
  CHECK(read.values == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(in.number("gamma") == 0.25);
  CHECK(in.text("family") == "lock");
  CHECK(in.text("empty").empty());
  CHECK(in.has_attribute("gamma"));
  CHECK(!in.has_attribute("absent"));
  CHECK_THROWS_AS(in.read("absent"), InputError);
  CHECK_THROWS_AS(in.number("family"), InputError);
  CHECK_THROWS_AS(in.read("table", 5), InputError);
}

TEST_CASE("H5File: an abandoned write leaves no file behind", "[core][hdf5]") {
  const Folder folder;
  { H5File::create(folder.path / "a.h5").number("x", 1); }
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE("H5File: with room for a part of the file it is refused, never written in part",
          "[core][hdf5]") {
  const Folder folder;
  const fs::path file = folder.path / "a.h5";
  const Vector values = Vector::LinSpaced(1500, 1, 1500);
  const auto write = [&] {
    H5File out = H5File::create(file);
    out.write("values", values);
    out.write("others", Matrix(Matrix::Constant(300, 5, 2)));
    out.number("gamma", 0.25);
    out.commit();
  };
  write();
  const auto size = static_cast<rlim_t>(fs::file_size(file));
  fs::remove(file);
  for (rlim_t room = 0; room < size; room += size / 60) {
    CAPTURE(room, size);
    {
      const FileSizeLimit limit(room);
      CHECK_THROWS_AS(write(), InputError);
    }
    CHECK(fs::is_empty(folder.path));
  }
  {
    const FileSizeLimit limit(size);
    write();
  }
  CHECK(H5File::open(file).read("values").values ==
        std::vector<double>(values.begin(), values.end()));
}

TEST_CASE("H5File: a link under the temporary's name is neither followed nor lost",
          "[core][hdf5]") {
  const Folder folder;
  const fs::path file = folder.path / "a.h5";
  const fs::path planted = file.string() + "." + std::to_string(::getpid()) + ".tmp";
  std::ofstream(folder.path / "precious") << "keep";
  fs::create_symlink("precious", planted);
  H5File out = H5File::create(file);
  out.number("x", 1);
  out.commit();
  CHECK(fs::is_symlink(planted));
  CHECK(fs::file_size(folder.path / "precious") == 4);
  CHECK(H5File::open(file).number("x") == 1);
}

TEST_CASE("H5File: missing files, other formats and unwritable folders are one-line errors",
          "[core][hdf5]") {
  const Folder folder;
  CHECK_THROWS_WITH(H5File::open(folder.path / "none.h5"), Catch::Contains("no such file"));
  std::ofstream(folder.path / "text.h5") << "not hdf5";
  CHECK_THROWS_WITH(H5File::open(folder.path / "text.h5"), Catch::Contains("not an HDF5 file"));
  CHECK_THROWS_AS(H5File::create(folder.path / "no" / "such" / "a.h5"), InputError);
}

TEST_CASE("H5File: a table in a group that is not there is not there", "[core][hdf5]") {
  const Folder folder;
  const fs::path file = folder.path / "groups.h5";
  H5File out = H5File::create(file);
  out.write("infos/goal", Vector(Vector::Ones(2)));
  out.commit();
  const H5File in = H5File::open(file);
  CHECK(in.has("infos"));
  CHECK(in.has("infos/goal"));
  CHECK_FALSE(in.has("infos/start"));
  CHECK_FALSE(in.has("nothing/start"));
  CHECK(in.is_group("infos"));
  CHECK_FALSE(in.is_group("infos/goal"));
}

TEST_CASE("LibraryGuard: a library that dies or calls exit ends in exit code 2", "[core][hdf5]") {
  const auto code_of = [](void (*library)()) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (const int number : {SIGSEGV, SIGBUS, SIGABRT}) std::signal(number, SIG_DFL);
      LibraryGuard guard("planted");
      guard.silence();
      ::close(STDERR_FILENO);
      library();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  };
  CHECK(code_of([] {}) == 0);
  CHECK(code_of([] { std::raise(SIGSEGV); }) == 2);
  CHECK(code_of([] { std::abort(); }) == 2);
  CHECK(code_of([] { std::exit(-1); }) == 2);
}

}  // namespace hdf5_test
