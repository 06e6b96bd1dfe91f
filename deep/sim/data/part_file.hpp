#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace speder::deep {

/// Finished episodes of a running generation: a title, then records of (values, tag, floats,
/// checksum). What is half written or damaged is cut off on opening, with all that follows.
class PartFile {
 public:
  struct Record {
    std::uint64_t tag = 0;
    std::vector<float> values;
  };
  /// Throws InputError when the file belongs to a generation with another title.
  PartFile(const std::filesystem::path& path, const std::string& title);

  void append(const Record& record);
  /// The records from the beginning; false at the end. Throws InputError where one cannot be read or
  /// is not as it was written: what came after it would be missing without a word.
  [[nodiscard]] bool next(Record& record);
  void rewind();
  /// Why the file is still there, or nothing.
  [[nodiscard]] std::string remove();
  [[nodiscard]] std::uint64_t cut_off() const { return cut_off_; }  // bytes, on opening

 private:
  [[nodiscard]] bool holds_title(const std::string& line);
  [[nodiscard]] bool read_sound(Record& record);  // false at the end and where it is damaged
  void require_readable() const;
  void cut_off_unsound();
  void start(const std::string& line);

  std::filesystem::path path_;
  std::fstream file_;
  std::uint64_t first_ = 0;  // where the records begin
  std::uint64_t size_ = 0;   // of the file: no record holds more
  std::uint64_t cut_off_ = 0;
};

}  // namespace speder::deep
