#include "core/hdf5.hpp"

#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "core/check.hpp"

namespace speder {
namespace {

// A library handle with its closing function.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool ok() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what,
                       std::string_view problem) {
  throw ConfigError(path.string(), what, problem);
}

Handle open_dataset(hid_t file, const std::filesystem::path& path, const std::string& name) {
  const hid_t id = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  if (id < 0) fail(path, "dataset '" + name + "'", "is missing");
  return {id, H5Dclose};
}

Handle open_attribute(hid_t file, const std::filesystem::path& path, const std::string& name) {
  const hid_t id = H5Aopen(file, name.c_str(), H5P_DEFAULT);
  if (id < 0) fail(path, "attribute '" + name + "'", "is missing");
  return {id, H5Aclose};
}

std::vector<std::uint64_t> shape_of(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  std::vector<hsize_t> extent(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
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
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER)
    fail(path, "dataset '" + name + "'", "is not numeric");
}

}  // namespace

H5File H5File::open(const std::filesystem::path& path) {
  silence();
  if (!std::filesystem::exists(path)) throw InputError(path.string() + ": no such file");
  if (H5Fis_hdf5(path.c_str()) <= 0) throw InputError(path.string() + ": not an HDF5 file");
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id < 0)
    throw InputError(path.string() + ": cannot be opened (damaged, locked or unreadable)");
  return {path, {}, id};
}

H5File H5File::create(const std::filesystem::path& path) {
  silence();
  std::filesystem::path temporary = path;
  temporary += fmt::format(".{}.tmp", ::getpid());
  const hid_t id = H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (id < 0) {
    throw InputError(path.string() +
                     ": cannot be written (does the folder exist, is it writable?)");
  }
  return {path, temporary, id};
}

