#include "speder/io/text_file.hpp"

#include <unistd.h>

#include <fstream>

#include "speder/core/check.hpp"

namespace speder {
namespace {

namespace fs = std::filesystem;

bool written(const fs::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  return static_cast<bool>(out);
}

}  // namespace

void write_text_file(const fs::path& file, std::string_view text) {
  std::error_code error;
  const bool in_place = fs::exists(file, error) && !fs::is_regular_file(file, error);
  fs::path target = file;
  if (!in_place) target += fmt::format(".{}.tmp", ::getpid());
  const bool whole = written(target, text);
  error.clear();
  if (whole && !in_place) fs::rename(target, file, error);
  if (whole && !error) return;
  if (!in_place) fs::remove(target, error);
  throw InputError(file.string() + ": could not be written (disk full, or a read-only folder?)");
}

}  // namespace speder
