#include "speder/deep/imitate/imitate.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/deep/imitate/policy.hpp"
#include "speder/deep/train/saved_state.hpp"

namespace speder::deep {
namespace {

constexpr int kProgressSteps = 500;
constexpr double kLeastScale = 1e-6;  // of a state: below this it is constant in float

LoggedRows to_rows(const OfflineData& data, int steps) {
  LoggedRows rows;
  const auto n = static_cast<std::int64_t>(data.rows());
  const auto table = [n](const std::vector<float>& v, int width) {
    return at::from_blob(const_cast<float*>(v.data()), {n, width}, at::kFloat).clone();
  };
  rows.states = table(data.observations, data.observation_size);
  rows.actions = table(data.actions, data.action_size);
  std::int64_t run = 0;  // consecutive rows up to i whose successor is known
  for (std::int64_t i = 0; i < n; ++i) {
    run = data.last[static_cast<std::size_t>(i)] != 0 ? 0 : run + 1;
    if (run >= steps) rows.starts.push_back(i - steps + 1);
  }
  return rows;
}

std::vector<std::int64_t> draw_rows(const std::vector<std::int64_t>& from, int count, Rng& rng) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(count));
  for (std::int64_t& row : out) {
    row = from[static_cast<std::size_t>(rng.index(std::ssize(from)))];
  }
  return out;
}

Tensor as_index(const std::vector<std::int64_t>& rows) {
  return at::from_blob(const_cast<std::int64_t*>(rows.data()), {std::ssize(rows)}, at::kLong);
}

LatentModel make_model(const ImitateConfig& config, const Sizes& sizes) {
  const SeedTree seeds = SeedTree(config.seed).child("phase1");
  switch (find_method(config.method).kind) {
    case MethodKind::kDirect:
      return {};
    case MethodKind::kSkill:
      return skill_model(config, sizes, seeds);
    default:
      return representation_model(config, sizes, seeds);
  }
}

/// A run with its counters; every random stream is named by a counter.
class Session {
 public:
  Session(const ImitateConfig& config, const ImitationSets& sets, const ImitatePlace& place,
          const ImitateObserver& observer)
      : config_(config),
        sets_(sets),
        place_(place),
        observer_(observer),
        model_(make_model(config, sets.sizes)),
        policy_(config, sets, model_) {}

  ImitateResult run(const std::shared_ptr<const Physics>& physics) {
    resume();
    const std::int64_t pretrain = model_.update ? config_.pretrain_steps : 0;
    for (; going() && phase1_ < pretrain; after_step(1, phase1_)) pretrain_step();
    if (!going()) return std::move(result_);
    policy_.begin();
    for (; going() && phase2_ < config_.steps; after_step(2, phase2_)) {
      Rng rng = seeds_.stream("phase2", static_cast<std::uint64_t>(phase2_));
      losses_ = policy_.update(phase2_, rng);
      if ((phase2_ + 1) % config_.eval_every == 0) evaluate(physics);
    }
    if (going()) finish(physics);
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool going() const { return result_.end == ImitateEnd::kFinished; }

  void pretrain_step() {
    Rng rng = seeds_.stream("phase1", static_cast<std::uint64_t>(phase1_));
    const auto starts = draw_rows(sets_.offline.starts, config_.batch, rng);
    const auto base = draw_rows(sets_.offline.starts, config_.batch, rng);
    losses_ = model_.update(windows_at(sets_.offline, starts, base, hold(config_)), rng);
  }

  void after_step(int phase, std::int64_t& step) {
    ++step;
    if (step % kProgressSteps == 0) {
      for (const NamedTensor& loss : losses_) {
        if (std::isfinite(loss.tensor.item<double>())) continue;
        result_.end = ImitateEnd::kDiverged;
        result_.problem =
            fmt::format("{} is not finite at step {} of phase {}", loss.name, step, phase);
        return;
      }
      if (observer_.progress) observer_.progress(phase, step, losses_);
    }
    if (phase == 1 && step == config_.pretrain_steps) {
      for (const NamedTensor& loss : losses_) {
        result_.measures.push_back({"phase1_" + loss.name, step, loss.tensor.item<double>()});
      }
    }
    if (step % place_.checkpoint_every == 0) save();
    if (observer_.stop && observer_.stop()) {
      save();
      result_.end = ImitateEnd::kInterrupted;
    }
  }

  [[nodiscard]] Trial trial(const std::shared_ptr<const Physics>& physics, int episodes,
                            const SeedTree& seeds) const {
    std::vector<Env> envs;
    for (int e = 0; e < episodes; ++e) envs.emplace_back(physics);
    return try_policy(policy_, sets_, envs, trial_plan(config_, physics), seeds);
  }

  void evaluate(const std::shared_ptr<const Physics>& physics) {
    const std::int64_t n = phase2_ + 1;
    const Trial t = trial(physics, config_.eval_episodes,
                          seeds_.child("evaluation", static_cast<std::uint64_t>(n)));
    result_.measures.push_back({"success", n, t.success});
    result_.measures.push_back({"length", n, t.length});
    if (observer_.evaluation) observer_.evaluation(n, t.success);
  }

  void finish(const std::shared_ptr<const Physics>& physics) {
    const Trial t = trial(physics, config_.final_episodes, seeds_.child("final-evaluation"));
    result_.final_success = t.success;
    result_.measures.push_back({"final_success", config_.steps, t.success});
    result_.measures.push_back({"final_length", config_.steps, t.length});
    if (const auto last = last_success(result_.measures, config_.last_evaluations)) {
      result_.measures.push_back({"last_success", config_.steps, *last});
    }
  }

  [[nodiscard]] SavedState state() const {
    SavedState all{.config = to_toml(config_),
                   .measures = result_.measures,
                   .counters = {phase1_, phase2_},
                   .tensors = {}};
    if (model_.tensors) all.tensors = model_.tensors();
    policy_.name_tensors(all.tensors);
    return all;
  }

  void save() const {
    if (!place_.checkpoints.empty()) save_state(state(), place_.checkpoints);
  }

  void resume() {
    if (place_.checkpoints.empty()) return;
    const LoadedCheckpoint loaded = load_checkpoint(place_.checkpoints);
    if (!loaded.warning.empty() && observer_.warning) observer_.warning(loaded.warning);
    if (!loaded.checkpoint) return;
    SavedState all = state();
    restore_state(all, *loaded.checkpoint);
    phase1_ = all.counters[0];
    phase2_ = all.counters[1];
    result_.measures = std::move(all.measures);
  }

  const ImitateConfig& config_;
  const ImitationSets& sets_;
  const ImitatePlace& place_;
  const ImitateObserver& observer_;
  SeedTree seeds_{config_.seed};
  LatentModel model_;
  LatentPolicy policy_;
  std::int64_t phase1_ = 0, phase2_ = 0;
  Diagnostics losses_;
  ImitateResult result_;
};

}  // namespace

