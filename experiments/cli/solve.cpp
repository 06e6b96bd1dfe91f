#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "speder/cli/program.hpp"
#include "speder/core/check.hpp"
#include "speder/experiments/cli/command.hpp"
#include "speder/io/hdf5.hpp"
#include "speder/mdp/file/mdp_file.hpp"
#include "speder/mdp/planners/certificate.hpp"
#include "speder/mdp/planners/planning.hpp"

namespace speder::cli {
namespace {

struct SolveOptions {
  std::string file;
  std::string out;
  std::string method = "auto";
  double residual = tol::kBellman;
  std::uint64_t seed = 0;
  bool json = false;
};

const std::map<std::string, PlanMethod> kPlanMethods = {{"auto", PlanMethod::kAuto},
                                                        {"pi", PlanMethod::kFactored},
                                                        {"sparse", PlanMethod::kSparse},
                                                        {"vi", PlanMethod::kValue},
                                                        {"dense", PlanMethod::kDense}};

void write(H5File& file, const TabularMdp& mdp, const PlanResult& result, double error) {
  const auto S = static_cast<std::uint64_t>(mdp.states());
  const auto A = static_cast<std::uint64_t>(mdp.actions());
  const Policy best = Policy::deterministic(result.policy, mdp.actions());
  const Visitation d = visitation({mdp.kernel(), mdp.reward(), mdp.gamma()}, mdp.rho(), best);
  const std::vector<std::int64_t> choice(result.policy.begin(), result.policy.end());
  file.write("V", result.value);
  file.write("Q", std::span(result.q.data(), S * A), {S, A});
  file.write("policy", choice, {S});
  file.write("visitation", d.mass);
  file.number("value", mdp.rho().dot(result.value));
  file.number("residual", result.residual);
  file.number("error", error);
  file.number("gamma", mdp.gamma());
  file.commit();
}

int run(const SolveOptions& options) {
  const TabularMdp mdp = load_mdp(options.file);
  std::optional<H5File> out;  // refused before the work where it cannot be written
  if (!options.out.empty()) out.emplace(H5File::create(options.out));
  const auto start = std::chrono::steady_clock::now();
  const PlanResult result =
      plan({mdp.kernel(), mdp.reward(), mdp.gamma()},
           {.method = kPlanMethods.at(options.method), .residual = options.residual});
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double value = mdp.rho().dot(result.value);
  const double error = certified_error({mdp.kernel(), mdp.reward(), mdp.gamma()}, result.value);
  const double gap = smallest_gap(result, mdp.actions(), 4 * error);
  if (options.json) {
    const nlohmann::json object = {
        {"value", value},
        {"residual", result.residual},
        {"error", std::isfinite(error) ? nlohmann::json(error) : nlohmann::json()},
        {"seconds", seconds},
        {"method", to_string(result.method)},
        {"iterations", result.iterations},
        {"termination", to_string(result.termination)},
        {"gap", gap},
        {"value_min", result.value.minCoeff()},
        {"value_max", result.value.maxCoeff()}};
    fmt::print("{}\n", json_text(object, 2));
  } else {
    fmt::print("MDP         {} states, {} actions, rank {}, gamma {}\n", mdp.states(),
               mdp.actions(), mdp.rank(), mdp.gamma());
    fmt::print("J*          {:.12g}   (start distribution's optimal value)\n", value);
    if (const RewardUnits units = mdp.provenance().reward_units; units != RewardUnits{})
      fmt::print("            {:.12g} in the rewards as given ({:.6g} + {:.6g} r)\n",
                 units.offset / (1 - mdp.gamma()) + units.scale * value, units.offset, units.scale);
    fmt::print("V*          {:.6g} to {:.6g}\n", result.value.minCoeff(), result.value.maxCoeff());
    fmt::print("gap         {:.6g}   (smallest positive V*(s) - Q*(s,a))\n", gap);
    constexpr double kUp = 1.0051;  // three digits never show less than the bound
    fmt::print("residual    {:.3g}   and |V - V*| <= {:.3g}, rounding included\n", result.residual,
               kUp * error);
    fmt::print("method      {}, {} iterations, {}\n", to_string(result.method), result.iterations,
               to_string(result.termination));
    fmt::print("time        {:.4g} s\n", seconds);
  }
  if (out) write(*out, mdp, result, error);
  if (out && !options.json) fmt::print("written     {} (V, Q, policy, visitation)\n", options.out);
  return result.termination == Termination::kConverged ? 0 : 1;
}

}  // namespace

void add_solve(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SolveOptions>();
  CLI::App* command =
      app.add_subcommand("solve", "Optimal value and policy of an MDP file, certified");
  command->add_option("file", options->file, "MDP file (speder mdp make)")->required();
  command
      ->add_option(
          "--method", options->method,
          "auto: pi or sparse, whichever is cheaper; pi: policy iteration through d x d "
          "systems; sparse: policy iteration, Krylov evaluation; vi: value iteration, span "
          "stopping; dense: policy iteration on the dense kernel")
      ->check(CLI::IsMember(kPlanMethods))
      ->capture_default_str();
  command->add_option("--residual", options->residual, "Stop at |TV - V| below this")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--out", options->out, "Write V, Q, policy and visitation to this HDF5 file");
  command->add_option("--seed", options->seed, "Accepted for uniformity: solving draws nothing");
  command->add_flag("--json", options->json, "One object: value, residual, seconds, method, ...");
  command->footer(
      "The error is a certificate: |V - V*| <= error for the MDP as stored. It is the residual in\n"
      "extended precision with a bound on its rounding, divided by 1 - gamma.\n\n"
      "  speder mdp make --family lock --states 200 --actions 10 --rank 8 --out m.h5\n"
      "  speder solve m.h5 --out v.h5");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace speder::cli
