#include "speder/deep/imitate/config.hpp"

#include "speder/core/check.hpp"
#include "speder/deep/learn/config.hpp"

namespace speder::deep {
namespace {

constexpr Limits kFraction{0, 1};
constexpr Limits kWeight{-1, 1e12};
constexpr Limits kLogVariance{-30, 30};

void require_word(const ConfigTable& table, const char* key, const std::string& value,
                  const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) {
    if (word == value) return;
    list += " " + word;
  }
  table.fail(key, fmt::format("'{}' is none of:{}", value, list));
}

struct TableRow {
  std::string_view layout, style;
  double mu, ortho;                  // without the normalisation term
  double mu_norm, ortho_norm, norm;  // with it
};
// [tab:speder-bc-coefficients]
constexpr TableRow kCoefficients[] = {{"large", "diverse", 0.1, 0.1, 0.01, 0.01, 1},
                                      {"large", "play", 0.01, 0.01, 1, 0.01, 1},
                                      {"medium", "diverse", 1, 0.01, 0.1, 1, 0.1},
                                      {"medium", "play", 1, 0.01, 1, 0.1, 1}};

}  // namespace

template <class Visitor>
void visit_settings(Visitor&& v, ImitateConfig& c) {
  v("body", c.body);
  v("layout", c.layout);
  v("style", c.style);
  v("method", c.method);
  v("seed", c.seed);
  v("rows", c.rows);
  v("expert_episodes", c.expert_episodes);
  v("data_noise", c.data_noise, Limits{0, 10});
  v("expert_noise", c.expert_noise, Limits{0, 10});
  v("hidden", c.hidden);
  v("latent", c.latent, Limits{0, 65536});
  v("skill", c.skill);
  v("fourier", c.fourier);
  v("window", c.window);
  v("rnn", c.rnn);
  v("pretrain_steps", c.pretrain_steps);
  v("batch", c.batch, Limits{2, 65536});
  v("pretrain_lr", c.pretrain_lr, kFraction);
  v("mu_weight", c.mu_weight, kWeight);
  v("ortho_weight", c.ortho_weight, kWeight);
  v("norm_weight", c.norm_weight, kWeight);
  v("pair_weight", c.pair_weight, Limits{0, 1e12});
  v("base", c.base);
  v("ortho", c.ortho);
  v("log_floor", c.log_floor, Limits{1e-12, 1});
  v("decoder_gradient", c.decoder_gradient);
  v("latent_scale", c.latent_scale);
  v("latent_rate", c.latent_rate, kFraction);
  v("decoder", c.decoder);
  v("entropy_bonus", c.entropy_bonus);
  v("standardise_states", c.standardise_states);
  v("skill_kl", c.skill_kl, Limits{0, 1e6});
  v("steps", c.steps);
  v("lr", c.lr, kFraction);
  v("decay", c.decay);
  v("logvar_low", c.logvar_low, kLogVariance);
  v("logvar_high", c.logvar_high, kLogVariance);
  v("eval_every", c.eval_every);
  v("eval_episodes", c.eval_episodes);
  v("last_evaluations", c.last_evaluations);
  v("final_episodes", c.final_episodes);
  v("goal", c.goal);
  v("latent_action", c.latent_action);
  v("decoder_action", c.decoder_action);
}

namespace {

ImitateSuite read(const ConfigTable& table) {
  ImitateSuite suite;
  table.read("layouts", suite.layouts);
  table.read("styles", suite.styles);
  table.read("methods", suite.methods);
  table.read("windows", suite.windows);
  table.read("seeds", suite.seeds);
  visit_settings(ReadFrom{table}, suite.base);
  if (!suite.methods.empty()) return suite;
  for (const ImitationMethod& m : imitation_methods()) suite.methods.emplace_back(m.name);
  return suite;
}

void check(const ConfigTable& table, const ImitateSuite& suite) {
  const ImitateConfig& c = suite.base;
  for (const std::string& m : suite.methods) (void)find_method(m);
  for (const std::string& l : suite.layouts) require_word(table, "layouts", l, {"medium", "large"});
  for (const std::string& s : suite.styles) require_word(table, "styles", s, {"diverse", "play"});
  if (table.has("windows") && table.has("window")) {
    table.fail("window", "this suite has a list of them: windows=[1, 10]");
  }
  require_word(table, "body", c.body, {"point", "ant"});
  require_word(table, "base", c.base, {"data", "gaussian"});
  require_word(table, "ortho", c.ortho, {"v", "u"});
  require_word(table, "latent_scale", c.latent_scale, {"none", "sqrt_d", "standardise"});
  require_word(table, "decoder", c.decoder, {"gaussian", "tanh"});
  require_word(table, "decay", c.decay, {"piecewise", "none"});
  require_word(table, "goal", c.goal, {"redrawn", "fixed"});
  require_word(table, "latent_action", c.latent_action, {"sample", "mean"});
  require_word(table, "decoder_action", c.decoder_action, {"mode", "sample"});
}

}  // namespace

