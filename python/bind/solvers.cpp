// Planners, exact values and occupancies, the spectrum of P.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <map>

#include "speder/core/check.hpp"
#include "speder/core/names.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/planners/certificate.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "speder/oracle/exact.hpp"
#include "speder/oracle/kernel_svd.hpp"
#include "speder/oracle/representation_gap.hpp"
#include "support.hpp"

namespace speder::python {
namespace {

using nb::literals::operator""_a;

[[nodiscard]] nb::str text(std::string_view s) { return nb::str(s.data(), s.size()); }
[[nodiscard]] Shape pair_shape(const Mdp& mdp) {
  return {size(mdp->states()), size(mdp->actions())};
}

template <class Value>
Value named(const std::map<std::string, Value>& all, const std::string& name) {
  if (const auto at = all.find(name); at != all.end()) return at->second;
  std::vector<std::string> names;
  for (const auto& entry : all) names.push_back(entry.first);
  refuse_name("method", name, names);
}

nb::dict solve(const Mdp& mdp, const std::string& method, double residual) {
  const std::map<std::string, PlanMethod> methods = {{"auto", PlanMethod::kAuto},
                                                     {"pi", PlanMethod::kFactored},
                                                     {"sparse", PlanMethod::kSparse},
                                                     {"vi", PlanMethod::kValue},
                                                     {"dense", PlanMethod::kDense}};
  const PlanOptions options{.method = named(methods, method), .residual = residual};
  require(residual > 0, "residual must be positive", residual);
  struct Solved {
    PlanResult plan;
    double error = 0;
    double gap = 0;
  };
  Solved s =
      without_lock({.brief = brief(*mdp)}, [held = mdp.held, options](const std::atomic<bool>&) {
        const PlanProblem problem{held->kernel(), held->reward(), held->gamma()};
        Solved out{.plan = plan(problem, options)};
        out.error = certified_error(problem, out.plan.value);
        out.gap = smallest_gap(out.plan, held->actions(), 4 * out.error);
        return out;
      });
  nb::dict out;
  out["value"] = mdp->rho().dot(s.plan.value);
  out["residual"] = s.plan.residual;
  out["error"] = s.error;
  out["gap"] = s.gap;
  out["iterations"] = s.plan.iterations;
  out["method"] = text(to_string(s.plan.method));
  out["termination"] = text(to_string(s.plan.termination));
  std::vector<std::int64_t> choice(s.plan.policy.begin(), s.plan.policy.end());
  out["policy"] = owned(std::move(choice), {size(mdp->states())});
  out["V"] = owned(std::move(s.plan.value));
  out["Q"] = owned(std::move(s.plan.q), pair_shape(mdp));
  return out;
}

nb::dict evaluate_policy(const Mdp& mdp, const nb::object& given) {
  const Policy policy = policy_of(given, mdp->states(), mdp->actions());
  Evaluation e = without_lock(
      {.brief = brief(*mdp)},
      [held = mdp.held, policy](const std::atomic<bool>&) { return exact_value(*held, policy); });
  nb::dict out;
  out["value"] = mdp->rho().dot(e.value);
  out["residual"] = e.residual;
  out["V"] = owned(std::move(e.value));
  out["Q"] = owned(std::move(e.q), pair_shape(mdp));
  return out;
}

nb::dict occupancy(const Mdp& mdp, const nb::object& given) {
  const Policy policy = policy_of(given, mdp->states(), mdp->actions());
  Occupancy o =
      without_lock({.brief = brief(*mdp)}, [held = mdp.held, policy](const std::atomic<bool>&) {
        return exact_occupancy(*held, policy);
      });
  nb::dict out;
  out["residual"] = o.residual;
  out["states"] = owned(std::move(o.state_mass));
  out["pairs"] = owned(std::move(o.pair_mass), pair_shape(mdp));
  return out;
}

struct Spectrum {
  KernelSvd svd;
  Matrix left;
  RepresentationGaps table;
  Index dimension = 0;
};

nb::dict spectral(const Mdp& mdp, const std::string& weights, const std::string& method, Index top,
                  std::optional<Index> dimension, bool table) {
  const std::map<std::string, KernelSvdMethod> methods = {{"auto", KernelSvdMethod::kAuto},
                                                          {"factors", KernelSvdMethod::kFactors},
                                                          {"dense", KernelSvdMethod::kDense},
                                                          {"lanczos", KernelSvdMethod::kLanczos}};
  const KernelSvdMethod chosen = named(methods, method);
  if (weights != "uniform" && weights != "occupancy")
    refuse_name("weights", weights, {"uniform", "occupancy"});
  require(top >= 1, "top must be at least 1", top);
  if (dimension && (*dimension < 1 || *dimension > mdp->states()))
    throw InputError(fmt::format("dimension {}: at least 1 and at most the number of states, {}",
                                 *dimension, mdp->states()));
  Spectrum s = without_lock({}, [=, held = mdp.held](const std::atomic<bool>&) {
    const Policy behaviour = Policy::uniform(held->states(), held->actions());
    const Vector w =
        weights == "occupancy"
            ? Vector(exact_occupancy(*held, behaviour).pair_mass.cwiseMax(0.0))
            : Vector::Constant(held->pairs(), 1.0 / static_cast<double>(held->pairs()));
    Spectrum out;
    out.svd = kernel_svd(held->kernel(), w, {chosen, top});
    out.left = left_functions(held->kernel(), out.svd);
    out.dimension = dimension.value_or(out.svd.rank);
    if (!table) return out;
    const Policy best = Policy::deterministic(exact_optimum(*held).policy, held->actions());
    const Vector states = Vector::Ones(held->states());
    out.table = representation_gaps({*held, behaviour, best, w, states, out.dimension});
    return out;
  });
  std::vector<double> errors;
  for (Index k = 0; k <= s.svd.singular_values.size(); ++k)
    errors.push_back(optimal_rank_error(s.svd, k));
  nb::list rows;
  for (const RepresentationGap& row : s.table.rows)
    rows.append(nb::make_tuple(row.name, row.features, row.q_equal, row.q_generous, row.v));
  nb::dict out;
  out["rank"] = s.svd.rank;
  out["complete"] = s.svd.complete;
  out["residual"] = s.svd.residual;
  out["method"] = text(to_string(s.svd.method));
  out["dimension"] = s.dimension;
  out["table1"] = rows;
  out["target"] = s.table.reward_subtracted ? "Q* - r" : "Q*";
  const std::size_t points = errors.size();
  out["rank_error"] = owned(std::move(errors), {points});
  const Shape right = {size(s.svd.right.rows()), size(s.svd.right.cols())};
  const Shape left = {size(mdp->states()), size(mdp->actions()), size(s.left.cols())};
  out["singular_values"] = owned(std::move(s.svd.singular_values));
  out["right"] = owned(std::move(s.svd.right), right);
  out["left"] = owned(std::move(s.left), left);
  return out;
}

}  // namespace

void add_solvers(nb::module_& m) {
  m.attr("bellman_residual") = tol::kBellman;
  m.def("solve", &solve, "mdp"_a, "method"_a, "residual"_a);
  m.def("evaluate", &evaluate_policy, "mdp"_a, "policy"_a);
  m.def("occupancy", &occupancy, "mdp"_a, "policy"_a);
  m.def("spectral", &spectral, "mdp"_a, "weights"_a, "method"_a, "top"_a, "dimension"_a.none(),
        "table"_a);
}

}  // namespace speder::python
