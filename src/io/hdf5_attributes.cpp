#include <algorithm>

#include "speder/io/hdf5.hpp"
#include "speder/io/hdf5_handle.hpp"

namespace speder {
using h5::fail;
using h5::Handle;
namespace {

Handle open_attribute(hid_t file, const std::filesystem::path& path, const std::string& name) {
  const hid_t id = H5Aopen(file, name.c_str(), H5P_DEFAULT);
  if (id < 0) fail(path, "attribute '" + name + "'", "is missing");
  return {id, H5Aclose};
}

}  // namespace

bool H5File::has_attribute(const std::string& name) const {
  return H5Aexists(id_, name.c_str()) > 0;
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

void H5File::number(const std::string& attribute, double value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  Handle handle(
      H5Acreate2(id_, attribute.c_str(), H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (!handle.ok() || H5Awrite(handle.get(), H5T_NATIVE_DOUBLE, &value) < 0 || !handle.close()) {
    fail(path_, "attribute '" + attribute + "'", "could not be written");
  }
}

void H5File::text(const std::string& attribute, const std::string& value) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), std::max<std::size_t>(value.size(), 1));
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  Handle handle(
      H5Acreate2(id_, attribute.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  const std::string padded = value.empty() ? std::string(1, '\0') : value;
  if (!handle.ok() || H5Awrite(handle.get(), type.get(), padded.data()) < 0 || !handle.close()) {
    fail(path_, "attribute '" + attribute + "'", "could not be written");
  }
}

}  // namespace speder
