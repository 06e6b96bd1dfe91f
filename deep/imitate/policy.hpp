#pragma once

#include <memory>
#include <optional>

#include "speder/deep/imitate/imitate.hpp"
#include "speder/deep/learn/nn/adam.hpp"
#include "speder/deep/learn/nn/mlp.hpp"
#include "speder/deep/sim/env/env.hpp"
#include "speder/deep/sim/maze/maze.hpp"

namespace speder::deep {

/// Phase 2: π_Z(z|s) on the expert's latents with φ and π_α frozen; for bc the policy π(a|s) itself.
class LatentPolicy {
 public:
  LatentPolicy(const ImitateConfig& config, const ImitationSets& sets, const LatentModel& model);

  /// Takes the expert's latents from the model as it is now. Call before the first update.
  void begin();
  Diagnostics update(std::int64_t step, Rng& rng);
  /// Actions (E, A) for standardised states; z (E, D) is redrawn when `redraw`.
  [[nodiscard]] Tensor act(const Tensor& states, bool redraw, Tensor& z, Rng& rng) const;
  void name_tensors(std::vector<NamedTensor>& out) const;

 private:
  [[nodiscard]] bool direct() const { return kind_ == MethodKind::kDirect; }
  [[nodiscard]] GaussianHead head(const Tensor& states) const;

  ImitateConfig config_;
  MethodKind kind_;
  const ImitationSets* sets_;
  const LatentModel* model_;
  Mlp network_;
  EntropyBonus entropy_;  // of bc
  Adam adam_;
  Tensor states_, targets_;         // (n, S), (n, D): latents, or actions for bc
  GaussianHead posterior_, prior_;  // (n, D) of skild and spirl
};

/// How episodes are tried.
struct TrialPlan {
  int hold = 1;               // steps a latent is kept
  std::optional<Place> goal;  // of every episode; none: the task's own draws
};

/// A fixed goal is one draw of the task's for the run, as in D4RL's v0.  [docs/imitation.md]
[[nodiscard]] TrialPlan trial_plan(const ImitateConfig& config,
                                   const std::shared_ptr<const Physics>& physics);

struct Trial {
  double success = 0;  // share of episodes that reached the goal
  double length = 0;   // mean number of steps
};
/// One episode in each environment, side by side; episode i starts from stream ("episode", i).
[[nodiscard]] Trial try_policy(const LatentPolicy& policy, const ImitationSets& sets,
                               std::vector<Env>& envs, const TrialPlan& plan,
                               const SeedTree& seeds);

}  // namespace speder::deep
