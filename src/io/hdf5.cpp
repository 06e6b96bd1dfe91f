#include "speder/io/hdf5.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "speder/core/check.hpp"
#include "speder/io/hdf5_handle.hpp"

namespace speder {
using h5::fail;
using h5::Handle;
using h5::Inside;
using h5::sound;
namespace {

// Nothing is printed, and a link that leads into another file is not followed: a data file names no
// other file to be opened. Nothing is done at exit, where the library closes again what it could
// not close before.
void prepare_library(const std::filesystem::path& path) {
  static const bool started = [] {
    Inside library;
    library.silence();  // a library that cannot start prints the whole way to its failure
    H5dont_atexit();    // counts only before every other call
    return H5open() >= 0 && H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  }();
  if (!started) throw InputError(path.string() + ": the HDF5 library cannot start");
  sound(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), path);  // of this thread
  if (sound(H5Lis_registered(H5L_TYPE_EXTERNAL), path) > 0)
    sound(H5Lunregister(H5L_TYPE_EXTERNAL), path);
}

Handle open_dataset(hid_t file, const std::filesystem::path& path, const std::string& name) {
  const hid_t id = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  if (id < 0) fail(path, "dataset '" + name + "'", "is missing");
  return {id, H5Dclose};
}

std::vector<std::uint64_t> shape_of(hid_t dataset, const std::filesystem::path& path) {
  const Handle space(sound(H5Dget_space(dataset), path), H5Sclose);
  const int rank = sound(H5Sget_simple_extent_ndims(space.get()), path);
  std::vector<hsize_t> extent(static_cast<std::size_t>(rank));
  if (rank > 0) sound(H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr), path);
  return {extent.begin(), extent.end()};
}

// Number of entries, saturating: a declared shape may overflow 64 bits.
std::uint64_t volume(const std::vector<std::uint64_t>& shape) {
  std::uint64_t n = 1;
  for (const auto extent : shape) {
    if (__builtin_mul_overflow(n, extent, &n)) return ~std::uint64_t{0};
  }
  return n;
}

void require_numeric(hid_t dataset, const std::filesystem::path& path, const std::string& name) {
  const Handle type(sound(H5Dget_type(dataset), path), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  const bool boolean = kind == H5T_ENUM && H5Tget_size(type.get()) == 1;  // as h5py writes bool
  if (kind != H5T_FLOAT && kind != H5T_INTEGER && !boolean)
    fail(path, "dataset '" + name + "'", "is not numeric");
}

// Bytes of one chunk; 0 when the dataset is not chunked.
std::uint64_t chunk_bytes(hid_t dataset, std::size_t value_bytes,
                          const std::filesystem::path& path) {
  const Handle plist(sound(H5Dget_create_plist(dataset), path), H5Pclose);
  if (sound(H5Pget_layout(plist.get()), path) != H5D_CHUNKED) return 0;
  std::vector<hsize_t> extent(H5S_MAX_RANK);
  const int rank = sound(H5Pget_chunk(plist.get(), H5S_MAX_RANK, extent.data()), path);
  std::vector<std::uint64_t> shape(extent.begin(), extent.begin() + rank);
  shape.push_back(value_bytes);
  return volume(shape);
}

void require_own_values(hid_t dataset, const std::filesystem::path& path, const std::string& name) {
  const Handle plist(sound(H5Dget_create_plist(dataset), path), H5Pclose);
  if (sound(H5Pget_layout(plist.get()), path) == H5D_VIRTUAL ||
      H5Pget_external_count(plist.get()) != 0) {
    fail(path, "dataset '" + name + "'", "keeps its values in another file");
  }
}

// A damaged or hostile header can declare any size, stored or unpacked. Deflate expands at most
// 1032-fold, so what is declared, and what one chunk unpacks to, is bounded by the file's size.
void require_stored(hid_t dataset, const std::filesystem::path& path, const std::string& name) {
  constexpr std::uint64_t kDeflateLimit = 1032;
  const Handle type(sound(H5Dget_type(dataset), path), H5Tclose);
  const std::size_t width = H5Tget_size(type.get());
  std::vector<std::uint64_t> shape = shape_of(dataset, path);
  shape.push_back(width);
  const std::uint64_t stored =
      std::min<std::uint64_t>(H5Dget_storage_size(dataset), std::filesystem::file_size(path));
  const std::uint64_t declared = std::max(volume(shape), chunk_bytes(dataset, width, path));
  if (volume(shape) > 0 && declared / kDeflateLimit > stored) {
    fail(path, "dataset '" + name + "'",
         fmt::format("declares {} bytes but holds only {}", declared, stored));
  }
}

// Rows of about 1 MiB together: small enough to unpack one at a time.
std::vector<hsize_t> chunk_of(std::vector<hsize_t> extent, std::size_t count, std::size_t width) {
  constexpr std::size_t kChunk = 1U << 20U;
  const std::size_t row = std::max<std::size_t>(count / extent[0] * width, 1);
  extent[0] = std::clamp<hsize_t>(kChunk / row, 1, extent[0]);
  return extent;
}

}  // namespace

