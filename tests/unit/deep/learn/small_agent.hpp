#pragma once

#include <string>
#include <vector>

#include "speder/deep/learn/config.hpp"
#include "speder/deep/learn/replay/ring_buffer.hpp"
#include "tests/unit/deep/learn/point_task.hpp"

namespace speder::deep {

/// Any algorithm at the size of a test.
inline AgentConfig small_agent(const std::string& algorithm) {
  AgentConfig c;
  c.algorithm = algorithm;
  c.feature_dim = 8;
  c.feature_hidden = {16};
  c.critic_width = 16;
  c.actor_hidden = {16};
  c.batch = 32;
  c.rollout = 64;
  c.model_hidden = {16};
  c.model_steps = 20;
  c.plan_horizon = 3;
  c.plan_samples = 10;
  c.plan_elites = 3;
  c.imagined_steps = 40;
  c.imagined_length = 10;
  c.policy_rounds = 2;
  c.latent_groups = 3;
  c.latent_classes = 4;
  c.recurrent = 8;
  c.dreamer_hidden = {8, 8};
  c.sequences = 4;
  c.sequence_length = 6;
  c.imagine_horizon = 3;
  c.imagine_starts = 12;
  c.pretrain = 1;
  c.projection = 8;
  c.prototypes = 8;
  c.epochs = 1;
  return c;
}

inline const EnvSpec& point_spec() {
  static const auto physics = point_physics();
  return physics->spec;
}

inline RingBuffer filled(int steps, float width = 1) {
  RingBuffer buffer(1, 1, 1000);
  Rng rng = SeedTree(9).stream("steps");
  for (int i = 0; i < steps; ++i) {
    const std::vector<float> s = {width * static_cast<float>(rng.uniform(-1, 1))};
    const std::vector<float> a = {static_cast<float>(rng.uniform(-1, 1))};
    const std::vector<float> next = {s[0] + 0.25F * a[0]};
    buffer.add({s, a, -s[0] * s[0], next, i % 11 == 0, i % 11 == 0});
  }
  return buffer;
}

}  // namespace speder::deep
