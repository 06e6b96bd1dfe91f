#include "deep/train_state.hpp"

#include <array>
#include <bit>
#include <sstream>

#include "core/check.hpp"

namespace speder::deep {
namespace {

/// Everything that decides the numbers up to a given step.
std::string identity(TrainConfig config) {
  config.steps = 0;
  return to_toml(config);
}

/// "metric n bits" per line: the bits of the double, so that nothing is rounded.
std::string to_text(const std::vector<Measure>& measures) {
  std::string out;
  for (const Measure& m : measures) {
    out += fmt::format("{} {} {}\n", m.metric, m.n, std::bit_cast<std::uint64_t>(m.value));
  }
  return out;
}

std::vector<Measure> parse_measures(const std::string& text) {
  std::vector<Measure> out;
  std::istringstream in(text);
  Measure m;
  std::uint64_t bits = 0;
  while (in >> m.metric >> m.n >> bits) {
    m.value = std::bit_cast<double>(bits);
    out.push_back(m);
  }
  return out;
}

std::span<std::byte> bytes_of(const Tensor& t) {
  return {static_cast<std::byte*>(t.data_ptr()), static_cast<std::size_t>(t.nbytes())};
}

}  // namespace

TrainState::TrainState(const TrainConfig& config, const EnvSpec& spec, Device device)
    : buffer(spec.observation_size, spec.action_size,
             config.agent.algorithm == "ppo" ? config.agent.rollout : config.replay),
      agent(make_agent(config.agent, spec, device, SeedTree(config.seed).child("agent"))) {}

void write(const TrainState& state, const TrainConfig& config,
           const std::filesystem::path& folder) {
  const std::string config_text = identity(config);
  const std::string measures = to_text(state.measures);
  const std::array<std::int64_t, 4> counters = {state.step, state.episodes, state.updates,
                                                state.buffer.added()};
  std::vector<Section> sections = {{"config", as_bytes(config_text)},
                                   {"measures", as_bytes(measures)},
                                   {"counters", std::as_bytes(std::span(counters))},
                                   {"replay", std::as_bytes(state.buffer.rows())}};
  std::vector<Tensor> host;  // keeps the bytes alive
  for (const NamedTensor& t : state.agent.tensors()) {
    host.push_back(t.tensor.detach().to(at::kCPU).contiguous());
    if (!host.back().isfinite().all().item<bool>()) {
      throw InputError(
          fmt::format("{} is not finite at step {}: no checkpoint is written", t.name, state.step));
    }
    sections.push_back({t.name, bytes_of(host.back())});
  }
  save_checkpoint(folder, sections);
}

void restore(TrainState& state, const TrainConfig& config, const Checkpoint& checkpoint) {
  if (checkpoint.text("config") != identity(config)) {
    throw InputError(
        fmt::format("{}: was made with other settings (see config.toml beside it); use "
                    "another --out or the same settings",
                    checkpoint.file.string()));
  }
  std::array<std::int64_t, 4> counters{};
  checkpoint.copy_to("counters", std::as_writable_bytes(std::span(counters)));
  state.step = counters[0];
  state.episodes = counters[1];
  state.updates = counters[2];
  state.measures = parse_measures(checkpoint.text("measures"));
  const auto rows = checkpoint.section("replay");
  std::vector<float> values(rows.size() / sizeof(float));
  checkpoint.copy_to("replay", std::as_writable_bytes(std::span(values)));
  state.buffer.restore(values, counters[3]);
  const at::NoGradGuard no_grad;
  for (const NamedTensor& t : state.agent.tensors()) {
    const Tensor host = at::empty(t.tensor.sizes(), t.tensor.options().device(at::kCPU));
    checkpoint.copy_to(t.name, bytes_of(host));
    t.tensor.detach().copy_(host);
  }
}

}  // namespace speder::deep
