#include "speder/experiments/cli/learn_options.hpp"

#include <fmt/format.h>

#include <charconv>

#include "speder/cli/picture_options.hpp"
#include "speder/core/check.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/file/mdp_file.hpp"
#include "speder/mdp/planners/planning.hpp"

namespace speder::cli {
namespace {

void parse_knob(const std::string& text, InstanceSpec& spec) {
  const std::size_t equals = text.find('=');
  double value = 0;
  const char* end = text.data() + text.size();
  if (equals != std::string::npos && equals > 0) {
    const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, value);
    const bool whole = error == std::errc() && stop == end;
    if (whole && spec.knobs.emplace(text.substr(0, equals), value).second) return;
  }
  throw InputError(fmt::format("--knob {}: expected name=number, each name once", text));
}

}  // namespace

std::string word(std::string text) {
  for (char& c : text) {
    if (c == ' ' || c == '=' || c == '\t') c = '_';
  }
  return text.empty() ? "-" : text;
}

bool is_h5(const std::string& name) { return name.ends_with(".h5"); }

void require_h5(std::string_view option, const std::string& name) {
  if (name.empty() || is_h5(name)) return;
  throw InputError(fmt::format("{} {}: the name must end in .h5", option, name));
}

void add_mdp_options(CLI::App& app, LearnOptions& options) {
  app.add_option("--mdp", options.mdp_file, "MDP file (speder mdp make)")->group("MDP");
  app.add_option("--family", options.family.family, "Make one instead: family name")->group("MDP");
  app.add_option("--states", options.family.states, "|S|")->group("MDP");
  app.add_option("--actions", options.family.actions, "|A|")->group("MDP");
  app.add_option("--rank", options.family.rank, "d")->group("MDP");
  app.add_option("--gamma", options.gamma, "Discount; must agree with the file's")->group("MDP");
  app.add_option("--knob", options.knobs, "name=value, repeatable")->group("MDP");
  app.add_option("--mdp-seed", options.family.seed, "Seed of the instance")
      ->capture_default_str()
      ->group("MDP");
}

void add_class_options(CLI::App& app, LearnOptions& options) {
  ClassSpec& spec = options.class_spec;
  app.add_option(
         "--class", spec.kind,
         "multiscale: candidates at L2 distance base*2^-j from P*; product: Phi x Psi; net: "
         "a packing; misspecified: multiscale without P*; own: the family's own (comblock, "
         "leaves, chain); or a "
         "class file, NAME.h5")
      ->capture_default_str()
      ->group("Class");
  app.add_option("--class-size", spec.size, "|F|")->capture_default_str()->group("Class");
  app.add_option("--class-scales", spec.scales, "J: finest scale is base*2^-J")
      ->capture_default_str()
      ->group("Class");
  app.add_option("--class-base", spec.base, "Distance of scale 0 (0: as far as all can reach)")
      ->capture_default_str()
      ->group("Class");
  app.add_option("--class-radius", spec.radius, "net: least distance of two members (0: base/4)")
      ->capture_default_str()
      ->group("Class");
  app.add_option("--class-support", spec.support, "Share of the pairs a candidate moves")
      ->capture_default_str()
      ->group("Class");
  app.add_option("--class-precision", spec.precision,
                 "double, float (P* exact, others on a grid of 2^-24), auto: float above 512 MiB")
      ->capture_default_str()
      ->group("Class");
  app.add_option("--class-weights", options.class_weights,
                 "rho of the L2(rho) distance: uniform, occupancy (of the uniform policy)")
      ->check(CLI::IsMember({"uniform", "occupancy"}))
      ->capture_default_str()
      ->group("Class");
  app.add_option("--class-seed", options.class_seed, "Seed of the class")
      ->capture_default_str()
      ->group("Class");
  app.add_option("--save-class", options.save_class, "Also write the class: NAME.h5")
      ->group("Class");
}

void add_bonus_options(CLI::App& app, LearnOptions& options) {
  app.add_option(
         "--bonus", options.bonus,
         fmt::format("theory: constants 1; tuned: c_alpha = {}; none: c_alpha = 0", kTunedAlpha))
      ->check(CLI::IsMember({"theory", "tuned", "none"}))
      ->capture_default_str();
  app.add_option("--c-alpha", options.c_alpha, "c_alpha itself, instead of --bonus");
  app.add_option("--c-lambda", options.c_lambda, "c_lambda itself (default 1)");
  app.add_option("--delta", options.delta, "Confidence delta")->capture_default_str();
  app.add_option(
         "--criterion", options.criterion,
         "Of speder and greedy: least-squares, or constrained: the objective that line 6 of "
         "Algorithm 1 cites, its constraint as a penalty")
      ->check(CLI::IsMember({"least-squares", "constrained"}))
      ->capture_default_str();
}

