#pragma once

#include <functional>

#include "speder/deep/learn/agents/dynamics_ensemble.hpp"
#include "speder/deep/learn/agents/known_task.hpp"
#include "speder/deep/learn/config.hpp"

namespace speder::deep {

/// How an imagined state moves on: by the mean of all members without noise; or each particle by a member
/// drawn anew at every step, or by one for the whole plan, both with the member's own noise.
enum class Propagation { kMean, kTs1, kTsInf };
/// Throws InputError that lists the choices.
[[nodiscard]] Propagation propagation_named(const std::string& name);

/// What a plan is worth: plans (n, N, H, A) in [−1, 1] for n environments → (n, N).
using PlanScore = std::function<Tensor(const Tensor& plans)>;

struct CemOptions {
  int samples = 200;     // N
  int elites = 20;       // K
  int iterations = 3;    // I
  double inertia = 0.1;  // α
};

/// The cross-entropy method on the box, from mean μ (n, H, A) and variance ¼: I times, or until the largest
/// variance is below 0.001, N samples μ + √ṽ z with ṽ = min(v, ((μ+1)/2)², ((1−μ)/2)²) and z normal, cut at ±2;
/// μ ← αμ + (1−α) mean of the K best, v likewise. Returns μ. Environments share the draws, so that each is
/// planned as it would be alone.
[[nodiscard]] Tensor cross_entropy_plan(const PlanScore& score, const Tensor& mean,
                                        const CemOptions& options, Rng& rng);
/// The best of N plans uniform on the box: (n, H, A).
[[nodiscard]] Tensor random_plan(const PlanScore& score, const Tensor& like, int samples, Rng& rng);
/// The plan of the next step: the first action done, 0 for the new last one. (n, H, A)
[[nodiscard]] Tensor shifted(const Tensor& plan);
/// Standard normals, cut at ±2 by drawing again.
void fill_cut_normal(std::span<float> out, Rng& rng);

/// s' of a batch of imagined states, (R, S) and (R, A) → (R, S).
using ModelStep = std::function<Tensor(const Tensor& state, const Tensor& action)>;
/// ∑_h w_h r(ŝ_{h+1}, a_h), w_h = ∏_{0<h'≤h} (1 − ended(ŝ_{h'})) with `stop_at_end`, else 1; a sum that is no
/// number is −10⁶. start (n, S), plans (n, N, H, A) → (n, N).
[[nodiscard]] Tensor imagined_return(const ModelStep& step, const KnownTask& task,
                                     const Tensor& start, const Tensor& plans, bool stop_at_end);

/// How plans are made, and whether through networks that give a variance as well.
enum class Planner { kCem, kRandom, kRandomDeterministic };

/// PETS (Chua et al. 2018): an ensemble of dynamics networks and, at every step, a plan through it by
/// random shooting or by the cross-entropy method. There is no policy. With networks that give the mean alone
/// and random shooting it is the RS of MBBL (Wang et al. 2019).
class Pets {
 public:
  Pets(const AgentConfig& config, Planner planner, const EnvSpec& spec, Device device,
       const SeedTree& seeds);

  Diagnostics update(const RingBuffer& buffer, Rng& rng) { return ensemble_.fit(buffer, rng); }
  /// All zeros: (n, H, A).
  [[nodiscard]] Tensor first_plan(int n) const;
  /// Plans from observations (n, S) on the host, with the last plan as a start, and does the first action.
  [[nodiscard]] Tensor act(const Tensor& observations, Tensor& plan, Rng& rng) const;
  [[nodiscard]] std::vector<NamedTensor> tensors() const;

 private:
  [[nodiscard]] Tensor score(const Tensor& start, const Tensor& plans, Rng& rng) const;

  AgentConfig config_;
  Planner planner_;
  Propagation propagation_;
  Device device_;
  int actions_;
  KnownTask task_;
  DynamicsEnsemble ensemble_;
};

}  // namespace speder::deep
