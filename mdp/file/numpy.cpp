// .npy: "\x93NUMPY", a version, the length of a header, the header, the values. The header is the
// text of a Python dictionary with descr, fortran_order and shape. .npz: a zip archive of such
// files. Every length is checked against the bytes that are there before it is believed.
#include <array>
#include <cstring>
#include <limits>
#include <numeric>

#include "speder/core/check.hpp"
#include "speder/io/text_file.hpp"
#include "speder/mdp/file/checks.hpp"
#include "speder/mdp/file/tables.hpp"

namespace speder::file {
namespace {

/// A part of a file, with what it is called in messages.
struct Part {
  const std::filesystem::path& path;
  std::string name;
  std::string_view bytes;

  [[noreturn]] void fail(std::string_view problem) const {
    throw ConfigError(path.string(), "array '" + name + "'", problem);
  }
  /// Little-endian, as both formats are.
  [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t width) const {
    std::uint64_t out = 0;
    const std::string_view digits = piece(at, width);
    for (std::size_t i = width; i-- > 0;) out = out << 8 | static_cast<unsigned char>(digits[i]);
    return out;
  }
  [[nodiscard]] std::string_view piece(std::size_t at, std::size_t length) const {
    if (at > bytes.size() || length > bytes.size() - at) fail("the file ends too early");
    return bytes.substr(at, length);
  }
};

// What follows 'key': in the header, up to `end`.
std::string_view entry(const Part& npy, std::string_view header, std::string_view key, char end) {
  const std::size_t start = header.find(key);
  const std::size_t stop = header.find(end, start + key.size());
  if (start == std::string_view::npos || stop == std::string_view::npos)
    npy.fail(fmt::format("its header has no {}", key));
  return header.substr(start + key.size(), stop - start - key.size());
}

std::vector<Index> shape_of(const Part& npy, std::string_view text) {
  std::vector<Index> shape;
  std::uint64_t extent = 0;
  bool inside = false;
  const auto finish = [&] {
    if (inside) shape.push_back(static_cast<Index>(extent));
    inside = false;
    extent = 0;
  };
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      extent = 10 * extent + static_cast<std::uint64_t>(c - '0');
      inside = true;
      if (extent > INT32_MAX) npy.fail("its shape is too large");
    } else if (c == ',' || c == ' ') {
      finish();
    } else {
      npy.fail("its shape cannot be read");
    }
  }
  finish();
  return shape;
}

template <class T>
void append(std::string_view bytes, std::vector<double>& out) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    out.push_back(static_cast<double>(value));
  }
}

struct ValueType {
  std::string_view descr;
  std::size_t width;
  void (*append)(std::string_view, std::vector<double>&);
};
const ValueType& type_of(const Part& npy, std::string_view descr) {
  static constexpr ValueType kTypes[] = {
      {"<f8", 8, append<double>},        {"<f4", 4, append<float>},
      {"<i8", 8, append<std::int64_t>},  {"<i4", 4, append<std::int32_t>},
      {"<i2", 2, append<std::int16_t>},  {"|i1", 1, append<std::int8_t>},
      {"<u4", 4, append<std::uint32_t>}, {"<u2", 2, append<std::uint16_t>},
      {"|u1", 1, append<std::uint8_t>},  {"|b1", 1, append<std::uint8_t>}};
  for (const ValueType& type : kTypes)
    if (type.descr == descr) return type;
  npy.fail(fmt::format("has values of type '{}'; save it with .astype('<f8')", descr));
}

// The first index varies fastest in `values`; afterwards the last one does.
std::vector<double> to_c_order(const std::vector<double>& values, const std::vector<Index>& shape) {
  std::vector<double> out(values.size());
  std::vector<Index> at(shape.size(), 0);
  for (const double value : values) {
    Index flat = 0;
    for (std::size_t k = 0; k < shape.size(); ++k) flat = flat * shape[k] + at[k];
    out[static_cast<std::size_t>(flat)] = value;
    for (std::size_t k = 0; k < shape.size() && ++at[k] == shape[k]; ++k) at[k] = 0;
  }
  return out;
}