ImitationSets prepare_sets(const OfflineData& offline, const OfflineData& expert,
                           const ImitateConfig& config) {
  if (offline.observation_size != expert.observation_size ||
      offline.action_size != expert.action_size) {
    throw InputError(
        fmt::format("offline data have {} observations and {} actions, expert data {} and {}",
                    offline.observation_size, offline.action_size, expert.observation_size,
                    expert.action_size));
  }
  ImitationSets sets{.offline = to_rows(offline, hold(config)),
                     .expert = to_rows(expert, hold(config)),
                     .mean = at::zeros({offline.observation_size}),
                     .scale = at::ones({offline.observation_size}),
                     .sizes = {offline.observation_size, offline.action_size}};
  for (const auto& [rows, name] : {std::pair{&sets.offline, "offline"}, {&sets.expert, "expert"}}) {
    if (rows->starts.empty()) {
      throw InputError(fmt::format("the {} data have no {} consecutive steps", name, hold(config)));
    }
  }
  if (!config.standardise_states) return sets;
  sets.mean = sets.offline.states.mean(0);
  sets.scale = sets.offline.states.std(0).clamp_min(kLeastScale);
  for (LoggedRows* rows : {&sets.offline, &sets.expert}) {
    rows->states.sub_(sets.mean).div_(sets.scale);
  }
  return sets;
}

Windows windows_at(const LoggedRows& rows, const std::vector<std::int64_t>& starts,
                   const std::vector<std::int64_t>& base, int steps) {
  const Tensor first = as_index(starts).unsqueeze(1);  // (B, 1)
  const Tensor states = (first + at::arange(steps + 1)).view({-1});
  const Tensor actions = (first + at::arange(steps)).view({-1});
  return {rows.states.index_select(0, states).view({std::ssize(starts), steps + 1, -1}),
          rows.actions.index_select(0, actions).view({std::ssize(starts), steps, -1}),
          rows.states.index_select(0, as_index(base) + 1)};
}

std::optional<double> last_success(const std::vector<Measure>& measures, int evaluations) {
  double sum = 0;
  int count = 0;
  for (auto m = measures.rbegin(); m != measures.rend() && count < evaluations; ++m) {
    if (m->metric != "success") continue;
    sum += m->value;
    ++count;
  }
  if (count == 0) return {};
  return sum / count;
}

ImitateResult imitate(const ImitateConfig& config, const ImitationSets& sets,
                      const std::shared_ptr<const Physics>& physics, const ImitatePlace& place,
                      const ImitateObserver& observer) {
  at::set_num_threads(1);
  return Session(config, sets, place, observer).run(physics);
}

}  // namespace speder::deep