H5File H5File::open(const std::filesystem::path& path) {
  const Inside library;
  prepare_library(path);
  if (!std::filesystem::exists(path)) throw InputError(path.string() + ": no such file");
  if (!std::filesystem::is_regular_file(path)) {
    throw InputError(path.string() + ": not an HDF5 file (not a regular file)");
  }
  if (H5Fis_hdf5(path.c_str()) <= 0) throw InputError(path.string() + ": not an HDF5 file");
  rehearse(path);
  return open_unrehearsed(path);
}

H5File H5File::open_unrehearsed(const std::filesystem::path& path) {
  const Inside library;
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id < 0)
    throw InputError(path.string() + ": cannot be opened (damaged, locked or unreadable)");
  return {path, std::nullopt, id};
}

// The file is built in memory and reaches the disk through DurableFile: the library never meets a
// full disk, which it does not survive. Its name lies under a regular file, so it names nothing.
H5File H5File::create(const std::filesystem::path& path) {
  constexpr std::size_t kIncrement = std::size_t{1} << 20U;
  const Inside library;
  prepare_library(path);
  DurableFile target(path);
  const Handle access(sound(H5Pcreate(H5P_FILE_ACCESS), path), H5Pclose);
  sound(H5Pset_fapl_core(access.get(), kIncrement, /*backing_store=*/false), path);
  const std::string name = (target.temporary().empty() ? path : target.temporary()) / "image";
  const hid_t id = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get());
  if (id < 0) throw InputError(path.string() + ": cannot be written (out of memory?)");
  return {path, std::move(target), id};
}

