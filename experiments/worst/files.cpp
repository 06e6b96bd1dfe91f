#include "speder/experiments/worst/files.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "speder/core/check.hpp"
#include "speder/io/text_file.hpp"
#include "speder/mdp/file/mdp_file.hpp"

namespace speder::worst {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kFormat = "speder-worst-instance";

// v(name, field) for every setting, in file order.
template <class S, class V>
void visit(S& s, V v) {
  v("kind", s.kind), v("rank", s.rank), v("actions", s.actions), v("class_size", s.class_size);
  v("gamma", s.gamma), v("epsilon", s.epsilon), v("delta", s.delta), v("overlap", s.overlap);
  v("c_alpha", s.c_alpha), v("c_lambda", s.c_lambda), v("episodes", s.episodes);
}

Json instance_json(const Setting& setting, const Genes& genes) {
  Json json;
  json["format"] = kFormat;
  visit(setting, [&](const char* name, const auto& value) { json[name] = value; });
  json["genes"] = genes;
  return json;
}
Json episodes_json(double n) { return std::isinf(n) ? Json(nullptr) : Json(n); }

}  // namespace

std::string report_json(const SearchOptions& o, const SearchReport& report) {
  Json json;
  json["axis"] = o.axis, json["kind"] = o.setting.kind, json["seed"] = o.seed;
  json["complete"] = report.complete;
  json["worst"] = Json::array();
  Index tried = 0;
  for (const WorstInstance& w : report.worst) {
    tried += w.tried;
    json["worst"].push_back({{"value", w.value},
                             {"tried", w.tried},
                             {"random_median", w.typical},
                             {"searched", episodes_json(w.searched)},
                             {"fresh", episodes_json(w.fresh.n)},
                             {"fresh_log_sd", std::sqrt(w.fresh.log_variance)},
                             {"fresh_runs", o.fresh_runs},
                             {"stuck", w.stuck},
                             {"instance", fmt::format("worst-{}{}.json", o.axis, w.value)}});
  }
  json["tried"] = tried;
  json["theory"] = report.theory;
  if (report.fit.fitted) {
    const Interval i = report.fit.interval(0);
    json["exponent"] = report.fit.exponent[0];
    json["interval"] = {i.low, i.high};
  }
  json["verdict"] = to_string(report.judgement.verdict);
  json["reason"] = report.judgement.reason;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void save_report(const SearchOptions& o, const SearchReport& report) {
  for (const WorstInstance& w : report.worst) {
    const Setting s = setting_at(o, w.value);
    const std::string stem = fmt::format("worst-{}{}", o.axis, w.value);
    write_text_file(o.out / (stem + ".json"), instance_json(s, w.genes).dump(1) + "\n");
    save_mdp(o.out / (stem + ".h5"), make_mdp(s, w.genes));
  }
  write_text_file(o.out / "report.json", report_json(o, report));
}

SavedInstance load_instance(const std::filesystem::path& path) {
  const std::string file = path.string();
  Json json;
  try {
    json = Json::parse(read_text_file(file));
  } catch (const nlohmann::json::exception&) {
    throw InputError(fmt::format("{}: not a JSON file (damaged or cut off?)", file));
  }
  if (!json.is_object() || json.value("format", Json()) != Json(kFormat)) {
    throw InputError(fmt::format("{}: not an instance of speder worst", file));
  }
  SavedInstance saved;
  const auto read = [&](const char* name, auto& field) {
    if (!json.contains(name)) throw ConfigError(file, name, "missing");
    try {
      json.at(name).get_to(field);
    } catch (const nlohmann::json::exception&) {
      throw ConfigError(file, name, "of the wrong type");
    }
  };
  visit(saved.setting, read);
  read("genes", saved.genes);
  const Setting& s = saved.setting;
  require_valid(s);
  const auto inside = [&](const char* name, double value, double low, double high) {
    if (!(value > low && value < high))
      throw ConfigError(file, name, fmt::format("must lie between {} and {}", low, high));
  };
  inside("gamma", s.gamma, 0, 1), inside("delta", s.delta, 0, 1);
  inside("epsilon", s.epsilon, 0, 1e6), inside("c_lambda", s.c_lambda, 0, 1e6);
  if (!(s.c_alpha >= 0)) throw ConfigError(file, "c_alpha", "must not be negative");
  constexpr Index kMostEpisodes = 10'000'000;
  if (s.episodes < 1 || s.episodes > kMostEpisodes)
    throw ConfigError(file, "episodes", fmt::format("must be 1 to {}", kMostEpisodes));
  constexpr Index kMostClass = 4096;
  if (s.class_size > kMostClass)
    throw ConfigError(file, "class_size", fmt::format("must be at most {}", kMostClass));
  if (saved.genes.size() != gene_count(s)) {
    throw ConfigError(
        file, "genes",
        fmt::format("expected {} numbers, found {}", gene_count(s), saved.genes.size()));
  }
  for (const double g : saved.genes) {
    if (!(g >= 0 && g <= 1)) throw ConfigError(file, "genes", "must lie in [0, 1]");
  }
  return saved;
}

}  // namespace speder::worst
