#include "speder/deep/train/loop.hpp"

#include <algorithm>
#include <limits>

#include "speder/core/check.hpp"
#include "speder/deep/train/saved_state.hpp"

namespace speder::deep {

std::string identity(TrainConfig config) {
  config.steps = 0;
  return to_toml(config);
}

namespace {

/// Everything a run carries from one episode to the next. Random streams are named by the counters
/// and environments restart between episodes, so neither has a state of its own to keep.
struct TrainState {
  TrainState(const TrainConfig& config, const EnvSpec& spec, Device device)
      : agent(make_agent(config.agent, spec, device, SeedTree(config.seed).child("agent"))),
        buffer(spec.observation_size, spec.action_size,
               agent.rollout > 0 ? agent.rollout : config.replay) {}

  std::int64_t step = 0;
  std::int64_t episodes = 0;
  std::int64_t updates = 0;
  Agent agent;
  RingBuffer buffer;
  std::vector<Measure> measures;
  Diagnostics last;  // losses of the last update, which every evaluation before the next one shows
};

/// Losses of the last update and what else is known of it, off the device.
std::vector<Measure> losses_of(const TrainState& state) {
  std::vector<Measure> out;
  const auto read = [&](const Diagnostics& values) {
    for (const NamedTensor& d : values)
      out.push_back({d.name, state.step, d.tensor.item<double>()});
  };
  read(state.last);
  if (state.agent.inspect) read(state.agent.inspect());
  return out;
}

SavedState saved(const TrainState& state, const TrainConfig& config) {
  return {.config = identity(config),
          .measures = state.measures,
          .counters = {state.step, state.episodes, state.updates, state.buffer.added()},
          .tensors = state.agent.tensors()};
}

/// Saves into <folder>/checkpoint.bin, under the conditions of save_state.
void write(const TrainState& state, const TrainConfig& config,
           const std::filesystem::path& folder) {
  SavedState all = saved(state, config);
  const std::string last = measures_text(losses_of(state));
  all.more.push_back({"losses", as_bytes(last)});
  all.more.push_back({"replay", std::as_bytes(state.buffer.rows())});
  save_state(all, folder);
}

/// Throws InputError when the checkpoint belongs to another configuration; `steps` may differ.
void restore(TrainState& state, const TrainConfig& config, const Checkpoint& checkpoint) {
  SavedState all = saved(state, config);
  restore_state(all, checkpoint);
  state.step = all.counters[0];
  state.episodes = all.counters[1];
  state.updates = all.counters[2];
  state.measures = std::move(all.measures);
  state.last.clear();  // an agent that has not learnt since then has nothing to inspect
  for (const Measure& m : checkpoint.measures("losses"))
    state.last.push_back({m.metric, at::full({}, m.value, at::kDouble)});
  std::vector<float> values(checkpoint.section("replay").size() / sizeof(float));
  checkpoint.copy_to("replay", std::as_writable_bytes(std::span(values)));
  state.buffer.restore(values, all.counters[3]);
}

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// Remembers the first update at which each loss was not finite or too large, without waiting for the
/// device. Once a parameter is bad every loss is: only the first bad one tells the cause.
class DivergenceWatch {
 public:
  explicit DivergenceWatch(double limit) : limit_(limit) {}

  /// losses: the scalars of one update, the same names in the same order each time.
  void see(const Diagnostics& losses, std::int64_t update);

  struct BadLoss {
    std::string name;
    std::int64_t update = 0;
  };
  /// The earliest one, in order of computation within an update. Waits for the device.
  [[nodiscard]] std::optional<BadLoss> first_bad() const;

