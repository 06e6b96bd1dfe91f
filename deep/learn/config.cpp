#include "speder/deep/learn/config.hpp"

#include <fmt/format.h>

#include <cctype>

#include "speder/core/check.hpp"
#include "speder/deep/learn/agents/pets.hpp"
#include "speder/deep/learn/features/spectral_loss.hpp"
#include "speder/deep/sim/data_files.hpp"
#include "speder/deep/sim/env/task.hpp"

namespace speder::deep {
namespace {

constexpr Limits kCount{0, 2147483647};
constexpr Limits kUnitInterval{0, 1};
constexpr Limits kNonNegative{0, 1e12};
constexpr Limits kRate{1e-12, 1};

void require_known_names(const AgentConfig& a) {
  static_cast<void>(objective_named(a.objective));  // throws with the choices
  if (a.features != "spectral" && a.features != "bonus" && a.features != "random" &&
      a.features != "raw") {
    throw InputError(
        fmt::format("features = \"{}\": there are spectral, bonus, random and raw", a.features));
  }
  if (a.features == "bonus" && !(a.bonus > 0 || a.scaled_bonus > 0)) {
    throw InputError("features = \"bonus\" needs bonus or scaled_bonus > 0: nothing else reads φ");
  }
  if (a.twin != "min" && a.twin != "mean") {
    throw InputError(fmt::format("twin = \"{}\": there are min and mean", a.twin));
  }
  if (a.in_batch && a.objective == "literal") {
    throw InputError(
        "in_batch = true: the literal objective draws its base states from N(0, I); set "
        "in_batch=false");
  }
}

void require_plan(const AgentConfig& a) {
  if (a.plan_elites > a.plan_samples) {
    throw InputError(fmt::format("plan_elites = {}: must be at most plan_samples = {}",
                                 a.plan_elites, a.plan_samples));
  }
  if (a.propagation != "mean" && a.particles % a.ensemble != 0) {
    throw InputError(fmt::format("particles = {}: must be a multiple of ensemble = {}", a.particles,
                                 a.ensemble));
  }
}

void require_explore_named(const std::string& name, double bonus) {
  if (name == "ucb" && !(bonus > 0)) throw InputError("explore = \"ucb\" needs bonus > 0");
  if (name == "thompson" || name == "none" || name == "ucb") return;
  throw InputError(fmt::format("explore = \"{}\": there are thompson, ucb and none", name));
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
  v("in_batch", a.in_batch);
  v("successor_noise", a.successor_noise, kNonNegative);
  v("far_successors", a.far_successors);
  v("feature_bound", a.feature_bound, kNonNegative);
  v("ortho_weight", a.ortho_weight, kNonNegative);
  v("prob_weight", a.prob_weight, kNonNegative);
  v("reward_weight", a.reward_weight, kNonNegative);
  v("reward_model", a.reward_model);
  v("feature_updates", a.feature_updates);
  v("feature_whiten", a.feature_whiten, kNonNegative);
  v("feature_norm", a.feature_norm);
  v("head_norm", a.head_norm);
  v("head_raw", a.head_raw);
  v("observation_norm", a.observation_norm);
  v("unit_every", a.unit_every, kCount);
  v("actor_observation_norm", a.actor_observation_norm);
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
  v("twin", a.twin);
  v("tau", a.tau, kUnitInterval);
  v("actor_lr", a.actor_lr, kRate);
  v("critic_lr", a.critic_lr, kRate);
  v("alpha_lr", a.alpha_lr, kRate);
  v("initial_alpha", a.initial_alpha, Limits{1e-9, 1e9});
  v("update_every", a.update_every);
  v("rollout", a.rollout);
  v("epochs", a.epochs);
  v("ppo_batch", a.ppo_batch);
  v("clip", a.clip, kUnitInterval);
  v("gae_lambda", a.gae_lambda, kUnitInterval);
  v("entropy_weight", a.entropy_weight, kNonNegative);
  v("trust_radius", a.trust_radius, Limits{1e-9, 1e3});
  v("cg_iterations", a.cg_iterations, Limits{1, 1000});
  v("cg_damping", a.cg_damping, kNonNegative);
  v("value_steps", a.value_steps, kCount);
  v("ensemble", a.ensemble, Limits{1, 1000});
  v("model_hidden", a.model_hidden);
  v("model_lr", a.model_lr, kRate);
  v("model_decay", a.model_decay, kNonNegative);
  v("model_batch", a.model_batch);
  v("model_steps", a.model_steps);
  v("plan_horizon", a.plan_horizon);
  v("plan_samples", a.plan_samples);
  v("plan_elites", a.plan_elites);
  v("plan_iterations", a.plan_iterations);
  v("plan_inertia", a.plan_inertia, kUnitInterval);
  v("plan_on", a.plan_on);
  v("propagation", a.propagation);
  v("particles", a.particles);
  v("stop_at_end", a.stop_at_end);
  v("imagined_steps", a.imagined_steps);
  v("imagined_length", a.imagined_length);
  v("policy_rounds", a.policy_rounds);
  v("model_noise", a.model_noise, Limits{1e-6, 1e6});
  v("explore", a.explore);
  v("latent_groups", a.latent_groups);
  v("latent_classes", a.latent_classes, Limits{2, 100'000});
  v("recurrent", a.recurrent);
  v("dreamer_hidden", a.dreamer_hidden);
  v("sequences", a.sequences);
  v("sequence_length", a.sequence_length, Limits{2, 100'000});
  v("imagine_horizon", a.imagine_horizon, Limits{2, 100'000});
  v("imagine_starts", a.imagine_starts);
  v("pretrain", a.pretrain);
  v("actor_entropy", a.actor_entropy, kNonNegative);
  v("projection", a.projection);
  v("prototypes", a.prototypes);
  v("explore_steps", a.explore_steps, kCount);
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

namespace {

// Tables of a preset that count for some runs alone: of a suite's tasks, of an algorithm, of both. A later one
// of the list counts before an earlier one.
constexpr std::string_view kSections[] = {"dmc",     "speder", "sac3+",     "trpo",
                                          "rs",      "pets",   "metrpo",    "spede",
                                          "dreamer", "proto",  "speder-dmc"};

/// "mbbl", "dmc", …; nothing for what is no task of the tables.
std::string suite_of_task(std::string_view env) {
  std::string suite;
  for (const Task& task : tasks()) {
    if (task.name == env) suite = task.suite;
  }
  for (char& c : suite) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return suite;
}

bool is_for(std::string_view section, std::string_view algorithm, std::string_view suite) {
  return section == algorithm || section == suite ||
         section == fmt::format("{}-{}", algorithm, suite) ||
         (section == "pets" && algorithm.starts_with("pets-"));
}

/// The preset with the run's own tables before it; mistakes in any of them are refused.
ConfigTable preset_table(const std::filesystem::path& file, std::string_view overrides) {
  const ConfigTable command_line = ConfigTable::parse(overrides, "command line");
  const ConfigTable preset = ConfigTable::load(file);
  ConfigTable all = command_line.over(preset);
  std::string algorithm = AgentConfig{}.algorithm, env;
  all.read("algorithm", algorithm);
  all.read("env", env);
  const std::string suite = suite_of_task(env);
  ConfigTable layers = preset;
  for (const std::string_view name : kSections) {
    if (!preset.has(name)) continue;
    const ConfigTable section = preset.table(name);
    TrainConfig unused;
    visit_settings(ReadFrom{section}, unused);
    section.refuse_unknown();
    if (is_for(name, algorithm, suite)) layers = section.over(layers);
  }
  all = command_line.over(layers);
  for (const std::string_view name : kSections) {
    if (preset.has(name)) static_cast<void>(all.table(name));
  }
  return all;
}

}  // namespace

TrainConfig read_train_config(const std::filesystem::path& preset, std::string_view overrides) {
  const ConfigTable table = preset_table(preset, overrides);
  TrainConfig config;
  visit_settings(ReadFrom{table}, config);
  table.refuse_unknown();
  require_known_names(config.agent);
  static_cast<void>(propagation_named(config.agent.propagation));
  require_plan(config.agent);
  require_explore_named(config.agent.explore, config.agent.bonus);
  return config;
}

std::string to_toml(const TrainConfig& config) { return settings_text(config); }

std::filesystem::path preset_path(const std::string& name) {
  if (std::filesystem::is_regular_file(name)) return name;
  std::filesystem::path path = find_data_file("suites", name + ".toml");
  if (std::filesystem::is_regular_file(path)) return path;
  throw InputError(fmt::format("no preset '{}' (looked for {}); there are: small plain large paper",
                               name, path.string()));
}

}  // namespace speder::deep
