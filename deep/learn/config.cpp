#include "speder/deep/learn/config.hpp"

#include <fmt/format.h>

#include "speder/core/check.hpp"
#include "speder/deep/learn/features/spectral_loss.hpp"
#include "speder/deep/sim/data_files.hpp"

namespace speder::deep {
namespace {

constexpr Limits kCount{0, 2147483647};
constexpr Limits kUnitInterval{0, 1};
constexpr Limits kNonNegative{0, 1e12};
constexpr Limits kRate{1e-12, 1};

void require_features_named(const std::string& name) {
  if (name == "spectral" || name == "random" || name == "raw") return;
  throw InputError(fmt::format("features = \"{}\": there are spectral, random and raw", name));
}

template <class Visitor>
void visit_agent(Visitor&& v, AgentConfig& a) {
  v("algorithm", a.algorithm);
  v("feature_dim", a.feature_dim);
  v("feature_hidden", a.feature_hidden);
  v("critic_width", a.critic_width);
  v("head_layers", a.head_layers, Limits{1, 8});
  v("actor_hidden", a.actor_hidden);
  v("features", a.features);
  v("objective", a.objective);
  v("ortho_weight", a.ortho_weight, kNonNegative);
  v("prob_weight", a.prob_weight, kNonNegative);
  v("reward_weight", a.reward_weight, kNonNegative);
  v("reward_model", a.reward_model);
  v("feature_updates", a.feature_updates);
  v("feature_norm", a.feature_norm);
  v("head_norm", a.head_norm);
  v("head_raw", a.head_raw);
  v("observation_norm", a.observation_norm);
  v("unit_every", a.unit_every, kCount);
  v("critic_observation_norm", a.critic_observation_norm);
  v("critic_norm", a.critic_norm);
  v("feature_tau", a.feature_tau, kUnitInterval);
  v("feature_lr", a.feature_lr, kRate);
  v("feature_decay", a.feature_decay, kCount);
  v("bonus", a.bonus, kNonNegative);
  v("bonus_ridge", a.bonus_ridge, Limits{1e-9, 1e12});
  v("bonus_refresh", a.bonus_refresh);
  v("scaled_bonus", a.scaled_bonus, kNonNegative);
  v("scaled_bonus_steps", a.scaled_bonus_steps);
  v("batch", a.batch);
  v("discount", a.discount, kUnitInterval);
  v("returns", a.returns, Limits{1, 100});
  v("tau", a.tau, kUnitInterval);
  v("actor_lr", a.actor_lr, kRate);
  v("critic_lr", a.critic_lr, kRate);
  v("alpha_lr", a.alpha_lr, kRate);
  v("initial_alpha", a.initial_alpha, Limits{1e-9, 1e9});
  v("rollout", a.rollout);
  v("epochs", a.epochs);
  v("ppo_batch", a.ppo_batch);
  v("clip", a.clip, kUnitInterval);
  v("gae_lambda", a.gae_lambda, kUnitInterval);
  v("entropy_weight", a.entropy_weight, kNonNegative);
}

}  // namespace

template <class Visitor>
void visit_settings(Visitor&& v, TrainConfig& c) {
  v("env", c.env);
  v("preset", c.preset);
  v("seed", c.seed);
  v("steps", c.steps);
  v("random_steps", c.random_steps, kCount);
  v("replay", c.replay);
  v("eval_every", c.eval_every);
  v("eval_episodes", c.eval_episodes);
  v("threads", c.threads, Limits{1, 1024});
  v("overlap", c.overlap);
  visit_agent(v, c.agent);
}

TrainConfig read_train_config(const std::filesystem::path& preset, std::string_view overrides) {
  const ConfigTable table = overlay(preset, overrides);
  TrainConfig config;
  visit_settings(ReadFrom{table}, config);
  table.refuse_unknown();
  static_cast<void>(objective_named(config.agent.objective));  // throws with the choices
  require_features_named(config.agent.features);
  return config;
}

std::string to_toml(const TrainConfig& config) { return settings_text(config); }

std::filesystem::path preset_path(const std::string& name) {
  if (std::filesystem::is_regular_file(name)) return name;
  std::filesystem::path path = find_data_file("suites", name + ".toml");
  if (std::filesystem::is_regular_file(path)) return path;
  throw InputError(
      fmt::format("no preset '{}' (looked for {}); there are: small paper", name, path.string()));
}

}  // namespace speder::deep
