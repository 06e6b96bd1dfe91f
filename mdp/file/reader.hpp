#pragma once

#include <optional>
#include <string>
#include <vector>

#include "speder/io/hdf5.hpp"
#include "speder/mdp/file/checks.hpp"

namespace speder::file {

/// Tables of one HDF5 file. Nothing is allocated before the declared shape has been found both
/// expected and small enough for the file to hold.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path);

  [[nodiscard]] const H5File& file() const { return file_; }
  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }
  /// The shape, with that many axes, otherwise a ConfigError that writes `axes`, e.g. "(S, A, d)".
  [[nodiscard]] std::vector<Index> shape(const std::string& dataset, std::size_t rank,
                                         std::string_view axes) const;
  [[nodiscard]] Vector vector(const std::string& dataset, const std::vector<Index>& shape) const;
  /// Any table as (product of the leading axes) × (last axis).
  [[nodiscard]] Matrix matrix(const std::string& dataset, const std::vector<Index>& shape) const;

 private:
  void require_shape(const std::string& dataset, const std::vector<Index>& expected) const;
  void require_plausible(const std::string& dataset) const;
  H5File file_;
  double largest_ = 0;  // values the file can hold
};

}  // namespace speder::file
