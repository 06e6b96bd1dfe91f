// ONNX is a protocol buffer; of its messages a feed-forward network needs seven, written here field by field.
// Numbers of fields and types are those of onnx.proto3, IR version 8, operator set 14.
#include <bit>
#include <cstring>
#include <string>

#include "speder/core/check.hpp"
#include "speder/deep/sim/network.hpp"
#include "speder/io/text_file.hpp"

namespace speder::deep {
namespace {

constexpr std::int64_t kIrVersion = 8;
constexpr std::int64_t kOperatorSet = 14;
constexpr std::int64_t kFloat = 1;    // TensorProto.DataType
constexpr std::int64_t kDouble = 11;  // likewise

/// A message under construction: (field number, value) pairs in the wire format.
class Message {
 public:
  Message& number(int field, std::int64_t value) {
    varint(static_cast<std::uint64_t>(field) << 3U);  // wire type 0
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Message& text(int field, std::string_view bytes) {
    varint((static_cast<std::uint64_t>(field) << 3U) | 2U);  // wire type 2: a length, then bytes
    varint(bytes.size());
    bytes_.append(bytes);
    return *this;
  }
  Message& part(int field, const Message& inner) { return text(field, inner.bytes_); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) bytes_.push_back(static_cast<char>(value | 0x80U));
    bytes_.push_back(static_cast<char>(value));
  }
  std::string bytes_;
};

// TensorProto: dims 1, data_type 2, name 8, raw_data 9 (little-endian, as every machine we build for).
Message tensor(const std::string& name, const std::vector<Index>& shape, const double* values) {
  static_assert(std::endian::native == std::endian::little);
  Message out;
  std::size_t count = 1;
  for (const Index extent : shape) {
    out.number(1, extent);
    count *= static_cast<std::size_t>(extent);
  }
  std::string raw(count * sizeof(double), '\0');
  std::memcpy(raw.data(), values, raw.size());
  return out.number(2, kDouble).text(8, name).text(9, raw);
}

// NodeProto: input 1, output 2, name 3, op_type 4, attribute 5. An attribute: name 1, i 3, type 20 (2: INT).
Message node(const std::string& type, const std::vector<std::string>& inputs,
             const std::string& output) {
  Message out;
  for (const std::string& input : inputs) out.text(1, input);
  return out.text(2, output).text(3, output).text(4, type);
}
Message with_integer(Message made, const std::string& name, std::int64_t value) {
  return made.part(5, Message().text(1, name).number(3, value).number(20, 2));
}

// ValueInfoProto: name 1, type 2; TypeProto: tensor_type 1 (elem_type 1, shape 2); a dimension: value 1 or name 2.
Message value_info(const std::string& name, Index width) {
  const Message shape =
      Message().part(1, Message().text(2, "N")).part(1, Message().number(1, width));
  return Message().text(1, name).part(
      2, Message().part(1, Message().number(1, kFloat).part(2, shape)));
}

}  // namespace

void write_onnx(const std::filesystem::path& file, const std::vector<NetworkLayer>& layers) {
  require(!layers.empty(), "a network has at least one layer");
  Message graph;  // node 1, name 2, initializer 5, input 11, output 12
  graph.part(1, with_integer(node("Cast", {"observation"}, "x_0"), "to", kDouble));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string at = std::to_string(i);
    const std::string next = "x_" + std::to_string(i + 1);
    graph.part(1, with_integer(node("Gemm", {"x_" + at, "weight_" + at, "bias_" + at}, "y_" + at),
                               "transB", 1));
    graph.part(1, node(i + 1 < layers.size() ? "Relu" : "Tanh", {"y_" + at}, next));
  }
  const std::string last = "x_" + std::to_string(layers.size());
  graph.part(1, with_integer(node("Cast", {last}, "action"), "to", kFloat));
  graph.text(2, "policy");
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const NetworkLayer& layer = layers[i];
    const std::string at = std::to_string(i);
    graph.part(
        5, tensor("weight_" + at, {layer.weight.rows(), layer.weight.cols()}, layer.weight.data()));
    graph.part(5, tensor("bias_" + at, {layer.bias.size()}, layer.bias.data()));
  }
  graph.part(11, value_info("observation", layers.front().weight.cols()));
  graph.part(12, value_info("action", layers.back().bias.size()));
  // ModelProto: ir_version 1, producer_name 2, graph 7, opset_import 8 (version 2).
  const Message model = Message()
                            .number(1, kIrVersion)
                            .text(2, "speder")
                            .part(7, graph)
                            .part(8, Message().number(2, kOperatorSet));
  write_text_file(file, model.bytes());
}

}  // namespace speder::deep
