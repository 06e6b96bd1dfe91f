#include "speder/deep/train/saved_state.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

std::span<std::byte> bytes_of(const Tensor& t) {
  return {static_cast<std::byte*>(t.data_ptr()), static_cast<std::size_t>(t.nbytes())};
}

}  // namespace

void save_state(const SavedState& state, const std::filesystem::path& folder) {
  const std::string measures = measures_text(state.measures);
  std::vector<Section> sections = {{"config", as_bytes(state.config)},
                                   {"measures", as_bytes(measures)},
                                   {"counters", std::as_bytes(std::span(state.counters))}};
  sections.insert(sections.end(), state.more.begin(), state.more.end());
  std::vector<Tensor> host;  // keeps the bytes alive
  for (const NamedTensor& t : state.tensors) {
    host.push_back(t.tensor.detach().to(at::kCPU).contiguous());
    if (!host.back().isfinite().all().item<bool>()) {
      throw std::runtime_error(fmt::format("{} is not finite: no checkpoint is written", t.name));
    }
    sections.push_back({t.name, bytes_of(host.back())});
  }
  save_checkpoint(folder, sections);
}

void restore_state(SavedState& state, const Checkpoint& checkpoint) {
  if (checkpoint.text("config") != state.config) {
    throw InputError(
        fmt::format("{}: was made with other settings; use the same ones or another --out",
                    checkpoint.file.string()));
  }
  state.measures = checkpoint.measures("measures");
  checkpoint.copy_to("counters", std::as_writable_bytes(std::span(state.counters)));
  constexpr std::int64_t kMostSteps = std::int64_t{1} << 53;  // numbers that rows hold exactly
  for (const std::int64_t count : state.counters) {
    if (count < 0 || count > kMostSteps) {
      throw InputError(fmt::format("{}: is damaged: a count of steps is {} ({})",
                                   checkpoint.file.string(), count < 0 ? "negative" : "too large",
                                   count));
    }
  }
  const at::NoGradGuard no_grad;
  for (const NamedTensor& t : state.tensors) {
    const Tensor host = at::empty(t.tensor.sizes(), t.tensor.options().device(at::kCPU));
    checkpoint.copy_to(t.name, bytes_of(host));
    t.tensor.detach().copy_(host);
  }
}

}  // namespace speder::deep
