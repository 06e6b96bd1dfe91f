#include "speder/deep/train/evaluate.hpp"

#include <cmath>

#include "speder/core/check.hpp"

namespace speder::deep {

Evaluation evaluate(const Agent& agent, const std::shared_ptr<const Physics>& physics, int episodes,
                    Device device, const SeedTree& seeds) {
  require(episodes > 0, "an evaluation needs episodes", episodes);
  const auto n = static_cast<std::size_t>(episodes);
  const Index s = physics->spec.observation_size;
  const auto a = static_cast<std::size_t>(physics->spec.action_size);
  const Tensor observations = at::zeros({episodes, s}, at::kFloat);
  const auto store = [&](std::size_t i, std::span<const double> from) {
    std::copy(from.begin(), from.end(), observations.data_ptr<float>() + static_cast<Index>(i) * s);
  };
  std::vector<Env> envs;
  for (std::size_t i = 0; i < n; ++i) {
    Rng rng = seeds.stream("episode", i);
    store(i, envs.emplace_back(physics).reset(rng));
  }
  std::vector<double> returns(n, 0.0);
  std::vector<bool> ended(n, false);
  std::vector<double> action(a);
  std::size_t running = n;
  double steps = 0;
  while (running > 0) {
    const Tensor actions = agent.act(observations.to(device), {}).to(at::kCPU).contiguous();
    for (std::size_t i = 0; i < n; ++i) {
      if (ended[i]) continue;
      std::copy_n(actions.data_ptr<float>() + i * a, a, action.begin());
      const StepResult r = envs[i].step(action);
      returns[i] += r.reward;
      steps += 1;
      store(i, envs[i].observation());
      if (r.ended()) {
        ended[i] = true;
        --running;
      }
    }
  }
  Evaluation out;
  for (const double r : returns) out.mean += r / episodes;
  for (const double r : returns) out.deviation += (r - out.mean) * (r - out.mean);
  out.deviation = episodes > 1 ? std::sqrt(out.deviation / (episodes - 1)) : 0;
  out.mean_length = steps / episodes;
  return out;
}

}  // namespace speder::deep
