#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace speder::deep {

/// Scalars as a TensorBoard event file (framed protocol buffers, written by hand: four fields).
class EventFile {
 public:
  /// `wall_time` seconds since 1970 go into the records; `first_step` into the file's name, so that
  /// a resumed run adds a file and TensorBoard joins them.
  EventFile(const std::filesystem::path& folder, std::int64_t first_step, double wall_time);

  void scalars(std::int64_t step, double wall_time,
               const std::vector<std::pair<std::string, double>>& values);

 private:
  void record(std::string_view data);
  std::ofstream out_;
};

}  // namespace speder::deep
