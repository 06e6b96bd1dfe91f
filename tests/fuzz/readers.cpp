#include "tests/fuzz/readers.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/check.hpp"
#include "core/results.hpp"
#include "experiments/audit/case_file.hpp"
#include "experiments/sweep/suite.hpp"
#include "mdp/conditions.hpp"
#include "mdp/file/dense.hpp"
#include "mdp/file/mdp_file.hpp"
#include "plots/audit.hpp"

namespace speder::fuzz {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// The bytes as a file; HDF5 does not open what is in memory only.
class File {
 public:
  explicit File(Bytes bytes, const char* ending = "")
      : path_(std::filesystem::temp_directory_path() /
              ("speder_fuzz_" + std::to_string(::getpid()) + ending)) {
    std::ofstream out(path_, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    require(static_cast<bool>(out.flush()), "no room for a file");
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

template <class Read>
bool accepted(const Read& read) {
  try {
    read();
    return true;
  } catch (const InputError&) {  // refused, with a message
    return false;
  } catch (const std::invalid_argument&) {  // the same, from a type's own door
    return false;
  }
}

bool mdp(Bytes bytes) {
  const File file(bytes);
  return accepted([&] { (void)conditions(load_mdp(file.path())); });
}

bool dense(Bytes bytes) {
  const File file(bytes, ".csv");
  return accepted([&] { (void)factorise(read_dense(file.path(), std::nullopt), {}); });
}

bool suite(Bytes bytes) {
  const std::string text(bytes.begin(), bytes.end());
  const auto sized = [&](const char* size) {
    return accepted([&] { (void)read_suite(ConfigTable::parse(text, "suite.toml"), size); });
  };
  const bool quick = sized("quick");
  return sized("full") || quick;
}

bool audit_case(Bytes bytes) {
  const File file(bytes);
  return accepted([&] { (void)audit::replay(file.path()); });
}

bool audit_list(Bytes bytes) {
  const File file(bytes);
  return accepted([&] { (void)read_audit(file.path()); });
}

bool store(Bytes bytes) {
  const File file(bytes);
  return accepted([&] { (void)ResultStore::read(file.path()).content(); });
}

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> table = {
      {"mdp", mdp},          {"dense", dense},         {"suite", suite},
      {"audit", audit_case}, {"findings", audit_list}, {"store", store}};
  return table;
}

}  // namespace speder::fuzz
