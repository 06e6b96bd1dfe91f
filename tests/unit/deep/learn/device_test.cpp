#include "speder/deep/learn/nn/device.hpp"

#include <map>
#include <utility>

#include "speder/deep/learn/agents/agent.hpp"

#include "tests/catch.hpp"
#include "tests/unit/deep/learn/small_agent.hpp"
#include "tests/unit/deep/learn/strict_device.hpp"

using namespace speder;
using namespace speder::deep;

namespace device_test {
namespace {

AgentConfig tiny(const std::string& algorithm) {
  AgentConfig c = small_agent(algorithm);
  c.prob_weight = 0.1;
  c.reward_weight = 1;
  c.bonus = algorithm == "speder" ? 1 : 0;
  return c;
}

/// The point; for those that need a known reward, its sizes under a task's name.
EnvSpec spec_for(const std::string& algorithm) {
  EnvSpec spec = point_physics()->spec;
  if (imagines_rewards(algorithm)) {
    spec.name = "Pendulum";
    spec.observation_size = 3;
  }
  return spec;
}

/// Every algorithm, and the one that reads an objective with each of them.
std::vector<std::pair<std::string, std::string>> cases() {
  std::vector<std::pair<std::string, std::string>> all = {{"speder", "dual"},
                                                          {"speder", "literal"}};
  for (const auto& algorithm : algorithms()) all.emplace_back(algorithm, "exact");
  return all;
}

RingBuffer filled(int states) {
  RingBuffer buffer(states, 1, 64);
  Rng rng = SeedTree(9).stream("steps");
  for (int i = 0; i < 64; ++i) {
    const std::vector<float> s(static_cast<std::size_t>(states),
                               static_cast<float>(rng.uniform(-1, 1)));
    const std::vector<float> a = {static_cast<float>(rng.uniform(-1, 1))};
    buffer.add({s, a, -s[0], s, i % 11 == 0, i % 7 == 0});
  }
  return buffer;
}

}  // namespace

TEST_CASE("strict device: refuses to mix with the host and counts copies", "[learn][device]") {
  const at::Device device = StrictDevice::device();
  const Tensor there = at::ones({2, 2}, device);
  const Tensor here = at::ones({2, 2});
  CHECK_THROWS_WITH(there + here, Catch::Contains("on the same device"));  // libtorch's own check
  CHECK_THROWS_WITH(at::mm(there, here), Catch::Contains("mixes devices"));
  CHECK_THROWS_WITH(at::cat({there, here}), Catch::Contains("mixes devices"));
  CHECK_THROWS_WITH(at::linear(there, here), Catch::Contains("mixes devices"));
  const auto before = StrictDevice::to_host();
  CHECK((there + 1).sum().item<double>() == 8);
  CHECK(StrictDevice::to_host() == before + 1);
}

TEST_CASE("every algorithm: a full update stays on its device, one copy in and none out",
          "[learn][device]") {
  const auto [algorithm, objective] = GENERATE(from_range(cases()));
  CAPTURE(algorithm, objective);
  AgentConfig config = tiny(algorithm);
  config.objective = objective;
  const EnvSpec spec = spec_for(algorithm);
  const RingBuffer buffer = filled(spec.observation_size);
  Agent strict = make_agent(config, spec, StrictDevice::device(), SeedTree(1));
  Agent host = make_agent(config, spec, at::kCPU, SeedTree(1));
  for (std::uint64_t i = 0; i < 3; ++i) {
    Rng rng = SeedTree(2).stream("update", i);
    Rng same = SeedTree(2).stream("update", i);
    StrictDevice::to_device() = StrictDevice::to_host() = 0;
    static_cast<void>(strict.update(buffer, rng));
    // a fit of the dynamics looks at its error, a rollout's advantages are summed on the host
    const bool fits = imagines_rewards(algorithm);
    if (!is_on_policy(algorithm) && !fits) {
      // the minibatch, or sequences and uniforms; at the first update also the states' moments, the sample of
      // the bonus, and sample and noise of a Thompson draw
      const std::map<std::string, std::pair<int, int>> copies = {{"speder", {1, 2}},
                                                                 {"sac3+", {1, 1}},
                                                                 {"spede", {1, 3}},
                                                                 {"dreamer", {2, 1}},
                                                                 {"proto", {2, 1}}};
      const auto found = copies.find(algorithm);
      const auto [each, first] = found == copies.end() ? std::pair(1, 0) : found->second;
      CHECK(StrictDevice::to_device() == each + (i == 0 ? first : 0));
      CHECK(StrictDevice::to_host() == 0);
    }
    static_cast<void>(host.update(buffer, same));
  }
  const auto a = strict.tensors();
  const auto b = host.tensors();
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(a[i].name);
    const bool counter = a[i].name == "updates" || a[i].name.ends_with("scale.calls") ||
                         a[i].name == "phase" || a[i].name == "pushed";
    CHECK((a[i].tensor.device() == StrictDevice::device() || counter));
    CHECK(at::allclose(a[i].tensor.detach().to(at::kCPU), b[i].tensor.detach(), 1e-4, 1e-6));
  }
}

TEST_CASE("device_of_process: the processes of a machine take its GPUs in turn",
          "[learn][device]") {
  const auto four = [] { return 4; };
  const auto none = [] { return 0; };
  const auto forbidden = []() -> int { throw std::logic_error("CUDA was loaded"); };
  CHECK(device_of_process("cuda", 0, four) == "cuda:0");
  CHECK(device_of_process("cuda", 3, four) == "cuda:3");
  CHECK(device_of_process("auto", 4, four) == "cuda:0");
  CHECK(device_of_process("auto", 1, none) == "auto");  // choose_device goes on from there
  CHECK(device_of_process("cuda:2", 1, forbidden) == "cuda:2");
  CHECK(device_of_process("cpu", 1, forbidden) == "cpu");
}

}  // namespace device_test
