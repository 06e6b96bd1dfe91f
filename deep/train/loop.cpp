#include "speder/deep/train/loop.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/deep/train/divergence.hpp"
#include "speder/deep/train/interaction.hpp"
#include "speder/deep/train/state.hpp"

namespace speder::deep {
namespace {

/// The loop around a TrainState: act, step, store, learn; evaluate and save at their times.
class Loop {
 public:
  Loop(const TrainConfig& config, const std::shared_ptr<const Physics>& physics,
       const RunPlace& place, const TrainObserver& observer)
      : config_(config),
        physics_(physics),
        place_(place),
        observer_(observer),
        seeds_(config.seed),
        state_(config, physics->spec, place.device),
        interaction_(physics, place.device, seeds_) {
    at::set_num_threads(config.threads);
    if (!config.overlap) return;
    require(state_.agent.rollout == 0, "overlap is for learners with a replay buffer, not ppo");
    acting_copy_ = make_agent(config.agent, physics->spec, place.device, seeds_.child("agent"));
    side_.emplace(config.threads);
  }

  TrainResult run() {
    resume();
    start_episode();
    while (state_.step < config_.steps && problem_.empty()) {
      if (observer_.stop && observer_.stop()) return finish(TrainEnd::kInterrupted);
      const bool ended = config_.overlap ? step_beside_learning() : step_then_learn();
      report(ended);
      if (ended && state_.step < config_.steps && problem_.empty()) {
        save();
        start_episode();
      }
    }
    return finish(problem_.empty() ? TrainEnd::kFinished : TrainEnd::kDiverged);
  }

 private:
  void resume() {
    if (!place_.resume || place_.checkpoints.empty()) return;
    const LoadedCheckpoint loaded = load_checkpoint(place_.checkpoints);
    if (!loaded.warning.empty() && observer_.warning) observer_.warning(loaded.warning);
    if (!loaded.checkpoint) return;
    restore(state_, config_, *loaded.checkpoint);
    last_saved_ = state_.step;
    if (observer_.resumed) observer_.resumed(state_.step);
  }

  void start_episode() { interaction_.start_episode(state_.episodes); }

  /// The agent that acts at this step: none while actions are uniform.
  [[nodiscard]] const Agent* acting() const {
    if (state_.agent.rollout == 0 && state_.step < config_.random_steps) return nullptr;
    return acting_copy_ ? &*acting_copy_ : &state_.agent;
  }

  /// Puts the step just taken into the buffer; true when it ended the episode.
  bool store() {
    state_.buffer.add(interaction_.taken());
    ++state_.step;
    const bool ended = interaction_.advance();
    if (ended) {
      ++state_.episodes;
      last_return_ = interaction_.episode_return();
    }
    return ended;
  }

  bool step_then_learn() {
    interaction_.step(acting(), state_.step);
    const bool ended = store();
    if (learning_due(state_.step)) learn();
    return ended;
  }

  /// The step on the side thread with the policy as it is now, the update here.
  bool step_beside_learning() {
    copy_policy();
    side_->start([this] { interaction_.step(acting(), state_.step); });
    try {
      if (state_.buffer.size() > 0 && learning_due(state_.step + 1)) learn();
    } catch (...) {
      side_->join();
      throw;
    }
    side_->join();
    return store();
  }

  void copy_policy() {
    const at::NoGradGuard no_grad;
    const auto from = state_.agent.tensors();
    const auto to = acting_copy_->tensors();
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i].name.starts_with("actor.")) to[i].tensor.detach().copy_(from[i].tensor.detach());
    }
  }

  [[nodiscard]] bool learning_due(std::int64_t steps) const {
    const int rollout = state_.agent.rollout;
    return rollout == 0 ? steps > config_.random_steps : state_.buffer.size() >= rollout;
  }

  void learn() {
    Rng rng = seeds_.stream("update", static_cast<std::uint64_t>(state_.updates));
    diagnostics_ = state_.agent.update(state_.buffer, rng);
    watch_.see(diagnostics_, state_.updates);
    ++state_.updates;
    if (state_.agent.rollout > 0) state_.buffer.clear();
  }

  /// Reads the last losses off the device; a bad one, now or since the last time, ends the run.
  Values losses() {
    Values values;
    for (const NamedTensor& d : diagnostics_) values.emplace_back(d.name, d.tensor.item<double>());
    if (state_.agent.inspect) {
      for (const NamedTensor& d : state_.agent.inspect()) {
        values.emplace_back(d.name, d.tensor.item<double>());
      }
    }
    if (const auto bad = watch_.finding()) {
      problem_ = fmt::format("{} was not finite, or above {:g}, at update {}", bad->name,
                             kLossLimit, bad->update);
    }
    return values;
  }

  void report(bool ended) {
    const bool evaluation = state_.step % config_.eval_every == 0;
    const bool saving = ended && save_due();
    const bool progress = state_.step % kProgressSteps == 0;
    if (!evaluation && !saving && !progress) return;
    const Values values = losses();
    if (progress && observer_.progress) {
      observer_.progress({state_.step, state_.updates, state_.episodes, last_return_, values});
    }
    if (evaluation && problem_.empty()) evaluate_now(values);
  }

  void evaluate_now(const Values& values) {
    const auto index = static_cast<std::uint64_t>(state_.step / config_.eval_every);
    const Evaluation e = evaluate(state_.agent, physics_, config_.eval_episodes, place_.device,
                                  seeds_.child("evaluate", index));
    auto& m = state_.measures;
    m.push_back({"return", state_.step, e.mean});
    m.push_back({"return_std", state_.step, e.deviation});
    m.push_back({"length", state_.step, e.mean_length});
    for (const auto& [name, value] : values) m.push_back({name, state_.step, value});
    if (observer_.evaluation) observer_.evaluation(state_.step, e);
  }

  [[nodiscard]] bool save_due() const {
    return !place_.checkpoints.empty() && state_.step - last_saved_ >= place_.checkpoint_every;
  }

  void save() {
    if (!save_due()) return;
    write(state_, config_, place_.checkpoints);
    last_saved_ = state_.step;
  }

  TrainResult finish(TrainEnd end) {
    return {.measures = state_.measures,
            .final_return = final_return(state_.measures),
            .end = end,
            .problem = problem_,
            .steps = state_.step,
            .tensors = state_.agent.tensors()};
  }

  const TrainConfig& config_;
  const std::shared_ptr<const Physics>& physics_;
  const RunPlace& place_;
  const TrainObserver& observer_;
  SeedTree seeds_;
  TrainState state_;
  Interaction interaction_;
  std::optional<Agent> acting_copy_;  // overlap only
  std::optional<SideThread> side_;    // overlap only
  Diagnostics diagnostics_;
  DivergenceWatch watch_{kLossLimit};
  double last_return_ = 0;
  std::int64_t last_saved_ = 0;
  std::string problem_;
};

}  // namespace

double final_return(const std::vector<Measure>& measures) {
  std::vector<double> returns;
  for (const Measure& m : measures) {
    if (m.metric == "return") returns.push_back(m.value);
  }
  const auto window = std::min<std::size_t>(returns.size(), kResultWindow);
  double sum = 0;
  for (std::size_t i = returns.size() - window; i < returns.size(); ++i) sum += returns[i];
  return window > 0 ? sum / static_cast<double>(window) : std::nan("");
}

TrainResult train(const TrainConfig& config, const std::shared_ptr<const Physics>& physics,
                  const RunPlace& place, const TrainObserver& observer) {
  return Loop(config, physics, place, observer).run();
}

}  // namespace speder::deep
