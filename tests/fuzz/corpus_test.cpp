// Every file that once was, or could be, trouble: read or refused, never a crash, a hang or a
// large allocation. The files come from fuzzing (docs/hardening.md) and from hand.
#include <hdf5.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "speder/core/rng.hpp"
#include "tests/catch.hpp"
#include "tests/fuzz/readers.hpp"

using namespace speder;
namespace fs = std::filesystem;

namespace corpus_test {
namespace {

constexpr double kLongest = 15;  // seconds for one file: the child that tries it out has 10
constexpr long kMostMemory = 512 * 1024;  // KiB that reading a small file may add

std::vector<std::uint8_t> bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// By name: what HDF5 keeps of one damaged file meets the next.
std::vector<fs::path> corpus_of(const fuzz::Reader& reader) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(SPEDER_CORPUS) / reader.name)) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// Files, groups, tables and types that HDF5 holds open for this program.
ssize_t open_in_hdf5() { return ::H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL); }

long peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

bool read_in_time(const fuzz::Reader& reader, std::span<const std::uint8_t> bytes) {
  const auto start = std::chrono::steady_clock::now();
  bool accepted = false;
  REQUIRE_NOTHROW(accepted = reader.read(bytes));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  CHECK(taken.count() < kLongest);
  CHECK(open_in_hdf5() == 0);
  return accepted;
}

/// `name` is a reader's folder and a file in it.
bool read_named(const std::string& name) {
  const fs::path file = fs::path(SPEDER_CORPUS) / name;
  const auto reader = std::ranges::find(fuzz::readers(), file.parent_path().filename().string(),
                                        &fuzz::Reader::name);
  CAPTURE(name);
  REQUIRE(reader != fuzz::readers().end());
  return read_in_time(*reader, bytes_of(file));
}

}  // namespace

TEST_CASE("fuzz: the corpus of every reader", "[fuzz]") {
  const long before = peak_memory();
  for (const fuzz::Reader& reader : fuzz::readers()) {
    int good = 0;
    int refused = 0;
    for (const fs::path& file : corpus_of(reader)) {
      CAPTURE(file);
      ++(read_in_time(reader, bytes_of(file)) ? good : refused);
    }
    CAPTURE(reader.name);
    CHECK(good > 0);
    CHECK(refused > 0);
  }
  CHECK(peak_memory() - before < kMostMemory);
}

TEST_CASE(
    "fuzz: files that name other files, repeat a table, declare too much or kill HDF5 are refused",
    "[fuzz]") {
  for (const char* name :
       {"d4rl/elsewhere.h5", "d4rl/virtual.h5", "d4rl/link.h5", "d4rl/declared.h5",
        "d4rl/declared_whole.h5", "minari/one_row.h5", "minari/repeated.h5", "policy/repeated.h5",
        "part/declared", "checkpoint/section_too_long", "policy/null_copy.h5", "d4rl/abort.h5",
        "class/declared.h5", "data/declared.h5"}) {
    CAPTURE(name);
    CHECK_FALSE(read_named(name));
  }
}

TEST_CASE("fuzz: files that kill HDF5 are refused where the caller ignores SIGCHLD", "[fuzz]") {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  CHECK_FALSE(read_named("policy/null_copy.h5"));
  CHECK_FALSE(read_named("d4rl/abort.h5"));
  CHECK(read_named("d4rl/plain.h5"));
  std::signal(SIGCHLD, before);
}

/// SPEDER_FUZZ_VARIANTS=N: so many of each file instead of 20, for hours without clang.
int variants() {
  const char* asked = std::getenv("SPEDER_FUZZ_VARIANTS");
  return asked == nullptr ? 20 : std::atoi(asked);
}

TEST_CASE("fuzz: the corpus with bytes changed, cut and repeated", "[fuzz]") {
  const char* const only = std::getenv("SPEDER_FUZZ");  // one reader, as for libFuzzer
  const SeedTree seeds(1);
  for (const fuzz::Reader& reader : fuzz::readers()) {
    if (only != nullptr && reader.name != only) continue;
    for (const fs::path& file : corpus_of(reader)) {
      const std::vector<std::uint8_t> original = bytes_of(file);
      if (original.empty()) continue;
      for (int variant = 0; variant < variants(); ++variant) {
        Rng rng = seeds.stream(file.filename().string(), static_cast<std::uint64_t>(variant));
        std::vector<std::uint8_t> bytes = original;
        const auto at = [&] {
          return static_cast<std::size_t>(rng.index(static_cast<Index>(bytes.size())));
        };
        for (int change = 0; change <= variant % 4; ++change) {
          bytes[at()] ^= static_cast<std::uint8_t>(1U << rng.index(8));
        }
        if (variant % 5 == 4) bytes.resize(at() + 1);
        CAPTURE(file, variant);
        read_in_time(reader, bytes);
      }
    }
  }
}

}  // namespace corpus_test
