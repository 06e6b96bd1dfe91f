#include "tests/fuzz/readers.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
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

/// The bytes as a file that has a name but is on no disk.
class MemoryFile {
 public:
  explicit MemoryFile(Bytes bytes) : descriptor_(::memfd_create("fuzz", 0)) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
      require(n > 0, "no memory for a file");
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  [[nodiscard]] std::filesystem::path path() const {
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

 private:
  int descriptor_;
};

template <class Read>
void tolerate(const Read& read) {
  try {
    read();
  } catch (const InputError&) {             // refused, with a message
  } catch (const std::invalid_argument&) {  // the same, from a type's own door
  }
}

void mdp(Bytes bytes) {
  const MemoryFile file(bytes);
  tolerate([&] { (void)conditions(load_mdp(file.path())); });
}

void dense(Bytes bytes) {  // text: read_dense goes by the ending of the name
  const MemoryFile file(bytes);
  const std::filesystem::path link =
      std::filesystem::temp_directory_path() / ("fuzz" + std::to_string(::getpid()) + ".csv");
  std::error_code ignored;
  std::filesystem::remove(link, ignored);
  std::filesystem::create_symlink(file.path(), link);
  tolerate([&] { (void)factorise(read_dense(link, std::nullopt), {}); });
  std::filesystem::remove(link, ignored);
}

void suite(Bytes bytes) {
  const std::string text(bytes.begin(), bytes.end());
  for (const char* size : {"quick", "full"}) {
    tolerate([&] { (void)read_suite(ConfigTable::parse(text, "suite.toml"), size); });
  }
}

void audit_case(Bytes bytes) {
  const MemoryFile file(bytes);
  tolerate([&] { (void)audit::replay(file.path()); });
}

void audit_list(Bytes bytes) {
  const MemoryFile file(bytes);
  tolerate([&] { (void)read_audit(file.path()); });
}

void store(Bytes bytes) {
  const MemoryFile file(bytes);
  tolerate([&] { (void)ResultStore::read(file.path()).content(); });
}

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> table = {
      {"mdp", mdp},          {"dense", dense},         {"suite", suite},
      {"audit", audit_case}, {"findings", audit_list}, {"store", store}};
  return table;
}

}  // namespace speder::fuzz
