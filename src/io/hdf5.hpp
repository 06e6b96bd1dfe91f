#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "speder/core/types.hpp"
#include "speder/io/durable_file.hpp"

namespace speder {

/// A table read from or written to a file: values in C order, as numpy shows them.
struct H5Array {
  std::vector<std::uint64_t> shape;
  std::vector<double> values;
};

struct H5FloatArray {
  std::vector<std::uint64_t> shape;
  std::vector<float> values;
};

/// Owning handle of one HDF5 file; the only user of the HDF5 C API. Every failure is an
/// InputError that names the file and the dataset. Nothing is printed by the library itself.
class H5File {
 public:
  /// Opens an existing file for reading, after a child process has read it without dying of it.
  static H5File open(const std::filesystem::path& path);
  /// For writing: everything stays in memory until commit() writes a DurableFile. A folder that
  /// cannot be written is refused at once.
  static H5File create(const std::filesystem::path& path);
  H5File(H5File&& other) noexcept;
  H5File& operator=(H5File&&) = delete;
  ~H5File();

  [[nodiscard]] bool has(const std::string& dataset) const;
  [[nodiscard]] bool is_group(const std::string& name) const;
  [[nodiscard]] bool has_attribute(const std::string& name) const;
  [[nodiscard]] std::vector<std::uint64_t> shape(const std::string& dataset) const;
  /// Any numeric dataset, or h5py's booleans, as double. Refuses more than `max_values` entries before allocating.
  [[nodiscard]] H5Array read(const std::string& dataset,
                             std::uint64_t max_values = std::uint64_t{1} << 32U) const;
  /// The same as float, for tables of millions of rows.
  [[nodiscard]] H5FloatArray read_float(const std::string& dataset,
                                        std::uint64_t max_values = std::uint64_t{1} << 32U) const;
  /// Straight into caller's memory, whose size must match.
  void read_into(const std::string& dataset, std::span<double> out) const;
  [[nodiscard]] double number(const std::string& attribute) const;
  [[nodiscard]] std::string text(const std::string& attribute) const;
  [[nodiscard]] bool is_text(const std::string& attribute) const;

  /// compress > 0: gzip level, for fixtures and archives. Groups on the way ("infos/goal") are made.
  void write(const std::string& dataset, std::span<const double> values,
             const std::vector<std::uint64_t>& shape, int compress = 0);
  void write(const std::string& dataset, std::span<const float> values,
             const std::vector<std::uint64_t>& shape, int compress = 0);
  void write(const std::string& dataset, std::span<const std::int64_t> values,
             const std::vector<std::uint64_t>& shape, int compress = 0);
  /// As h5py writes numpy's bool: an enumeration FALSE = 0, TRUE = 1 over one byte.
  void write_flags(const std::string& dataset, std::span<const std::uint8_t> values,
                   int compress = 0);
  void write(const std::string& dataset, const Vector& values);
  void write(const std::string& dataset, const Matrix& values);
  void number(const std::string& attribute, double value);
  void text(const std::string& attribute, const std::string& value);
  /// The file is there, whole and on the disk, when this returns.
  void commit();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  H5File(std::filesystem::path path, std::optional<DurableFile> target, std::int64_t id)
      : path_(std::move(path)), target_(std::move(target)), id_(id) {}
  std::string take_image();
  static H5File open_unrehearsed(const std::filesystem::path& path);
  static void rehearse(const std::filesystem::path& path);
  /// False where the file cannot be listed.
  [[nodiscard]] bool read_everything() const;
  [[nodiscard]] std::vector<std::uint64_t> bounded_shape(const std::string& dataset,
                                                         std::uint64_t max_values) const;
  void read_raw(const std::string& dataset, void* out, std::int64_t type, std::size_t count) const;
  void write_raw(const std::string& dataset, const void* data, std::int64_t type, std::size_t count,
                 const std::vector<std::uint64_t>& shape, int compress);
  std::filesystem::path path_;
  std::optional<DurableFile> target_;  // nothing when reading
  std::int64_t id_ = -1;
};

}  // namespace speder
