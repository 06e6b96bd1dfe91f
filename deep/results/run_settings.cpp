#include "speder/deep/results/run_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "speder/core/check.hpp"
#include "speder/deep/results/table.hpp"

namespace speder::deep {
namespace {

using Settings = std::map<std::string, std::string>;

/// Settings that some algorithms alone read. "sac*" stands for all whose names begin so, "pets*" likewise.
const std::map<std::string_view, std::vector<std::string_view>> kReaders = {
    {"feature_dim", {"speder", "deepsf", "spede"}},
    {"feature_hidden", {"speder", "deepsf", "spede", "proto"}},
    {"feature_lr", {"speder", "deepsf", "spede", "proto"}},
    {"objective", {"speder"}},
    {"ortho_weight", {"speder"}},
    {"prob_weight", {"speder"}},
    {"reward_weight", {"speder"}},
    {"reward_model", {"speder"}},
    {"feature_updates", {"speder"}},
    {"feature_whiten", {"speder"}},
    {"feature_norm", {"speder"}},
    {"head_norm", {"speder"}},
    {"head_raw", {"speder"}},
    {"head_layers", {"speder"}},
    {"features", {"speder"}},
    {"feature_bound", {"speder"}},
    {"far_successors", {"speder"}},
    {"successor_noise", {"speder"}},
    {"feature_decay", {"speder"}},
    {"scaled_bonus", {"speder"}},
    {"scaled_bonus_steps", {"speder"}},
    {"in_batch", {"speder"}},
    {"twin", {"speder", "sac*"}},
    {"unit_every", {"speder", "sac*"}},
    {"returns", {"speder", "sac*"}},
    {"critic_norm", {"sac*"}},
    {"observation_norm", {"speder"}},
    {"feature_tau", {"speder", "spede"}},
    {"bonus", {"spede", "speder"}},
    {"bonus_ridge", {"speder", "spede"}},
    {"bonus_refresh", {"speder", "spede"}},
    {"critic_observation_norm", {"sac*"}},
    {"actor_observation_norm", {"speder", "sac*", "spede", "deepsf"}},
    {"rollout", {"ppo", "trpo"}},
    {"epochs", {"ppo"}},
    {"ppo_batch", {"ppo"}},
    {"clip", {"ppo"}},
    {"gae_lambda", {"ppo", "trpo", "metrpo", "dreamer"}},
    {"trust_radius", {"trpo", "metrpo"}},
    {"cg_iterations", {"trpo", "metrpo"}},
    {"cg_damping", {"trpo", "metrpo"}},
    {"value_steps", {"trpo", "metrpo"}},
    {"imagined_steps", {"metrpo"}},
    {"imagined_length", {"metrpo"}},
    {"policy_rounds", {"metrpo"}},
    {"model_noise", {"spede"}},
    {"explore", {"spede"}},
    {"latent_groups", {"dreamer"}},
    {"latent_classes", {"dreamer"}},
    {"recurrent", {"dreamer"}},
    {"dreamer_hidden", {"dreamer"}},
    {"sequences", {"dreamer"}},
    {"sequence_length", {"dreamer"}},
    {"imagine_horizon", {"dreamer"}},
    {"imagine_starts", {"dreamer"}},
    {"pretrain", {"dreamer"}},
    {"actor_entropy", {"dreamer"}},
    {"projection", {"proto"}},
    {"prototypes", {"proto"}},
    {"explore_steps", {"proto"}},
    {"ensemble", {"rs", "pets*", "metrpo"}},
    {"model_hidden", {"rs", "pets*", "metrpo"}},
    {"model_lr", {"rs", "pets*", "metrpo", "dreamer"}},
    {"model_decay", {"rs", "pets*", "metrpo"}},
    {"model_batch", {"rs", "pets*", "metrpo"}},
    {"model_steps", {"rs", "pets*", "metrpo"}},
    {"plan_horizon", {"rs", "pets*"}},
    {"plan_samples", {"rs", "pets*"}},
    {"plan_elites", {"pets-cem"}},
    {"plan_iterations", {"rs", "pets*"}},
    {"plan_inertia", {"pets-cem"}},
    {"plan_on", {"pets-cem"}},
    {"propagation", {"rs", "pets*"}},
    {"particles", {"pets*"}},
    {"stop_at_end", {"rs", "pets*", "metrpo"}},
    {"update_every",
     {"speder", "sac*", "deepsf", "rs", "pets*", "metrpo", "spede", "dreamer", "proto"}},
    {"batch", {"speder", "sac*", "deepsf", "spede", "proto"}},
    {"tau", {"speder", "sac*", "deepsf", "spede", "proto"}},
    {"alpha_lr", {"speder", "sac*", "deepsf", "spede", "proto"}},
    {"initial_alpha", {"speder", "sac*", "deepsf", "spede", "proto"}},
    {"entropy_weight", {"ppo"}},
};

/// "key = value" lines; values without quotes and blanks, as a cell can hold them.
Settings parse_settings(std::string_view text) {
  Settings out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto split = line.find(" = ");
    if (split == std::string_view::npos) continue;
    std::string value(line.substr(split + 3));
    std::erase_if(value, [](char c) { return c == ' ' || c == '"'; });
    out.emplace(line.substr(0, split), value);
  }
  return out;
}

/// What a run was run with: its block of a bench's "[[run]]" list, or the whole record of a train.
Settings settings_of(const std::string& record, const GridCell& cell) {
  constexpr std::string_view kBlock = "[[run]]\n";
  std::string_view rest = record;
  while (!rest.empty()) {
    if (rest.starts_with(kBlock)) rest.remove_prefix(kBlock.size());
    const std::string_view block = rest.substr(0, rest.find(kBlock));
    rest.remove_prefix(block.size());
    Settings s = parse_settings(block);
    const bool same = std::ranges::all_of(std::array{"env", "algorithm", "preset", "steps"},
                                          [&](const char* k) { return s[k] == cell.text(k); });
    for (const char* key : {"env", "algorithm", "preset", "steps", "seed"}) s.erase(key);
    if (same) return s;
  }
  return {};
}

struct StoredRun {
  Run run;
  std::string store;
  Settings settings;
};

constexpr std::string_view kUnset = "unset";  // of a run that is older than the setting

std::string value_of(const StoredRun& run, const std::string& key) {
  const auto found = run.settings.find(key);
  return found == run.settings.end() ? std::string(kUnset) : found->second;
}

/// The settings that the algorithm reads and in which the members differ.
std::set<std::string> differing(const std::vector<const StoredRun*>& members,
                                std::string_view algorithm) {
  std::set<std::string> keys, out;
  for (const StoredRun* m : members) {
    for (const auto& [key, value] : m->settings) keys.insert(key);
  }
  for (const std::string& key : keys) {
    const bool differ = std::ranges::any_of(members, [&](const StoredRun* m) {
      return value_of(*m, key) != value_of(*members[0], key);
    });
    if (differ && reads_setting(algorithm, key)) out.insert(key);
  }
  return out;
}

/// "reward_model:false,tau:0.01"
std::string named_settings(const StoredRun& run, const std::set<std::string>& keys) {
  std::string out;
  for (const std::string& key : keys)
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", key, value_of(run, key));
  return out;
}

/// The suite of a task; of a task of none, itself.
std::string suite_of(const std::string& env) {
  for (const char* suite : {"mbbl", "dmc"}) {
    if (std::ranges::find(suite_envs(suite), env) != suite_envs(suite).end()) return suite;
  }
  return env;
}

std::vector<StoredRun> read_all(const std::vector<std::string>& stores) {
  std::vector<StoredRun> all;
  for (const std::string& path : stores) {
    const ResultStore store = ResultStore::read(path);
    const std::size_t before = all.size();
    const std::vector<ExperimentRecord> experiments = store.experiments();
    for (const ExperimentRecord& e : experiments) {
      for (Run& run : store.runs(e.id)) {
        const GridCell cell = GridCell::parse(run.key.cell);
        if (!is_training(cell)) continue;
        all.push_back({std::move(run), path, settings_of(e.config, cell)});
      }
    }
    if (all.size() > before) continue;
    const bool other = !experiments.empty() && !experiments[0].id.starts_with("deep");
    throw InputError(fmt::format(
        "{}: holds no {}; {}", path, other ? "training runs" : "finished run yet",
        other ? "show it with: " + command_that_shows(experiments[0].id, path)
              : "give the command of the training again, with --resume if it has a checkpoint"));
  }
  return all;
}

}  // namespace

