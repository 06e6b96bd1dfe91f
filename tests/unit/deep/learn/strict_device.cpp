#include "tests/unit/deep/learn/strict_device.hpp"

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorShape.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/core/impl/alloc_cpu.h>
#include <torch/library.h>

#include <cstring>

namespace speder::deep {
namespace {

constexpr auto kStrict = c10::DeviceType::PrivateUse1;

struct StrictAllocator final : c10::Allocator {
  c10::DataPtr allocate(std::size_t bytes) override {
    void* data = c10::alloc_cpu(bytes);
    return {data, data, &c10::free_cpu, at::Device(kStrict, 0)};
  }
  [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return &c10::free_cpu; }
  void copy_data(void* to, const void* from, std::size_t n) const override {
    std::memcpy(to, from, n);
  }
};
StrictAllocator allocator;

/// One device with one stream, number 0: autograd keeps a thread per number.
struct StrictGuard final : c10::impl::NoOpDeviceGuardImpl<kStrict> {
  static c10::Stream only_stream() {
    return c10::Stream(c10::Stream::DEFAULT, at::Device(kStrict, 0));
  }
  at::Device exchangeDevice(at::Device) const override { return {kStrict, 0}; }
  [[nodiscard]] at::Device getDevice() const override { return {kStrict, 0}; }
  [[nodiscard]] c10::Stream getStream(at::Device) const noexcept override { return only_stream(); }
  c10::Stream getNewStream(at::Device, int) const override { return only_stream(); }
  c10::Stream exchangeStream(c10::Stream) const noexcept override { return only_stream(); }
};

struct StrictHooks final : at::PrivateUse1HooksInterface {
  [[nodiscard]] bool hasPrimaryContext(at::DeviceIndex) const override { return true; }
  [[nodiscard]] bool isBuilt() const override { return true; }
  [[nodiscard]] bool isAvailable() const override { return true; }
};

/// The same memory seen from the other side.
at::Tensor seen_as(const at::Tensor& t, at::Device device) {
  const auto options = t.options().device(device).requires_grad(false);
  return at::from_blob(
      t.data_ptr(), t.sizes(), t.strides(), [t](void*) {}, options, device);
}

at::Tensor host_view(const at::Tensor& t, const c10::OperatorHandle& op) {
  if (!t.defined()) return t;
  if (t.is_cpu() && t.unsafeGetTensorImpl()->is_wrapped_number()) return t;  // a C++ number
  TORCH_CHECK(t.device().type() == kStrict, op.operator_name(), " mixes devices: got a ",
              t.device(), " tensor of size ", t.sizes());
  return seen_as(t, at::kCPU);
}

at::Tensor to_strict(const at::Tensor& host) {
  if (!host.defined() || !host.is_cpu()) return host;
  at::Tensor out = at::empty_strided(host.sizes(), host.strides(), host.options().device(kStrict));
  if (host.numel() > 0) seen_as(out, at::kCPU).copy_(host);
  return out;
}

c10::IValue to_host_value(const c10::IValue& v, const c10::OperatorHandle& op) {
  if (v.isTensor()) return host_view(v.toTensor(), op);
  if (v.isTensorList()) {
    c10::List<at::Tensor> out;
    for (const at::Tensor& t : v.toTensorVector()) out.push_back(host_view(t, op));
    return out;
  }
  if (v.isDevice()) return c10::IValue(at::Device(at::kCPU));
  return v;
}

/// An empty tensor that an operation may make larger cannot be a view: `host` is what it filled.
void adopt(const at::Tensor& given, const at::Tensor& host) {
  const at::Tensor filled = to_strict(host);
  auto* impl = given.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(filled.storage());
  impl->set_sizes_and_strides(filled.sizes(), filled.strides());
}

bool written(const c10::Argument& a) {
  return a.alias_info() != nullptr && a.alias_info()->isWrite();
}

/// Moves a result to the device, unless it is an argument that was written to: then the caller gets
/// that very tensor back.
c10::IValue returned(const c10::IValue& out, const c10::Argument& slot,
                     const c10::FunctionSchema& schema, const std::vector<c10::IValue>& given) {
  TORCH_CHECK(slot.alias_info() == nullptr || written(slot), schema.name(),
              " is a view: needs a kernel");
  for (std::size_t j = 0; j < given.size() && written(slot); ++j) {
    const auto* argument = schema.arguments()[j].alias_info();
    if (argument != nullptr && *argument == *slot.alias_info()) return given[j];
  }
  if (out.isTensor()) return to_strict(out.toTensor());
  if (!out.isTensorList()) return out;
  c10::List<at::Tensor> list;
  for (const at::Tensor& t : out.toTensorVector()) list.push_back(to_strict(t));
  return list;
}

/// Computes on the host through views of the same memory, so that in-place results are in place.
void fallback(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
  const auto& schema = op.schema();
  const auto& arguments = schema.arguments();
  const std::size_t first = stack->size() - arguments.size();
  const std::vector<c10::IValue> given(stack->begin() + static_cast<std::ptrdiff_t>(first),
                                       stack->end());
  std::vector<std::pair<at::Tensor, at::Tensor>> grown;  // (ours, the host's)
  for (std::size_t i = 0; i < given.size(); ++i) {
    c10::IValue& slot = (*stack)[first + i];
    slot = to_host_value(given[i], op);
    if (written(arguments[i]) && slot.isTensor() && slot.toTensor().numel() == 0) {
      const at::Tensor ours = given[i].toTensor();
      grown.emplace_back(ours, at::empty({0}, ours.options().device(at::kCPU)));
      slot = grown.back().second;
    }
  }
  op.callBoxed(*stack);
  for (const auto& [ours, host] : grown) adopt(ours, host);
  const std::size_t results = stack->size() - schema.returns().size();
  for (std::size_t i = 0; i < schema.returns().size(); ++i) {
    c10::IValue& out = (*stack)[results + i];
    out = returned(out, schema.returns()[i], schema, given);
  }
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> type, std::optional<at::Layout>,
                         std::optional<at::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(size, stride, &allocator,
                                           c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                           type.value_or(at::kFloat));
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> type,
                 std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>,
                 std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(size, &allocator,
                                   c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                   type.value_or(at::kFloat), format);
}

/// The only doors between the host and the device.
at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool) {
  if (from.is_cpu()) ++StrictDevice::to_device();
  if (to.is_cpu()) ++StrictDevice::to_host();
  const auto host = [](const at::Tensor& t) { return t.is_cpu() ? t : seen_as(t, at::kCPU); };
  host(to).copy_(host(from));
  return to;
}

at::Scalar local_scalar_dense(const at::Tensor& t) {
  ++StrictDevice::to_host();
  return seen_as(t, at::kCPU).item();
}

at::Tensor view(const at::Tensor& t, c10::IntArrayRef size) { return at::native::view(t, size); }
at::Tensor reshape_alias(const at::Tensor& t, c10::IntArrayRef size, c10::IntArrayRef stride) {
  return at::native::_reshape_alias(t, size, stride);
}
at::Tensor as_strided(const at::Tensor& t, c10::IntArrayRef size, c10::IntArrayRef stride,
                      std::optional<std::int64_t> offset) {
  return at::native::as_strided_tensorimpl(t, size, stride, offset);
}

}  // namespace

C10_REGISTER_GUARD_IMPL(PrivateUse1, StrictGuard);

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_strided", &empty_strided);
  m.impl("as_strided", &as_strided);
  m.impl("_reshape_alias", &reshape_alias);
  m.impl("view", &view);
  m.impl("_copy_from", &copy_from);
  m.impl("_local_scalar_dense", &local_scalar_dense);
}

at::Device StrictDevice::device() {
  static const bool registered = [] {
    c10::register_privateuse1_backend("strict");
    c10::SetAllocator(kStrict, &allocator);
    static StrictHooks hooks;
    at::RegisterPrivateUse1HooksInterface(&hooks);
    return true;
  }();
  static_cast<void>(registered);
  return {kStrict, 0};
}
std::int64_t& StrictDevice::to_device() {
  static std::int64_t count = 0;
  return count;
}
std::int64_t& StrictDevice::to_host() {
  static std::int64_t count = 0;
  return count;
}

}  // namespace speder::deep