 private:
  double limit_;
  std::vector<std::string> names_;
  Tensor first_bad_;  // (n)  update of the first bad value, kNever when there was none
};

void DivergenceWatch::see(const Diagnostics& losses, std::int64_t update) {
  const at::NoGradGuard no_grad;
  std::vector<Tensor> values;
  for (const NamedTensor& l : losses) values.push_back(l.tensor);
  const Tensor sound = at::stack(values).abs().lt(limit_);  // false for NaN
  if (!first_bad_.defined()) {
    for (const NamedTensor& l : losses) names_.push_back(l.name);
    first_bad_ = at::full({sound.size(0)}, kNever, sound.options().dtype(at::kLong));
  }
  // min(first bad, this update where it is bad)
  first_bad_.clamp_max_(sound.to(at::kLong).mul_(kNever - update).add_(update));
}

std::optional<DivergenceWatch::BadLoss> DivergenceWatch::first_bad() const {
  if (!first_bad_.defined()) return {};
  const Tensor host = first_bad_.to(at::kCPU);
  std::optional<BadLoss> out;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::int64_t update = host.data_ptr<std::int64_t>()[i];
    if (update != kNever && (!out || update < out->update)) out = BadLoss{names_[i], update};
  }
  return out;
}

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
    require(state_.agent.rollout == 0 && state_.agent.update_every == 1 && !state_.agent.play,
            fmt::format("overlap is for learners that update at every step from a replay buffer, "
                        "not {}",
                        config.agent.algorithm));
    acting_copy_ = make_agent(config.agent, physics->spec, place.device, seeds_.child("agent"));
    side_.emplace(config.threads);
  }

  TrainResult run() {
    resume();
    start_episode();
    while (state_.step < config_.steps && problem_.empty()) {
      if (observer_.stop && observer_.stop()) return finish(TrainEnd::kInterrupted);
      const bool ended = config_.overlap ? step_beside_learning() : step_then_learn();
      observe(ended);
      if (ended && state_.step < config_.steps && problem_.empty()) {
        save();
        start_episode();
      }
    }
    if (problem_.empty()) evaluate_at_end();
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
    if (observer_.step) observer_.step(interaction_.taken());
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
      if (from[i].name.starts_with("actor.") || from[i].name.starts_with("actor_units."))
        to[i].tensor.detach().copy_(from[i].tensor.detach());
    }
  }

  [[nodiscard]] bool learning_due(std::int64_t steps) const {
    const int rollout = state_.agent.rollout;
    if (rollout > 0) return state_.buffer.size() >= rollout;
    const int every = state_.agent.update_every;
    if (every == 1) return steps > config_.random_steps;
    // the first one before the agent acts for the first time
    return steps >= config_.random_steps && (steps - config_.random_steps) % every == 0;
  }

  void learn() {
    Rng rng = seeds_.stream("update", static_cast<std::uint64_t>(state_.updates));
    state_.last = state_.agent.update(state_.buffer, rng);
    watch_.see(state_.last, state_.updates);
    ++state_.updates;
    if (state_.agent.rollout > 0) state_.buffer.clear();
  }

  /// Reads the last losses off the device; a bad one, now or since the last time, ends the run.
  std::vector<Measure> losses() {
    const std::vector<Measure> out = losses_of(state_);
    if (const auto bad = watch_.first_bad()) {
      problem_ = fmt::format("{} was not finite, or above {:g}, at update {}", bad->name,
                             kLossLimit, bad->update);
    }
    return out;
  }

  void observe(bool ended) {
    const bool evaluation = evaluation_due();
    const bool saving = ended && save_due();
    const bool progress = state_.step % kProgressSteps == 0;
    if (!evaluation && !saving && !progress) return;
    const std::vector<Measure> now = losses();
    if (progress && observer_.progress) {
      observer_.progress({state_.step, state_.updates, state_.episodes, last_return_, now});
    }
    if (!evaluation || !problem_.empty()) return;
    const auto index = static_cast<std::uint64_t>(state_.step / config_.eval_every);
    evaluate_now(now, seeds_.child("evaluate", index));
  }

  [[nodiscard]] bool evaluation_due() const { return state_.step % config_.eval_every == 0; }

  /// Every finished run has an evaluation of its last step.
  void evaluate_at_end() {
    if (evaluation_due()) return;
    const std::vector<Measure> now = losses();
    if (problem_.empty()) evaluate_now(now, seeds_.child("evaluate-end"));
  }

  void evaluate_now(const std::vector<Measure>& losses, const SeedTree& seeds) {
    const Evaluation e =
        evaluate(state_.agent, physics_, config_.eval_episodes, place_.device, seeds);
    auto& m = state_.measures;
    m.push_back({"return", state_.step, e.mean});
    m.push_back({"return_std", state_.step, e.deviation});
    m.push_back({"length", state_.step, e.mean_length});
    m.insert(m.end(), losses.begin(), losses.end());
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
            .tensors = state_.agent.tensors(),
            .network_policy = state_.agent.network_policy};
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
  DivergenceWatch watch_{kLossLimit};
  double last_return_ = 0;
  std::int64_t last_saved_ = 0;
  std::string problem_;
};

}  // namespace

std::optional<FinalReturn> final_return(const std::vector<Measure>& measures) {
  std::vector<double> returns;
  for (const Measure& m : measures) {
    if (m.metric == "return") returns.push_back(m.value);
  }
  if (returns.empty()) return {};
  const auto window = std::min<std::size_t>(returns.size(), kResultWindow);
  double sum = 0;
  for (std::size_t i = returns.size() - window; i < returns.size(); ++i) sum += returns[i];
  return FinalReturn{sum / static_cast<double>(window), static_cast<int>(window)};
}

TrainResult train(const TrainConfig& config, const std::shared_ptr<const Physics>& physics,
                  const RunPlace& place, const TrainObserver& observer) {
  return Loop(config, physics, place, observer).run();
}

}  // namespace speder::deep