const std::vector<ImitationMethod>& imitation_methods() {
  static const std::vector<ImitationMethod> table = {
      {"speder", MethodKind::kSpectral, 256, 3e-5, true},
      {"speder-nonorm", MethodKind::kSpectral, 256, 3e-5, false},
      {"bc", MethodKind::kDirect, 0, 1e-4, false},
      {"trail-ebm", MethodKind::kEnergy, 64, 3e-5, false},
      {"trail-linear", MethodKind::kFourier, 64, 3e-5, false},
      {"opal", MethodKind::kSkill, 0, 1e-4, false},
      {"spirl", MethodKind::kSkill, 0, 1e-4, false},
      {"skild", MethodKind::kSkill, 0, 1e-4, false}};
  return table;
}

const ImitationMethod& find_method(std::string_view name) {
  std::string names;
  for (const ImitationMethod& method : imitation_methods()) {
    if (method.name == name) return method;
    names += fmt::format(" {}", method.name);
  }
  throw InputError(fmt::format("no method is called '{}'; there are:{}", name, names));
}

SpectralCoefficients coefficients(const ImitateConfig& c) {
  const bool norm = find_method(c.method).norm;
  SpectralCoefficients out{};
  for (const TableRow& row : kCoefficients) {
    if (row.layout != c.layout || row.style != c.style) continue;
    out = norm ? SpectralCoefficients{row.mu_norm, row.ortho_norm, row.norm}
               : SpectralCoefficients{row.mu, row.ortho, 0};
  }
  if (c.mu_weight >= 0) out.mu = c.mu_weight;
  if (c.ortho_weight >= 0) out.ortho = c.ortho_weight;
  if (c.norm_weight >= 0 && norm) out.norm = c.norm_weight;
  return out;
}

int latent_size(const ImitateConfig& c) {
  const ImitationMethod& method = find_method(c.method);
  if (method.kind == MethodKind::kSkill) return c.skill;
  return c.latent > 0 ? c.latent : method.latent;
}

int hold(const ImitateConfig& c) {
  return find_method(c.method).kind == MethodKind::kSkill ? c.window : 1;
}

double learning_rate(const ImitateConfig& c, std::int64_t step) {
  const double lr = c.lr > 0 ? c.lr : find_method(c.method).lr;
  const double share = static_cast<double>(step) / c.steps;
  if (c.decay == "none" || share < 0.9) return lr;
  return share < 0.95 ? 0.1 * lr : 0.01 * lr;
}

ImitateSuite read_imitate_suite(const std::filesystem::path& file, std::string_view overrides) {
  const ConfigTable table = overlay(file, overrides);
  ImitateSuite suite = read(table);
  table.refuse_unknown();
  check(table, suite);
  return suite;
}

ImitateSuite parse_imitate_suite(std::string_view text, std::string_view name) {
  return read(ConfigTable::parse(text, name));
}

std::vector<int> windows_of(const ImitateSuite& suite, const std::string& method) {
  if (find_method(method).kind != MethodKind::kSkill || suite.windows.empty()) {
    return {suite.base.window};
  }
  return suite.windows;
}

std::string to_toml(const ImitateConfig& config) { return settings_text(config); }

std::string to_toml(const ImitateSuite& suite) {
  std::string out;
  const WriteTo write{out};
  write("layouts", suite.layouts);
  write("styles", suite.styles);
  if (!suite.methods.empty()) write("methods", suite.methods);
  if (!suite.windows.empty()) write("windows", suite.windows);
  write("seeds", suite.seeds);
  return out + to_toml(suite.base);
}

}  // namespace speder::deep