bool reads_setting(std::string_view algorithm, std::string_view key) {
  const auto found = kReaders.find(key);
  return found == kReaders.end() || std::ranges::any_of(found->second, [&](std::string_view name) {
           return name.ends_with('*') ? algorithm.starts_with(name.substr(0, name.size() - 1))
                                      : algorithm == name;
         });
}

std::string settings_label(const GridCell& cell) {
  std::string label = cell.text("preset");
  if (!cell.has("with")) return label;
  std::string_view rest = cell.text("with");
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::string_view key = one.substr(0, one.find(':')),
                           value = one.substr(std::min(one.size(), key.size() + 1));
    label += value == kUnset ? fmt::format(", no {}", key) : fmt::format(", {}={}", key, value);
  }
  return label;
}

std::string older_note(const std::vector<std::string>& labels) {
  for (const std::string& label : labels) {
    const std::size_t comma = label.find(", no "), first = label.find("(no ");
    if (comma == std::string::npos && first == std::string::npos) continue;
    const std::size_t at = comma == std::string::npos ? first + 1 : comma + 2;
    const std::string said = label.substr(at, label.find_first_of(",)", at) - at);
    return fmt::format("\"{}\": runs of a build that did not have this setting yet.", said);
  }
  return "";
}

std::string common_preset(const std::vector<Run>& runs) {
  std::set<std::string> presets;
  for (const Run& run : runs) {
    const GridCell cell = GridCell::parse(run.key.cell);
    if (is_training(cell)) presets.insert(cell.text("preset"));
  }
  return presets.size() == 1 ? *presets.begin() : "";
}