void add_behaviour_options(CLI::App& app, LearnOptions& options) {
  BehaviourSpec& spec = options.behaviour;
  app.add_option("--behaviour", spec.kind,
                 "uniform; epsilon: around pi*; softmax: of Q*; coverage: least action probability "
                 "1/omega, the rest between the worst policy (mix 0) and pi* (mix 1)")
      ->check(CLI::IsMember({"uniform", "epsilon", "softmax", "coverage"}))
      ->capture_default_str()
      ->group("Data");
  app.add_option("--epsilon", spec.epsilon, "behaviour epsilon")
      ->capture_default_str()
      ->group("Data");
  app.add_option("--temperature", spec.temperature, "behaviour softmax")
      ->capture_default_str()
      ->group("Data");
  app.add_option("--omega", spec.omega, "behaviour coverage: max 1/pi_b(a|s) (0: 4|A|)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group("Data");
  app.add_option("--mix", spec.mix, "behaviour coverage")->capture_default_str()->group("Data");
  app.add_option("--c-star", spec.c_star, "behaviour coverage: find the mix with this C*_pi*")
      ->check(CLI::PositiveNumber)
      ->group("Data");
}

void add_several_options(CLI::App& app, LearnOptions& options) {
  app.add_option("--algorithm", options.algorithms, "Learner (below); several are run and overlaid")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->capture_default_str();
  app.add_option("--seeds", options.seeds, "Runs of each learner: seeds SEED, SEED + 1, …")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("-j,--jobs", options.jobs, "Runs at once, with several (default: all cores)")
      ->check(CLI::Range(0, 4096));
}

void add_output_options(CLI::App& app, LearnOptions& options) {
  app.add_option("--seed", options.seed, "Seed of the run")->capture_default_str();
  app.add_option("--out", options.out, "Also write the rows: name.db (store), .csv or .json");
  app.add_option_function<std::string>(
         "--plot", [&options](const std::string& name) { options.plot = name; },
         "Draw gap, regret and error against n; FILE.svg, .png, .pdf or .tex (TikZ), and its\n"
         "numbers as CSV (default: beside --out)")
      ->expected(0, 1)
      ->type_name("[FILE]");
  add_picture_options(app, options.style);
  app.add_flag("--json", options.json, "One JSON object with settings, class and all rows");
}

BonusConstants constants_of(const LearnOptions& options) {
  BonusConstants constants = bonus_constants(options.bonus);
  constants.alpha = options.c_alpha.value_or(constants.alpha);
  constants.lambda = options.c_lambda.value_or(constants.lambda);
  return constants;
}

Criterion criterion_of(const LearnOptions& options) {
  if (options.criterion == "likelihood") return Criterion::kLikelihood;
  return options.criterion == "constrained" ? Criterion::kConstrained : Criterion::kLeastSquares;
}

void add_criterion_cell(const LearnOptions& options, GridCell& cell) {
  if (options.criterion != "least-squares") cell.set("criterion", options.criterion);
}

std::shared_ptr<const TabularMdp> mdp_of(LearnOptions& options) {
  const bool from_file = !options.mdp_file.empty();
  if (from_file == !options.family.family.empty()) {
    throw InputError("give the MDP once: --mdp FILE or --family NAME (speder mdp families)");
  }
  if (!from_file) {
    options.family.gamma = options.gamma.value_or(options.family.gamma);
    for (const std::string& knob : options.knobs) parse_knob(knob, options.family);
    options.family = resolve(options.family);
    return std::make_shared<const TabularMdp>(generate(options.family));
  }
  auto mdp = std::make_shared<const TabularMdp>(load_mdp(options.mdp_file));
  if (options.gamma && *options.gamma != mdp->gamma()) {
    throw InputError(fmt::format("gamma mismatch: --gamma {} but {} has {}", *options.gamma,
                                 options.mdp_file, mdp->gamma()));
  }
  return mdp;
}

void set_class_weights(const TabularMdp& mdp, LearnOptions& options) {
  if (options.class_weights == "uniform") return;
  const Policy uniform = Policy::uniform(mdp.states(), mdp.actions());
  const Vector mass =
      visitation({mdp.kernel(), mdp.reward(), mdp.gamma()}, mdp.rho(), uniform).mass;
  options.class_spec.weights = uniform.joint(mass);
}

LearnProblem problem_of(std::shared_ptr<const TabularMdp> mdp, const LearnOptions& options) {
  require_h5("--save-class", options.save_class);
  const ClassSpec& spec = options.class_spec;
  LearnProblem problem = is_h5(spec.kind)
                             ? stored_problem(std::move(mdp), load_class(spec.kind), spec.weights)
                             : make_problem(std::move(mdp), spec, SeedTree(options.class_seed));
  if (!options.save_class.empty()) {
    save_class(options.save_class, problem.model_class.candidates, problem.model_class.truth);
  }
  return problem;
}

GridCell problem_cell(const LearnOptions& options, const TabularMdp& mdp) {
  GridCell cell;
  if (!options.mdp_file.empty()) {
    cell.set("mdp", word(options.mdp_file));
  } else {
    cell.set("family", options.family.family);
    cell.set("mdp_seed", fmt::format("{}", options.family.seed));
    for (const auto& [name, value] : options.family.knobs) cell.set("knob_" + name, value);
  }
  cell.set("states", static_cast<double>(mdp.states()));
  cell.set("actions", static_cast<double>(mdp.actions()));
  cell.set("rank", static_cast<double>(mdp.rank()));
  cell.set("gamma", mdp.gamma());
  const ClassSpec& spec = options.class_spec;
  cell.set("class", word(spec.kind));
  if (is_h5(spec.kind)) return cell;  // the settings below make a class
  cell.set("class_size", static_cast<double>(spec.size));
  cell.set("class_scales", spec.scales);
  cell.set("class_base", spec.base);
  cell.set("class_radius", spec.radius);
  cell.set("class_support", spec.support);
  cell.set("class_precision", spec.precision);
  cell.set("class_weights", options.class_weights);
  cell.set("class_seed", fmt::format("{}", options.class_seed));
  return cell;
}

void add_behaviour_cell(const LearnOptions& options, GridCell& cell) {
  const BehaviourSpec& spec = options.behaviour;
  cell.set("behaviour", spec.kind);
  if (spec.kind == "epsilon") cell.set("epsilon", spec.epsilon);
  if (spec.kind == "softmax") cell.set("temperature", spec.temperature);
  if (spec.kind != "coverage") return;
  cell.set("omega", spec.omega);
  cell.set(spec.c_star > 0 ? "c_star" : "mix", spec.c_star > 0 ? spec.c_star : spec.mix);
}

}  // namespace speder::cli
