#pragma once

#include "speder/core/rng.hpp"
#include "speder/deep/imitate/config.hpp"
#include "speder/deep/learn/nn/torch.hpp"
#include "speder/deep/sim/data/offline.hpp"

namespace speder::deep::imitate_fixture {

inline constexpr double kFloat = 1e-5;  // a few float operations on numbers near 1

inline double number(const Tensor& t) { return t.item<double>(); }

/// Two trajectories of a point that moves by its action: rows 0–11 and 12–23, D = 4, A = 2.
inline OfflineData line() {
  OfflineData data;
  data.observation_size = 4;
  data.action_size = 2;
  Rng rng = SeedTree(8).stream("line");
  for (int i = 0; i < 24; ++i) {
    for (int k = 0; k < 4; ++k) data.observations.push_back(static_cast<float>(i + 100 * k));
    for (int k = 0; k < 2; ++k) data.actions.push_back(static_cast<float>(rng.uniform(-1, 1)));
    data.last.push_back(i == 11 || i == 23 ? 1 : 0);
  }
  data.rewards.resize(24);
  data.terminals.resize(24);
  return data;
}

inline ImitateConfig tiny(const std::string& method) {
  ImitateConfig c;
  c.method = method;
  c.hidden = {8, 8};
  c.latent = 4;
  c.fourier = 16;
  c.rnn = 6;
  c.window = 3;
  c.batch = 8;
  c.pretrain_steps = 12;
  c.steps = 12;
  c.eval_every = 6;
  c.eval_episodes = 2;
  c.final_episodes = 2;
  return c;
}

}  // namespace speder::deep::imitate_fixture