H5File::H5File(H5File&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      id_(std::exchange(other.id_, -1)) {}

H5File::~H5File() {
  if (id_ < 0) return;
  H5Fclose(id_);
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
}

void H5File::commit() {
  const bool flushed = H5Fflush(id_, H5F_SCOPE_GLOBAL) >= 0;
  const bool closed = H5Fclose(std::exchange(id_, -1)) >= 0;
  std::error_code error;
  if (flushed && closed) std::filesystem::rename(temporary_, path_, error);
  if (flushed && closed && !error) return;
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
  throw InputError(path_.string() + ": could not be written (disk full?)");
}

bool H5File::has(const std::string& dataset) const {
  return H5Lexists(id_, dataset.c_str(), H5P_DEFAULT) > 0;
}
bool H5File::has_attribute(const std::string& name) const {
  return H5Aexists(id_, name.c_str()) > 0;
}

std::vector<std::string> H5File::attributes() const {
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  H5Aiterate2(id_, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names);
  return names;
}

std::vector<std::uint64_t> H5File::shape(const std::string& dataset) const {
  return shape_of(open_dataset(id_, path_, dataset).get());
}

H5Array H5File::read(const std::string& dataset, std::uint64_t max_values) const {
  H5Array out{.shape = shape(dataset), .values = {}};
  const std::uint64_t n = volume(out.shape);
  if (n > max_values) {
    fail(path_, "dataset '" + dataset + "'",
         fmt::format("declares {} values, more than {}", n, max_values));
  }
  // A file cannot hold more uncompressed data than it declares; a damaged header can declare more
  // than memory, so the storage size bounds what is allocated unless the data is compressed.
  const Handle handle = open_dataset(id_, path_, dataset);
  if (n > 0 && H5Dget_storage_size(handle.get()) == 0) {
    fail(path_, "dataset '" + dataset + "'", "is declared but holds no data");
  }
  out.values.resize(n);
  read_into(dataset, out.values);
  return out;
}

void H5File::read_into(const std::string& dataset, std::span<double> out) const {
  const Handle handle = open_dataset(id_, path_, dataset);
  require_numeric(handle.get(), path_, dataset);
  const std::uint64_t n = volume(shape_of(handle.get()));
  if (n != out.size()) {
    fail(path_, "dataset '" + dataset + "'",
         fmt::format("has {} values, expected {}", n, out.size()));
  }
  if (n > 0 &&
      H5Dread(handle.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()) < 0) {
    fail(path_, "dataset '" + dataset + "'", "cannot be read (damaged file?)");
  }
}

double H5File::number(const std::string& attribute) const {
  const Handle handle = open_attribute(id_, path_, attribute);
  const Handle space(H5Aget_space(handle.get()), H5Sclose);
  const Handle type(H5Aget_type(handle.get()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  double value = 0;
  if (H5Sget_simple_extent_npoints(space.get()) != 1 ||
      (kind != H5T_FLOAT && kind != H5T_INTEGER) ||
      H5Aread(handle.get(), H5T_NATIVE_DOUBLE, &value) < 0) {
    fail(path_, "attribute '" + attribute + "'", "is not one number");
  }
  return value;
}

bool H5File::is_text(const std::string& attribute) const {
  const Handle handle = open_attribute(id_, path_, attribute);
  const Handle type(H5Aget_type(handle.get()), H5Tclose);
  return H5Tget_class(type.get()) == H5T_STRING;
}

std::string H5File::text(const std::string& attribute) const {
  const Handle handle = open_attribute(id_, path_, attribute);
  const Handle type(H5Aget_type(handle.get()), H5Tclose);
  const Handle space(H5Aget_space(handle.get()), H5Sclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1) {
    fail(path_, "attribute '" + attribute + "'", "is not one text");
  }
  if (H5Tis_variable_str(type.get()) > 0) {  // as h5py writes str
    char* raw = nullptr;
    const Handle memory(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(memory.get(), H5T_VARIABLE);
    H5Tset_cset(memory.get(), H5Tget_cset(type.get()));
    if (H5Aread(handle.get(), memory.get(), &raw) < 0 || raw == nullptr) {
      fail(path_, "attribute '" + attribute + "'", "cannot be read");
    }
    std::string value(raw);
    H5free_memory(raw);
    return value;
  }
  constexpr std::size_t kLongest = 1U << 20U;
  const std::size_t size = H5Tget_size(type.get());
  if (size > kLongest) fail(path_, "attribute '" + attribute + "'", "is longer than 1 MiB");
  std::string value(size, '\0');
  if (H5Aread(handle.get(), type.get(), value.data()) < 0) {
    fail(path_, "attribute '" + attribute + "'", "cannot be read");
  }
  value.resize(std::min(value.find('\0'), value.size()));
  return value;
}

void H5File::write_raw(const std::string& dataset, const void* data, std::int64_t type,
                       std::size_t count, const std::vector<std::uint64_t>& shape, int compress) {
  require(volume(shape) == count, "H5File::write: shape and data differ in size", dataset);
  const std::vector<hsize_t> extent(shape.begin(), shape.end());
  const Handle space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                     H5Sclose);
  const Handle plist(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (compress > 0 && count > 0) {
    H5Pset_chunk(plist.get(), static_cast<int>(extent.size()), extent.data());
    H5Pset_shuffle(plist.get());
    H5Pset_deflate(plist.get(), static_cast<unsigned>(compress));
  }
  const Handle handle(
      H5Dcreate2(id_, dataset.c_str(), type, space.get(), H5P_DEFAULT, plist.get(), H5P_DEFAULT),
      H5Dclose);
  if (!handle.ok() ||
      (count > 0 && H5Dwrite(handle.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)) {
    fail(path_, "dataset '" + dataset + "'", "could not be written (disk full?)");
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
void H5File::write(const std::string& dataset, const Vector& values) {
  write(dataset, std::span(values.data(), static_cast<std::size_t>(values.size())),
        {static_cast<std::uint64_t>(values.size())});
}
void H5File::write(const std::string& dataset, const Matrix& values) {
  write(dataset, std::span(values.data(), static_cast<std::size_t>(values.size())),
        {static_cast<std::uint64_t>(values.rows()), static_cast<std::uint64_t>(values.cols())});
}

void H5File::number(const std::string& attribute, double value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle handle(
      H5Acreate2(id_, attribute.c_str(), H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (!handle.ok() || H5Awrite(handle.get(), H5T_NATIVE_DOUBLE, &value) < 0) {
    fail(path_, "attribute '" + attribute + "'", "could not be written");
  }
}

void H5File::text(const std::string& attribute, const std::string& value) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), std::max<std::size_t>(value.size(), 1));
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle handle(
      H5Acreate2(id_, attribute.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  const std::string padded = value.empty() ? std::string(1, '\0') : value;
  if (!handle.ok() || H5Awrite(handle.get(), type.get(), padded.data()) < 0) {
    fail(path_, "attribute '" + attribute + "'", "could not be written");
  }
}

}  // namespace speder