NamedTables::Table parse_npy(const Part& npy) {
  using namespace std::string_view_literals;
  if (!npy.bytes.starts_with("\x93NUMPY"sv)) npy.fail("is no NumPy array");
  const std::uint64_t version = npy.number(6, 1);
  if (version < 1 || version > 3) npy.fail(fmt::format("has version {} of the format", version));
  const std::size_t width = version == 1 ? 2 : 4;
  const std::size_t start = 8 + width;
  const std::string_view header = npy.piece(start, npy.number(8, width));
  NamedTables::Table table;
  table.shape = shape_of(npy, entry(npy, header, "'shape': (", ')'));
  const ValueType& type = type_of(npy, entry(npy, header, "'descr': '", '\''));
  const bool fortran = entry(npy, header, "'fortran_order': ", ',') == "True";
  const std::string_view data = npy.bytes.substr(start + header.size());
  double expected = static_cast<double>(type.width);
  for (const Index extent : table.shape) expected *= static_cast<double>(extent);
  if (static_cast<double>(data.size()) != expected)
    npy.fail(fmt::format("has {} bytes of values, its header promises {}", data.size(), expected));
  table.values.reserve(data.size() / type.width);
  type.append(data, table.values);
  if (fortran) table.values = to_c_order(table.values, table.shape);
  if (table.shape.empty()) table.shape = {1};  // a number alone
  return table;
}

std::uint32_t crc32(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit)
        table[i] = (table[i] >> 1) ^ ((table[i] & 1) != 0 ? 0xEDB88320U : 0U);
    }
    return table;
  }();
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xFFU] ^ crc >> 8;
  return ~crc;
}

// The archive's directory stands at its end and says where each member starts.
NamedTables parse_npz(const std::filesystem::path& path, std::string_view bytes) {
  constexpr std::string_view kEnd = "PK\x05\x06";
  constexpr std::string_view kEntry = "PK\x01\x02";
  constexpr std::string_view kMember = "PK\x03\x04";
  const Part zip{path, "directory", bytes};
  const std::size_t end = bytes.rfind(kEnd);
  if (end == std::string_view::npos) zip.fail("is missing: this is no .npz file, or it is cut");
  NamedTables tables(path);
  std::size_t at = zip.number(end + 16, 4);
  for (std::uint64_t left = zip.number(end + 10, 2); left > 0; --left) {
    if (zip.piece(at, 4) != kEntry) zip.fail("is damaged");
    const std::size_t name_length = zip.number(at + 28, 2);
    Part member{path, std::string(zip.piece(at + 46, name_length)), {}};
    if (!member.name.ends_with(".npy")) member.fail("is no array");
    member.name.resize(member.name.size() - 4);
    if (zip.number(at + 10, 2) != 0)
      member.fail("is compressed; write the file with numpy.savez, not savez_compressed");
    const std::size_t local = zip.number(at + 42, 4);
    if (zip.piece(local, 4) != kMember) member.fail("is not where the directory says");
    const std::size_t data = local + 30 + zip.number(local + 26, 2) + zip.number(local + 28, 2);
    member.bytes = zip.piece(data, zip.number(at + 20, 4));
    if (crc32(member.bytes) != zip.number(at + 16, 4)) member.fail("is damaged (checksum)");
    if (tables.add(member.name, parse_npy(member)) == nullptr) member.fail("is there twice");
    at += 46 + name_length + zip.number(at + 30, 2) + zip.number(at + 32, 2);
  }
  return tables;
}

}  // namespace

NamedTables read_numpy(const std::filesystem::path& path) {
  const std::string bytes = read_text_file(path, kLargestTables);
  if (path.extension() == ".npz") return parse_npz(path, bytes);
  NamedTables tables(path);
  tables.add("P", parse_npy({path, path.filename().string(), bytes}));
  return tables;
}

}  // namespace speder::file
