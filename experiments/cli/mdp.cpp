#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "speder/cli/program.hpp"
#include "speder/core/check.hpp"
#include "speder/experiments/cli/command.hpp"
#include "speder/experiments/cli/mdp_print.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/file/dense.hpp"
#include "speder/mdp/file/mdp_file.hpp"

namespace speder::cli {
namespace {

void parse_knob(const std::string& text, InstanceSpec& spec) {
  const std::size_t equals = text.find('=');
  double value = 0;
  const char* end = text.data() + text.size();
  if (equals != std::string::npos && equals > 0) {
    const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, value);
    const bool fresh = error == std::errc() && stop == end &&
                       spec.knobs.emplace(text.substr(0, equals), value).second;
    if (fresh) return;
  }
  throw InputError(
      fmt::format("--knob {}: expected name=number, each name once (speder mdp families {})", text,
                  spec.family));
}

void add_unused_seed(CLI::App& app, std::uint64_t& seed) {
  app.add_option("--seed", seed, "Accepted for uniformity: nothing is drawn");
}

struct MakeOptions {
  InstanceSpec spec;
  std::vector<std::string> knobs;
  std::string out;
  bool json = false;
};

void make(MakeOptions options) {
  for (const std::string& knob : options.knobs) parse_knob(knob, options.spec);
  const TabularMdp mdp = generate(options.spec);
  save_mdp(options.out, mdp);
  const std::vector<Condition> report = conditions(mdp);
  if (options.json) {
    nlohmann::ordered_json object = to_json(mdp);
    object["out"] = options.out;
    object["conditions"] = to_json(report);
    fmt::print("{}\n", json_text(object, 2));
    return;
  }
  fmt::print("{}{}\nwritten: {}\n", describe(mdp), condition_table(report), options.out);
}

void add_make(CLI::App& mdp) {
  auto options = std::make_shared<MakeOptions>();
  CLI::App* app = mdp.add_subcommand("make", "Make an MDP of a family and write it to a file");
  app->add_option("--family", options->spec.family, "One of the families below")->required();
  app->add_option("--states", options->spec.states, "|S|")->check(CLI::Range(Index{1}, kAnySize));
  app->add_option("--actions", options->spec.actions, "|A|")->check(CLI::Range(Index{1}, kAnySize));
  app->add_option("--rank", options->spec.rank, "d, the dimension of phi and mu")
      ->check(CLI::Range(Index{1}, kAnySize));
  app->add_option("--gamma", options->spec.gamma, "Discount in (0,1)")->capture_default_str();
  app->add_option("--seed", options->spec.seed, "The instance is a function of it")
      ->capture_default_str();
  app->add_option("--knob", options->knobs, "name=value, repeatable: the family's own parameters");
  app->add_option("--path", options->spec.path, "The file to read (family file only)");
  app->add_option("--out", options->out, "HDF5 file to write (docs/mdp-files.md)")->required();
  app->add_flag("--json", options->json, "One JSON object instead of the table");
  app->footer(
      "Sizes left out take the family's default.\n\nExamples:\n"
      "  speder mdp make --family lock --states 200 --actions 10 --rank 8 --seed 1 --out m.h5\n"
      "  speder mdp make --family lock --knob slip=0.1 --knob reset=0 --out dead.h5\n"
      "  speder mdp make --family simplex --knob volume=0.3 --out small_nu.h5\n\n" +
      family_table());
  app->callback([options] { make(*options); });
}

void add_check(CLI::App& mdp) {
  struct MdpOptions {
    std::string file;
    std::uint64_t seed = 0;
    bool json = false;
  };
  auto options = std::make_shared<MdpOptions>();
  CLI::App* app = mdp.add_subcommand("check", "Which conditions of the theory an MDP meets");
  app->add_option("file", options->file, "MDP file")->required();
  add_unused_seed(*app, options->seed);
  app->add_flag("--json", options->json,
                "A list of {name, value, bound, holds, how}; holds is null when it is not known");
  app->footer(
      "phi_norm, theta_norm, mu_norm: the normalisation of a low-rank MDP.\n"
      "representation_normalisation, reward_normalisation: the two extra assumptions of the "
      "sample\n"
      "complexity theorems; they depend on the base measure nu.\n"
      "kernel_rows, kernel_nonnegative: P is a transition kernel. rank: rank(P) equals d.\n"
      "A condition that does not hold is a finding, not an error: the exit code is 0. A file that\n"
      "is no MDP (rows that do not sum to one, ...) is refused with exit code 2.\n\nExamples:\n"
      "  speder mdp check m.h5\n  speder mdp check m.h5 --json");
  app->callback([options] {
    const TabularMdp loaded = load_mdp(options->file);
    const std::vector<Condition> report = conditions(loaded);
    if (options->json)
      fmt::print("{}\n", json_text(to_json(report), 2));
    else
      fmt::print("{}{}", describe(loaded), condition_table(report));
  });
}

struct ImportOptions {
  std::string file;
  std::string out;
  ReadDenseOptions read;
  FactoriseOptions factorise;
  std::uint64_t seed = 0;
  bool json = false;
};

void import_dense(const ImportOptions& options) {
  const DenseMdp dense = read_dense(options.file, options.read);
  const Factorised result = factorise(dense, options.factorise);
  save_mdp(options.out, result.mdp);
  const std::vector<Condition> report = conditions(result.mdp);
  if (options.json) {
    nlohmann::ordered_json object = to_json(result.mdp);
    object.update({{"out", options.out},
                   {"true_rank", result.true_rank},
                   {"best_error", result.best_error},
                   {"error", result.error},
                   {"shrink", result.shrink},
                   {"conditions", to_json(report)}});
    fmt::print("{}\n", json_text(object, 2));
    return;
  }
  fmt::print("{}", describe(result.mdp));
  if (dense.rho_assumed) fmt::print("start distribution: uniform (the file has none; --start S)\n");
  fmt::print("rank of P: {}, kept: {}\n", result.true_rank, result.mdp.rank());
  fmt::print("error of the kernel written, in L2(nu): {:.3g} (best rank-{} operator: {:.3g})\n",
             result.error, result.mdp.rank(), result.best_error);
  if (result.shrink < 1) fmt::print("shrunk towards the mean row by {:.6g}\n", result.shrink);
  fmt::print("{}\nwritten: {}\n", condition_table(report), options.out);
}

void add_import(CLI::App& mdp) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* app =
      mdp.add_subcommand("import", "Factorise a kernel P(s'|s,a) from text, NumPy or HDF5");
  app->add_option("file", options->file, "Tables P (S,A,S), r (S,A), rho (S), optionally nu (S)")
      ->required();
  app->add_option("--out", options->out, "HDF5 file to write")->required();
  app->add_option("--rank", options->factorise.rank,
                  "Keep this rank (default: the rank of P, exact)")
      ->check(CLI::Range(Index{1}, kAnySize));
  app->add_flag("--shrink", options->factorise.shrink,
                "When the truncation is no kernel, write mean row + t * (rank - 1 part) instead");
  app->add_option("--gamma", options->read.gamma, "Overrides the file's");
  app->add_option("--start", options->read.start, "Every episode starts in this state");
  app->add_option("--reward", options->read.reward, "r (S,A) as .npy, beside a .npy of P");
  app->add_flag(
      "--rescale-rewards", options->read.rescale_rewards,
      "Move rewards outside [0,1] into it: r = (r - min)/(max - min), recorded in the file");
  add_unused_seed(*app, options->seed);
  app->add_flag("--json", options->json, "One JSON object instead of the table");
  app->footer(
      "Text files end in .csv or .txt: one transition a line under the header s,a,s',p,r, or "
      "tables\n"
      "(docs/mdp-files.md). NumPy: numpy.savez(\"m.npz\", P=P, r=r, rho=rho, gamma=0.9), or P "
      "alone\n"
      "as .npy with --reward. Without rho in a list or a NumPy file the start is uniform.\n\n"
      "Examples:\n"
      "  speder mdp import mine.csv --gamma 0.9 --out mine.h5 && speder mdp check mine.h5\n"
      "  speder mdp import mine.npz --rescale-rewards --out mine.h5\n"
      "  speder mdp import P.npy --reward r.npy --gamma 0.9 --start 0 --out mine.h5");
  app->callback([options] { import_dense(*options); });
}

void add_families(CLI::App& mdp) {
  struct MdpOptions {
    std::string name;
    bool json = false;
  };
  auto options = std::make_shared<MdpOptions>();
  CLI::App* app = mdp.add_subcommand("families", "The families and their knobs");
  app->add_option("name", options->name, "One family, in detail");
  app->add_flag("--json", options->json, "The whole table as JSON");
  app->footer("Examples:\n  speder mdp families\n  speder mdp families lock");
  app->callback([options] {
    if (options->json)
      fmt::print("{}\n", json_text(families_json(), 2));
    else
      fmt::print("{}", options->name.empty() ? family_table() : family_page(options->name));
  });
}

}  // namespace

void add_mdp(CLI::App& app, int&) {
  CLI::App* mdp = app.add_subcommand("mdp", "Make, import and check MDP files");
  mdp->require_subcommand(1);
  add_make(*mdp);
  add_check(*mdp);
  add_import(*mdp);
  add_families(*mdp);
}

}  // namespace speder::cli
