#include "speder/deep/learn/nn/device.hpp"
#include "speder/deep/learn/agents/agent.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/learn/point_task.hpp"
#include "tests/unit/deep/learn/strict_device.hpp"

using namespace speder;
using namespace speder::deep;

namespace device_test {
namespace {

AgentConfig tiny(const std::string& algorithm) {
  AgentConfig c;
  c.algorithm = algorithm;
  c.feature_dim = 8;
  c.feature_hidden = {16};
  c.critic_width = 16;
  c.actor_hidden = {16};
  c.batch = 32;
  c.rollout = 64;
  c.epochs = 1;
  c.prob_weight = 0.1;
  c.reward_weight = 1;
  c.bonus = algorithm == "speder" ? 1 : 0;
  return c;
}

RingBuffer filled() {
  RingBuffer buffer(1, 1, 64);
  Rng rng = SeedTree(9).stream("steps");
  for (int i = 0; i < 64; ++i) {
    const std::vector<float> s = {static_cast<float>(rng.uniform(-1, 1))};
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
  const std::string algorithm(GENERATE(from_range(algorithms())));
  const std::string objective = GENERATE("dual", "exact", "literal");
  CAPTURE(algorithm, objective);
  AgentConfig config = tiny(algorithm);
  config.objective = objective;
  const EnvSpec spec = point_physics()->spec;
  const RingBuffer buffer = filled();
  Agent strict = make_agent(config, spec, StrictDevice::device(), SeedTree(1));
  Agent host = make_agent(config, spec, at::kCPU, SeedTree(1));
  for (std::uint64_t i = 0; i < 3; ++i) {
    Rng rng = SeedTree(2).stream("update", i);
    Rng same = SeedTree(2).stream("update", i);
    StrictDevice::to_device() = StrictDevice::to_host() = 0;
    static_cast<void>(strict.update(buffer, rng));
    if (algorithm != "ppo") {
      // the minibatch; at the first update also the states' moments and the sample of the bonus
      const int units = algorithm == "speder" || algorithm == "sac3+" ? 1 : 0;
      const int bonus = algorithm == "speder" ? 1 : 0;
      CHECK(StrictDevice::to_device() == 1 + (i == 0 ? units + bonus : 0));
      CHECK(StrictDevice::to_host() == 0);
    }
    static_cast<void>(host.update(buffer, same));
  }
  const auto a = strict.tensors();
  const auto b = host.tensors();
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(a[i].name);
    CHECK((a[i].tensor.device() == StrictDevice::device() || a[i].name == "updates" ||
           a[i].name == "input_scale.calls"));
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