std::string method_label(const GridCell& cell, std::string_view common) {
  std::string settings = settings_label(cell);
  if (!common.empty()) settings.erase(0, cell.text("preset").size());
  if (settings.starts_with(", ")) settings.erase(0, 2);
  const std::string& algorithm = cell.text("algorithm");
  return settings.empty() ? algorithm : fmt::format("{} ({})", algorithm, settings);
}

std::vector<Run> comparable_runs(const std::vector<std::string>& stores) {
  std::vector<StoredRun> all = read_all(stores);
  std::map<std::array<std::string, 3>, std::vector<const StoredRun*>> groups;
  for (const StoredRun& s : all) {
    const GridCell cell = GridCell::parse(s.run.key.cell);
    groups[{cell.text("algorithm"), cell.text("env"), cell.text("preset")}].push_back(&s);
  }
  // What tells runs of one task apart is said of the runs of all tasks of its suite: one row for one kind.
  std::map<std::array<std::string, 3>, std::set<std::string>> named;
  const auto row_of = [](const std::array<std::string, 3>& group) {
    return std::array{group[0], suite_of(group[1]), group[2]};
  };
  for (const auto& [key, members] : groups) named[row_of(key)].merge(differing(members, key[0]));
  std::vector<Run> out;
  std::map<std::pair<std::string, std::int64_t>, const StoredRun*> seen;
  for (const auto& [key, members] : groups) {
    const std::set<std::string>& keys = named.at(row_of(key));
    for (std::size_t i = 0; i < members.size(); ++i) {
      Run run = members[i]->run;
      GridCell cell = GridCell::parse(run.key.cell);
      if (!keys.empty()) run.key.cell = cell.set("with", named_settings(*members[i], keys)).key();
      const auto [first, added] = seen.try_emplace({run.key.cell, run.key.repetition}, members[i]);
      if (!added) {
        throw InputError(fmt::format(
            "seed {} of {} on {} with the same settings is in {} and in {}; give one of them",
            run.key.repetition, cell.text("algorithm"), cell.text("env"), first->second->store,
            members[i]->store));
      }
      out.push_back(std::move(run));
    }
  }
  return out;
}

}  // namespace speder::deep
