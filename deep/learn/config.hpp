#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "speder/io/toml_file.hpp"

namespace speder::deep {

/// What an agent is made of. Presets lie in suites/*.toml; the defaults here are those of `plain`.
/// DEVIATION-D5: sizes and rates that the paper leaves open are listed in docs/deep.md, Settings.
struct AgentConfig {
  std::string algorithm = "speder";  // one of algorithms()
  // networks
  int feature_dim = 256;                         // d
  std::vector<int> feature_hidden = {256, 256};  // of φ and μ
  int critic_width = 256;                        // of the critic head's hidden layers
  int head_layers = 1;                           // how many of them
  std::vector<int> actor_hidden = {256, 256};
  // representation
  // what the critic heads see: spectral φ; (s,a) with φ for the bonus alone; controls: random, a φ that never
  // learns; raw, (s,a) and no φ
  std::string features = "spectral";
  std::string objective = "exact";  // dual exact literal
  bool in_batch = false;            // base states: the other rows' successors, none drawn for it
  double successor_noise = 0.0;     // σ: μ sees s' + σz, z ~ N(0, I) in units of states
  bool far_successors = false;      // μ sees s_{t+n} of the n-step return, not s_{t+1}
  double feature_bound = 0.0;       // c: entries of φ and μ are c tanh(·/c); 0: unbounded
  double ortho_weight = 1.0;        // λ_ortho
  double prob_weight = 0.0;         // λ_prob
  double reward_weight = 0.0;  // of ½(⟨φ,θ_r⟩ − r)² in the representation loss; 0: no reward head
  bool reward_model = true;  // Q = r̂(s,a) + head(φ): the reward need not lie in the span of φ
  int feature_updates = 1;   // representation steps per update
  double feature_whiten =
      0.0;  // ρ: the critic head sees (C + ρ t I)^−½(φ − m), see Whitening; 0: φ
  bool feature_norm = true;      // the critic head sees φ with zero mean and unit variance
  bool head_norm = true;         // its hidden layers are normalised too
  bool head_raw = false;         // it sees (s,a) in units beside φ, both with the same weight
  bool observation_norm = true;  // φ and μ see states in units of the uniform steps' moments
  int unit_every = 0;            // updates between new measurements of the units; 0: never again
  bool actor_observation_norm = false;   // the actor sees states in units, too
  bool critic_observation_norm = false;  // the same for SAC's critics
  bool critic_norm = false;              // hidden layers of SAC's critics are layer-normalised
  double feature_tau = 0.005;
  double feature_lr = 3e-4;
  int feature_decay = 0;  // feature_lr falls as k/t from update t = k on; 0: it stays
  // bonus b = α ‖φ‖_{Σ⁻¹}
  double bonus = 0.0;
  double bonus_ridge = 1.0;  // λ of Σ = N E[φφᵀ] + λI
  int bonus_refresh = 1000;  // updates between factorisations of Σ
  // bonus in units of its mean, β √(N₀/N) (u/ū − 1) with u = ‖φ‖_{Σ⁻¹}, in a critic head of its own
  double scaled_bonus = 0.0;        // β
  int scaled_bonus_steps = 10'000;  // N₀
  // actor and critic
  int batch = 256;
  double discount = 0.99;
  int returns = 1;           // steps of the return in a critic's target
  std::string twin = "min";  // what twin critics say together, in target and actor: min or mean
  double tau = 0.005;
  double actor_lr = 3e-4;
  double critic_lr = 3e-4;
  double alpha_lr = 3e-4;
  double initial_alpha = 0.1;
  int update_every = 1;  // steps between updates of a learner with a replay buffer
  // ppo and trpo
  int rollout = 2048;
  int epochs = 10;
  int ppo_batch = 64;
  double clip = 0.2;
  double gae_lambda = 0.95;
  double entropy_weight = 0.0;
  // trust region (trpo, metrpo); the value network learns at critic_lr
  double trust_radius = 0.01;  // δ, the bound on mean KL(old‖new)
  int cg_iterations = 10;
  double cg_damping = 0.1;  // ξ of F + ξI
  int value_steps = 20;     // full-batch steps of the value network per round
  // ensemble of dynamics networks (rs, pets-rs, pets-cem, metrpo)
  int ensemble = 5;
  std::vector<int> model_hidden = {128, 128};
  double model_lr = 1e-3;
  double model_decay = 5e-5;  // of ½ decay ‖θ‖² in the loss
  int model_batch = 256;
  int model_steps = 500;  // at most, per fit
  // planning
  int plan_horizon = 20;
  int plan_samples = 200;            // N of each iteration; rs and pets-rs draw all I · N at once
  int plan_elites = 20;              // K
  int plan_iterations = 3;           // I
  double plan_inertia = 0.1;         // α of μ ← αμ + (1 − α) mean of the elites
  bool plan_on = true;               // a plan begins from the last one, shifted; else from zero
  std::string propagation = "mean";  // mean ts1 tsinf
  int particles = 20;                // of a plan, for ts1 and tsinf
  bool stop_at_end = true;           // an imagined episode ends where the task would end it
  // imagined rollouts (metrpo)
  int imagined_steps = 10'000;  // per policy step
  int imagined_length = 200;    // T, at most
  int policy_rounds = 20;       // G, policy steps per fit of the models
  // spede: feature_dim Fourier features, ψ of feature_hidden, drawn every bonus_refresh updates
  double model_noise = 1.0;          // σ, in units of states
  std::string explore = "thompson";  // thompson ucb none; ucb reads bonus
  // dreamer; λ is gae_lambda, the model learns at model_lr
  int latent_groups = 16;
  int latent_classes = 16;
  int recurrent = 128;
  std::vector<int> dreamer_hidden = {128, 128, 128};  // of encoder, decoder and heads
  int sequences = 16;
  int sequence_length = 32;
  int imagine_horizon = 10;
  int imagine_starts = 256;
  int pretrain = 100;           // updates at the first one
  double actor_entropy = 1e-4;  // η
  // proto
  int projection = 64;         // d
  int prototypes = 128;        // K; the queue has 4K places
  int explore_steps = 50'000;  // steps without the task's reward
};

/// A training run. Everything that decides its numbers is here; where it runs is in RunPlace.
struct TrainConfig {
  std::string env;
  std::string preset = "small";
  std::uint64_t seed = 0;
  int steps = 200'000;
  int random_steps = 5000;  // uniform actions, no learning
  int replay = 1'000'000;
  int eval_every = 5000;
  int eval_episodes = 10;
  int threads = 1;       // of one product; fixed, since it decides the order of sums
  bool overlap = false;  // act and step on a second thread while learning; see train()
  AgentConfig agent;
};

/// Settings from a preset file and from command-line text laid over it ("batch = 128" lines). A table
/// of the preset with the name of an algorithm, as [trpo], is for runs of that algorithm alone and counts
/// before the lines outside tables; [pets] is for pets-rs and pets-cem.
/// Unknown keys, values out of range and unknown names are ConfigErrors that name the key.
[[nodiscard]] TrainConfig read_train_config(const std::filesystem::path& preset,
                                            std::string_view overrides);
/// The whole configuration as TOML that read_train_config takes back.
[[nodiscard]] std::string to_toml(const TrainConfig& config);
/// suites/<name>.toml that came with the program, or `name` itself when it is a file.
[[nodiscard]] std::filesystem::path preset_path(const std::string& name);

// A struct of settings is listed once, in visit_settings(visitor, config), for reading and for
// writing, so that the two cannot drift apart.

/// A settings file with command-line text ("batch = 128" lines) laid over it.
[[nodiscard]] inline ConfigTable overlay(const std::filesystem::path& file,
                                         std::string_view overrides) {
  return ConfigTable::parse(overrides, "command line").over(ConfigTable::load(file));
}

[[nodiscard]] inline std::string listed(const std::vector<int>& values, std::string_view between) {
  std::string out;
  for (const int v : values) out.append(out.empty() ? "" : between).append(std::to_string(v));
  return out;
}

struct ReadFrom {
  const ConfigTable& table;
  template <class T, class... L>
  void operator()(const char* key, T& value, L... limits) const {
    table.read(key, value, limits...);
  }
};

struct WriteTo {
  std::string& out;
  template <class... L>
  void operator()(const char* key, const std::string& value, L...) const {
    out += fmt::format("{} = \"{}\"\n", key, value);
  }
  template <class... L>
  void operator()(const char* key, const std::vector<int>& values, L...) const {
    out += fmt::format("{} = [{}]\n", key, listed(values, ", "));
  }
  void operator()(const char* key, const std::vector<std::string>& values) const {
    std::string list;
    for (const std::string& v : values)
      list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", v);
    out += fmt::format("{} = [{}]\n", key, list);
  }
  template <class... L>
  void operator()(const char* key, double value, L...) const {
    const std::string text = fmt::format("{}", value);
    const bool whole = text.find_first_of(".en") == std::string::npos;
    out += fmt::format("{} = {}{}\n", key, text, whole ? ".0" : "");
  }
  template <class... L>
  void operator()(const char* key, bool value, L...) const {
    out += fmt::format("{} = {}\n", key, value);
  }
  template <class T, class... L>
  requires std::integral<T>
  void operator()(const char* key, T value, L...) const {
    out += fmt::format("{} = {}\n", key, value);
  }
};

template <class Config>
[[nodiscard]] std::string settings_text(Config config) {
  std::string out;
  visit_settings(WriteTo{out}, config);
  return out;
}

}  // namespace speder::deep