H5File::H5File(H5File&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      id_(std::exchange(other.id_, -1)) {}

H5File::~H5File() {
  const Inside library;
  if (id_ >= 0) H5Fclose(id_);
}

void H5File::commit() {
  const std::string image = take_image();
  target_->commit(image);
}

std::string H5File::take_image() {
  const Inside library;
  const bool flushed = H5Fflush(id_, H5F_SCOPE_GLOBAL) >= 0;
  const ssize_t size = flushed ? H5Fget_file_image(id_, nullptr, 0) : -1;
  std::string image(static_cast<std::size_t>(std::max<ssize_t>(size, 0)), '\0');
  if (size <= 0 || H5Fget_file_image(id_, image.data(), image.size()) != size ||
      H5Fclose(std::exchange(id_, -1)) < 0) {
    throw InputError(path_.string() + ": could not be written (out of memory?)");
  }
  return image;
}

bool H5File::has(const std::string& dataset) const {
  const Inside library;
  // Group by group, since the library calls it an error when a group on the way is missing.
  for (std::size_t end = 0; end != std::string::npos;) {
    end = dataset.find('/', end + 1);
    if (sound(H5Lexists(id_, dataset.substr(0, end).c_str(), H5P_DEFAULT), path_) == 0)
      return false;
  }
  return true;
}
bool H5File::is_group(const std::string& name) const {
  const Inside library;
  if (!has(name)) return false;
  const Handle object(H5Oopen(id_, name.c_str(), H5P_DEFAULT), H5Oclose);
  return object.ok() && H5Iget_type(object.get()) == H5I_GROUP;
}
std::vector<std::uint64_t> H5File::shape(const std::string& dataset) const {
  const Inside library;
  return shape_of(open_dataset(id_, path_, dataset).get(), path_);
}

std::vector<std::uint64_t> H5File::bounded_shape(const std::string& dataset,
                                                 std::uint64_t max_values) const {
  const Inside library;
  const Handle handle = open_dataset(id_, path_, dataset);
  std::vector<std::uint64_t> shape = shape_of(handle.get(), path_);
  if (volume(shape) > max_values) {
    fail(path_, "dataset '" + dataset + "'",
         fmt::format("declares {} values, more than {}", volume(shape), max_values));
  }
  require_stored(handle.get(), path_, dataset);
  return shape;
}

H5Array H5File::read(const std::string& dataset, std::uint64_t max_values) const {
  H5Array out{.shape = bounded_shape(dataset, max_values), .values = {}};
  out.values.resize(volume(out.shape));
  read_into(dataset, out.values);
  return out;
}

H5FloatArray H5File::read_float(const std::string& dataset, std::uint64_t max_values) const {
  H5FloatArray out{.shape = bounded_shape(dataset, max_values), .values = {}};
  out.values.resize(volume(out.shape));
  read_raw(dataset, out.values.data(), H5T_NATIVE_FLOAT, out.values.size());
  return out;
}

void H5File::read_into(const std::string& dataset, std::span<double> out) const {
  read_raw(dataset, out.data(), H5T_NATIVE_DOUBLE, out.size());
}

void H5File::read_raw(const std::string& dataset, void* out, std::int64_t type,
                      std::size_t count) const {
  const Inside library;
  const Handle handle = open_dataset(id_, path_, dataset);
  require_numeric(handle.get(), path_, dataset);
  require_own_values(handle.get(), path_, dataset);
  const std::uint64_t n = volume(shape_of(handle.get(), path_));
  if (n != count) {
    fail(path_, "dataset '" + dataset + "'", fmt::format("has {} values, expected {}", n, count));
  }
  if (n > 0 && H5Dread(handle.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) {
    fail(path_, "dataset '" + dataset + "'", "cannot be read (damaged file?)");
  }
}

void H5File::write_raw(const std::string& dataset, const void* data, std::int64_t type,
                       std::size_t count, const std::vector<std::uint64_t>& shape, int compress) {
  require(volume(shape) == count, "H5File::write: shape and data differ in size", dataset);
  const Inside library;
  const std::vector<hsize_t> extent(shape.begin(), shape.end());
  const Handle space(
      sound(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), path_),
      H5Sclose);
  const Handle plist(sound(H5Pcreate(H5P_DATASET_CREATE), path_), H5Pclose);
  // The same numbers give the same bytes on every day.
  sound(H5Pset_obj_track_times(plist.get(), 0), path_);
  if (compress > 0 && count > 0) {
    const auto chunk = chunk_of(extent, count, H5Tget_size(type));
    sound(H5Pset_chunk(plist.get(), static_cast<int>(chunk.size()), chunk.data()), path_);
    sound(H5Pset_shuffle(plist.get()), path_);
    sound(H5Pset_deflate(plist.get(), static_cast<unsigned>(compress)), path_);
  }
  const Handle links(sound(H5Pcreate(H5P_LINK_CREATE), path_), H5Pclose);
  sound(H5Pset_create_intermediate_group(links.get(), 1), path_);
  Handle handle(
      H5Dcreate2(id_, dataset.c_str(), type, space.get(), links.get(), plist.get(), H5P_DEFAULT),
      H5Dclose);
  if (!handle.ok() ||
      (count > 0 && H5Dwrite(handle.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) ||
      !handle.close()) {
    fail(path_, "dataset '" + dataset + "'", "could not be written (out of memory?)");
  }
}

void H5File::write(const std::string& dataset, std::span<const double> values,
                   const std::vector<std::uint64_t>& shape, int compress) {
  write_raw(dataset, values.data(), H5T_NATIVE_DOUBLE, values.size(), shape, compress);
}
void H5File::write(const std::string& dataset, std::span<const float> values,
                   const std::vector<std::uint64_t>& shape, int compress) {
  write_raw(dataset, values.data(), H5T_NATIVE_FLOAT, values.size(), shape, compress);
}
void H5File::write(const std::string& dataset, std::span<const std::int64_t> values,
                   const std::vector<std::uint64_t>& shape, int compress) {
  write_raw(dataset, values.data(), H5T_NATIVE_INT64, values.size(), shape, compress);
}
void H5File::write_flags(const std::string& dataset, std::span<const std::uint8_t> values,
                         int compress) {
  const Inside library;
  const Handle type(sound(H5Tenum_create(H5T_NATIVE_INT8), path_), H5Tclose);
  const std::int8_t off = 0, on = 1;
  sound(H5Tenum_insert(type.get(), "FALSE", &off), path_);
  sound(H5Tenum_insert(type.get(), "TRUE", &on), path_);
  write_raw(dataset, values.data(), type.get(), values.size(), {values.size()}, compress);
}
void H5File::write(const std::string& dataset, const Vector& values) {
  write(dataset, std::span(values.data(), static_cast<std::size_t>(values.size())),
        {static_cast<std::uint64_t>(values.size())});
}
void H5File::write(const std::string& dataset, const Matrix& values) {
  write(dataset, std::span(values.data(), static_cast<std::size_t>(values.size())),
        {static_cast<std::uint64_t>(values.rows()), static_cast<std::uint64_t>(values.cols())});
}

}  // namespace speder
