#include "speder/mdp/file/reader.hpp"

#include <functional>
#include <limits>
#include <numeric>

#include "speder/core/check.hpp"

namespace speder::file {
namespace {

// deflate, the only compressor of plain HDF5, makes a byte of at most 1032.
constexpr double kDeflateLimit = 1032;

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const auto extent : shape) text += fmt::format("{}{}", text.empty() ? "" : ", ", extent);
  return "(" + text + ")";
}

Index product(const std::vector<Index>& shape) {
  return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
}

}  // namespace

Reader::Reader(const std::filesystem::path& path) : file_(H5File::open(path)) {
  largest_ = kDeflateLimit * static_cast<double>(std::filesystem::file_size(path));
}

void Reader::require_plausible(const std::string& dataset) const {
  double count = 1;
  for (const auto extent : file_.shape(dataset)) count *= static_cast<double>(extent);
  if (count <= largest_) return;
  refuse({path(), dataset, {}},
         fmt::format("declares shape {}, more than a file of this size can hold (damaged?)",
                     shape_text(file_.shape(dataset))));
}

std::vector<Index> Reader::shape(const std::string& dataset, std::size_t rank,
                                 std::string_view axes) const {
  const std::vector<std::uint64_t> declared = file_.shape(dataset);
  if (declared.size() != rank)
    refuse({path(), dataset, {}},
           fmt::format("has shape {}, expected {}", shape_text(declared), axes));
  require_plausible(dataset);
  for (const auto extent : declared)
    if (extent > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
      refuse({path(), dataset, {}}, fmt::format("has shape {}, too large", shape_text(declared)));
  return {declared.begin(), declared.end()};
}

void Reader::require_shape(const std::string& dataset, const std::vector<Index>& expected) const {
  const std::vector<std::uint64_t> declared = file_.shape(dataset);
  const std::vector<std::uint64_t> wanted(expected.begin(), expected.end());
  if (declared != wanted)
    refuse({path(), dataset, {}},
           fmt::format("has shape {}, expected {}", shape_text(declared), shape_text(wanted)));
  require_plausible(dataset);
}

Vector Reader::vector(const std::string& dataset, const std::vector<Index>& shape) const {
  require_shape(dataset, shape);
  Vector out(product(shape));
  file_.read_into(dataset, {out.data(), static_cast<std::size_t>(out.size())});
  require_finite({path(), dataset, shape}, values_of(out));
  return out;
}

Matrix Reader::matrix(const std::string& dataset, const std::vector<Index>& shape) const {
  require_shape(dataset, shape);
  Matrix out(product(shape) / std::max<Index>(shape.back(), 1), shape.back());
  file_.read_into(dataset, {out.data(), static_cast<std::size_t>(out.size())});
  require_finite({path(), dataset, shape}, values_of(out));
  return out;
}

}  // namespace speder::file
