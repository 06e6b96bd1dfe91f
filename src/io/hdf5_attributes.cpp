#include <algorithm>

#include "speder/io/hdf5.hpp"
#include "speder/io/hdf5_handle.hpp"

namespace speder {
using h5::fail;
using h5::Handle;
using h5::Inside;
using h5::sound;
namespace {

Handle open_attribute(hid_t file, const std::filesystem::path& path, const std::string& name) {
  const hid_t id = H5Aopen(file, name.c_str(), H5P_DEFAULT);
  if (id < 0) fail(path, "attribute '" + name + "'", "is missing");
  return {id, H5Aclose};
}

}  // namespace

bool H5File::has_attribute(const std::string& name) const {
  const Inside library;
  return sound(H5Aexists(id_, name.c_str()), path_) > 0;
}

double H5File::number(const std::string& attribute) const {
  const Inside library;
  const Handle handle = open_attribute(id_, path_, attribute);
  const Handle space(sound(H5Aget_space(handle.get()), path_), H5Sclose);
  const Handle type(sound(H5Aget_type(handle.get()), path_), H5Tclose);
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
  const Inside library;
  const Handle handle = open_attribute(id_, path_, attribute);
  const Handle type(sound(H5Aget_type(handle.get()), path_), H5Tclose);
  return H5Tget_class(type.get()) == H5T_STRING;
}

std::string H5File::text(const std::string& attribute) const {
  const Inside library;
  const Handle handle = open_attribute(id_, path_, attribute);
  const Handle type(sound(H5Aget_type(handle.get()), path_), H5Tclose);
  const Handle space(sound(H5Aget_space(handle.get()), path_), H5Sclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1) {
    fail(path_, "attribute '" + attribute + "'", "is not one text");
  }
  if (H5Tis_variable_str(type.get()) > 0) {  // as h5py writes str
    char* raw = nullptr;
    const Handle memory(sound(H5Tcopy(H5T_C_S1), path_), H5Tclose);
    sound(H5Tset_size(memory.get(), H5T_VARIABLE), path_);
    sound(H5Tset_cset(memory.get(), sound(H5Tget_cset(type.get()), path_)), path_);
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
  const Inside library;
  const Handle space(sound(H5Screate(H5S_SCALAR), path_), H5Sclose);
  Handle handle(
      H5Acreate2(id_, attribute.c_str(), H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (!handle.ok() || H5Awrite(handle.get(), H5T_NATIVE_DOUBLE, &value) < 0 || !handle.close()) {
    fail(path_, "attribute '" + attribute + "'", "could not be written");
  }
}

void H5File::text(const std::string& attribute, const std::string& value) {
  const Inside library;
  const Handle type(sound(H5Tcopy(H5T_C_S1), path_), H5Tclose);
  sound(H5Tset_size(type.get(), std::max<std::size_t>(value.size(), 1)), path_);
  sound(H5Tset_cset(type.get(), H5T_CSET_UTF8), path_);
  const Handle space(sound(H5Screate(H5S_SCALAR), path_), H5Sclose);
  Handle handle(
      H5Acreate2(id_, attribute.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  const std::string padded = value.empty() ? std::string(1, '\0') : value;
  if (!handle.ok() || H5Awrite(handle.get(), type.get(), padded.data()) < 0 || !handle.close()) {
    fail(path_, "attribute '" + attribute + "'", "could not be written");
  }
}

}  // namespace speder
