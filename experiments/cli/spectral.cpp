#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "speder/cli/program.hpp"
#include "speder/core/check.hpp"
#include "speder/experiments/cli/command.hpp"
#include "speder/mdp/file/mdp_file.hpp"
#include "speder/oracle/exact.hpp"
#include "speder/oracle/kernel_svd.hpp"
#include "speder/oracle/representation_gap.hpp"

namespace speder::cli {
namespace {

constexpr Index kTableStates = 5000;  // above this the four representations take minutes

struct SpectralOptions {
  std::string file;
  std::string weights = "uniform";
  std::string method = "auto";
  Index top = 10;
  std::optional<Index> dimension;
  std::uint64_t seed = 0;
  bool json = false;
};

const std::map<std::string, KernelSvdMethod> kSvdMethods = {{"auto", KernelSvdMethod::kAuto},
                                                            {"factors", KernelSvdMethod::kFactors},
                                                            {"dense", KernelSvdMethod::kDense},
                                                            {"lanczos", KernelSvdMethod::kLanczos}};

struct Report {
  const TabularMdp& mdp;
  KernelSvd svd;
  Index dimension = 0;
  RepresentationGaps table;  // no rows: the MDP is too large
};

Vector pair_weights(const TabularMdp& mdp, const Policy& behaviour, const std::string& name) {
  if (name == "occupancy") return exact_occupancy(mdp, behaviour).pair_mass.cwiseMax(0.0);
  return Vector::Constant(mdp.pairs(), 1.0 / static_cast<double>(mdp.pairs()));
}

Report make_report(const TabularMdp& mdp, const SpectralOptions& options) {
  const Policy behaviour = Policy::uniform(mdp.states(), mdp.actions());
  const Vector weights = pair_weights(mdp, behaviour, options.weights);
  Report report{
      mdp, kernel_svd(mdp.kernel(), weights, {kSvdMethods.at(options.method), options.top}), 0, {}};
  report.dimension = options.dimension.value_or(report.svd.rank);
  if (report.dimension > mdp.states())
    throw InputError(fmt::format("--dimension {}: at most the number of states, {}",
                                 report.dimension, mdp.states()));
  if (mdp.states() > kTableStates) return report;
  const Policy best = Policy::deterministic(exact_optimum(mdp).policy, mdp.actions());
  const Vector states = Vector::Ones(mdp.states());
  report.table = representation_gaps({mdp, behaviour, best, weights, states, report.dimension});
  return report;
}

void print_json(const Report& r, const SpectralOptions& options) {
  const KernelSvd& svd = r.svd;
  nlohmann::json errors = nlohmann::json::array();
  for (Index k = 0; k <= svd.singular_values.size(); ++k)
    errors.push_back(optimal_rank_error(svd, k));
  nlohmann::json table = nlohmann::json::array();
  for (const auto& row : r.table.rows)
    table.push_back({{"representation", row.name},
                     {"features", row.features},
                     {"q_equal", row.q_equal},
                     {"q_generous", row.q_generous},
                     {"v", row.v}});
  const std::vector<double> sigma(svd.singular_values.begin(), svd.singular_values.end());
  const nlohmann::json object = {{"states", r.mdp.states()},
                                 {"actions", r.mdp.actions()},
                                 {"d", r.mdp.rank()},
                                 {"weights", options.weights},
                                 {"method", to_string(svd.method)},
                                 {"residual", svd.residual},
                                 {"complete", svd.complete},
                                 {"rank", svd.rank},
                                 {"singular_values", sigma},
                                 {"rank_error", errors},
                                 {"dimension", r.dimension},
                                 {"target", r.table.reward_subtracted ? "Q* - r" : "Q*"},
                                 {"table1", table}};
  fmt::print("{}\n", json_text(object, 2));
}

void print_spectrum(const Report& r, const SpectralOptions& options) {
  const KernelSvd& svd = r.svd;
  fmt::print("MDP        {} states, {} actions, d = {}, gamma {}\n", r.mdp.states(),
             r.mdp.actions(), r.mdp.rank(), r.mdp.gamma());
  fmt::print("SVD of P   in L2(w) x L2(nu), w {}; method {}, residual {:.1e}\n", options.weights,
             to_string(svd.method), svd.residual);
  fmt::print("rank       {}{}\n\n", svd.complete ? "" : "at least ", svd.rank);
  const double whole = optimal_rank_error(svd, 0);
  fmt::print("{:>5}  {:>14}  {:>20}  {:>10}\n", "k", "sigma_k", "best rank-k error", "relative");
  for (Index k = 0; k <= svd.singular_values.size(); ++k) {
    const double error = optimal_rank_error(svd, k);
    fmt::print("{:>5}  {:>14}  {:>20.6g}  {:>10.2e}\n", k,
               k == 0 ? "" : fmt::format("{:.8g}", svd.singular_values[k - 1]), error,
               whole > 0 ? error / whole : 0.0);
  }
}

void print_table(const Report& r) {
  if (r.table.rows.empty()) {
    fmt::print("\nMore than {} states: the representations of Table 1 are left out.\n",
               kTableStates);
    return;
  }
  const char* q = r.table.reward_subtracted ? "Q*-r" : "Q*";
  fmt::print(
      "\nBest linear fit at dimension {}: share of the target's standard deviation that is "
      "missed.\n"
      "State features are built under the "
      "uniform policy; 0 is exact, 1 is what a constant scores.\n",
      r.dimension);
  fmt::print("{:<27} {:>8}  {:>14}  {:>14}  {:>12}\n", "representation", "features",
             fmt::format("{} equal", q), fmt::format("{} generous", q),
             r.table.reward_subtracted ? "V*-r" : "V*");
  for (const auto& row : r.table.rows)
    fmt::print("{:<27} {:>8}  {:>14.3e}  {:>14.3e}  {:>12.3e}\n", row.name, row.features,
               row.q_equal, row.q_generous, row.v);
  fmt::print(
      "\nequal: state features lifted by the action to as many weights as the SVD of P has, "
      "k = max(1, d/A);\ngenerous: k = d, A times as many weights.\n");
}

int run(const SpectralOptions& options) {
  const TabularMdp mdp = load_mdp(options.file);
  const Report report = make_report(mdp, options);
  if (options.json) {
    print_json(report, options);
  } else {
    print_spectrum(report, options);
    print_table(report);
  }
  return 0;
}

}  // namespace

void add_spectral(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SpectralOptions>();
  CLI::App* command = app.add_subcommand(
      "spectral", "Singular values of P(s'|s,a), best rank-k errors, and the paper's Table 1");
  command->add_option("file", options->file, "MDP file (speder mdp make)")->required();
  command
      ->add_option("--weights", options->weights,
                   "Weights w of the pairs (s,a): uniform, or occupancy of the uniform policy")
      ->check(CLI::IsMember({"uniform", "occupancy"}))
      ->capture_default_str();
  command
      ->add_option("--method", options->method,
                   "factors: QR of phi and mu, then d x d; dense: the whole table; lanczos: the "
                   "leading triplets only; auto: the cheapest that is exact, else lanczos")
      ->check(CLI::IsMember(kSvdMethods))
      ->capture_default_str();
  command->add_option("--top", options->top, "Singular values shown")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command
      ->add_option("--dimension", options->dimension,
                   "Dimension d of the comparison of representations (default: the rank)")
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--seed", options->seed, "Accepted for uniformity: nothing is drawn");
  command->add_flag("--json", options->json,
                    "One object: singular_values, rank_error, rank, table1, ...");
  command->footer(
      "The best rank-k error is the root of the sum of the squared singular values beyond k\n"
      "(Eckart-Young). Table 1: how well features built under one policy fit the values of "
      "another,\n"
      "against the SVD of P(s'|s,a), which depends on no policy.\n\n"
      "  speder mdp make --family simplex --states 200 --rank 8 --out m.h5\n"
      "  speder spectral m.h5 --top 12\n"
      "  speder spectral m.h5 --weights occupancy --json");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace speder::cli
