#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace speder::deep {

/// Finished episodes of a running generation: a title, then records of (rows, tag, floats,
/// checksum). What a killed process left half written is cut off on opening.
class PartFile {
 public:
  struct Record {
    std::uint64_t tag = 0;
    std::vector<float> values;
  };
  /// Throws InputError when the file belongs to a generation with another title.
  PartFile(const std::filesystem::path& path, const std::string& title);

  void append(const Record& record);
  /// The records from the beginning; false at the end.
  [[nodiscard]] bool next(Record& record);
  void rewind();
  void remove();

 private:
  [[nodiscard]] bool read_title(const std::string& title);

  std::filesystem::path path_;
  std::fstream file_;
  std::uint64_t first_ = 0;
};

}  // namespace speder::deep
