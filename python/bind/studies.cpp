// Scaling studies, rate fits, the audit, and stores of runs.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "speder/core/check.hpp"
#include "speder/core/parallel.hpp"
#include "speder/experiments/audit/report.hpp"
#include "speder/experiments/cli/scale_output.hpp"
#include "speder/experiments/rates/learn/plan.hpp"
#include "speder/experiments/rates/suite.hpp"
#include "speder/learning/bonus.hpp"
#include "speder/stats/scaling.hpp"
#include "speder/stats/verdict.hpp"
#include "speder/sweep/run_sweep.hpp"
#include "speder/sweep/stop_signal.hpp"
#include "support.hpp"

namespace speder::python {
namespace {

using nb::literals::operator""_a;
using Lists = std::map<std::string, std::vector<double>, std::less<>>;
using Names = std::map<std::string, std::vector<std::string>>;

ExperimentData learn_data(const ResultStore& store) {
  ExperimentData data;
  for (ExperimentRecord& record : store.experiments())
    if (record.id == "learn") data = {std::move(record), store.runs("learn")};
  return data;
}

std::vector<std::string> pictures(const std::filesystem::path& path) {
  return without_lock({}, [path](const std::atomic<bool>&) {
    const auto studies = scaling_studies(learn_data(ResultStore::read(path)));
    std::vector<std::string> out;
    for (const Figure& figure : study_figures(studies)) out.push_back(svg_of(figure));
    return out;
  });
}

/// Texts of a study for the Python side: JSON and words of each.
struct StudyTexts {
  bool complete = false;
  std::int64_t failed = 0;
  std::vector<std::string> json, words;
};

StudyTexts study_texts(const std::filesystem::path& path) {
  const ResultStore store = ResultStore::read(path);
  StudyTexts out;
  for (const ScalingStudy& study : scaling_studies(learn_data(store))) {
    out.json.push_back(cli::study_json(study).dump());
    out.words.push_back(cli::study_text(study));
  }
  return out;
}

nb::tuple scale(Names names, const Lists& numbers, std::vector<std::string> axes,
                std::vector<double> theory, const std::string& mdp, bool offline, bool control,
                int seeds, std::uint64_t seed, int jobs, const std::filesystem::path& store) {
  LearnGrid grid{.offline = offline, .mdp = mdp, .families = names["families"]};
  grid.algorithms = names["algorithms"];
  grid.classes = names["classes"];
  grid.criteria = names["criteria"];
  grid.replan = names["replan"];
  grid.behaviours = names["behaviours"];
  grid.numbers = numbers;
  grid.axes = std::move(axes);
  grid.theory = std::move(theory);
  grid.control = control;
  require(seeds >= 1, "seeds must be at least 1", seeds);
  StudyTexts texts = without_lock({.patient = true}, [=](const std::atomic<bool>& stop) {
    Suite suite{.id = "learn", .size = "scale", .plan = plan_learn_grid(grid)};
    suite.plan.repetitions = seeds;
    SweepResult result;
    {
      const Workers workers =
          thread_workers(jobs > 0 ? jobs : hardware_jobs(), run_task(suite, seed));
      ResultStore rows = reading(store, [&] { return ResultStore::open(store); });
      result = run_sweep(rows, suite_runs(suite, seed), workers, stop);
    }
    if (!result.obstacle.empty())
      throw InputError(fmt::format("runs could not be made: {}", result.obstacle));
    StudyTexts out;
    if (result.complete) out = study_texts(store);
    out.complete = result.complete;
    out.failed = result.progress.failed + result.progress.failed_before;
    return out;
  });
  return nb::make_tuple(texts.complete, texts.failed, texts.json, texts.words);
}

nb::tuple store_rows(const std::filesystem::path& path) {
  return reading(path, [&] {
    nb::list experiments, cells, repetitions, metrics, at;
    std::vector<double> values;
    const ResultStore store = ResultStore::read(path);
    store.each_row([&](const ResultRow& row) {
      experiments.append(row.run.experiment);
      cells.append(row.run.cell);
      repetitions.append(row.run.repetition);
      metrics.append(row.metric);
      at.append(row.n);
      values.push_back(row.value);
    });
    const std::size_t n = values.size();
    return nb::make_tuple(experiments, cells, repetitions, metrics, at,
                          owned(std::move(values), {n}));
  });
}

// y (runs × points) at x (points); NaN where a run has no number.
CurveTable curve_table(const Array& x, const Array& y) {
  CurveTable table;
  const auto at = values_of(x);
  table.x.assign(at.begin(), at.end());
  for (std::size_t run = 0; run < y.shape(0); ++run) {
    const auto row = values_of(y).subspan(run * table.x.size(), table.x.size());
    table.y.emplace_back(row.begin(), row.end());
  }
  return table;
}

nb::dict fit_curve(const Array& x, const Array& y, std::optional<double> quantile,
                   std::optional<double> theory, double log_power, double min_decades,
                   std::uint64_t seed) {
  const CurveTable table = curve_table(x, y);
  struct Fitted {
    RateFit fit;
    std::optional<Judgement> judgement;
  };
  const Fitted f = without_lock({}, [=](const std::atomic<bool>&) {
    std::vector<Cluster> clusters;
    for (std::size_t run = 0; run < table.y.size(); ++run)
      clusters.push_back({static_cast<int>(run), 0});
    Rng rng = SeedTree(seed).stream("fit-rate");
    Fitted out{.fit = fit_rate(
                   clusters, quantile ? quantile_curve(table, *quantile) : mean_curve(table), rng)};
    if (theory)
      out.judgement =
          judge(out.fit, {.exponent = *theory, .log_power = log_power, .min_decades = min_decades});
    return out;
  });
  nb::dict out;
  if (f.fit.line) {
    out["exponent"] = f.fit.line->b;
    out["intercept"] = f.fit.line->a;
  }
  out["low"] = f.fit.slope.low;
  out["high"] = f.fit.slope.high;
  out["decades"] = f.fit.decades;
  out["runs"] = f.fit.clusters;
  std::vector<double> px, py;
  for (const CurvePoint& point : f.fit.points) {
    px.push_back(point.x);
    py.push_back(point.y);
  }
  const std::size_t n = px.size();
  out["x"] = owned(std::move(px), {n});
  out["y"] = owned(std::move(py), {n});
  if (f.judgement) {
    const std::string_view word = to_string(f.judgement->verdict);
    out["verdict"] = nb::str(word.data(), word.size());
    out["reason"] = f.judgement->reason;
    out["theory_slope"] = f.judgement->theory_slope;
  }
  return out;
}

// log N (points) against log x (points × k), its variances, and which are bounds.
nb::dict fit_plane(const Array& x, const Array& log_n, const Array& variance, const Array& censored,
                   const std::vector<double>& theory) {
  const auto k = static_cast<Index>(x.shape(1));
  std::vector<ScalingPoint> points;
  for (std::size_t i = 0; i < log_n.size(); ++i)
    points.push_back({.x = Eigen::Map<const Vector>(x.data() + static_cast<Index>(i) * k, k),
                      .log_n = log_n.data()[i],
                      .variance = variance.data()[i],
                      .censored = censored.data()[i] != 0});
  const ScalingFit fit = fit_scaling(points);
  nb::dict out;
  out["fitted"] = fit.fitted;
  out["points"] = fit.points;
  nb::list axes;
  for (Index a = 0; fit.fitted && a < k; ++a) {
    nb::dict axis;
    const Interval i = fit.interval(a);
    axis["exponent"] = fit.exponent[a];
    axis["low"] = i.low;
    axis["high"] = i.high;
    if (!theory.empty()) {
      const ScalingJudgement j = judge_scaling(fit, a, theory[static_cast<std::size_t>(a)]);
      const std::string_view word = to_string(j.verdict);
      axis["verdict"] = nb::str(word.data(), word.size());
      axis["reason"] = j.reason;
    }
    axes.append(axis);
  }
  out["axes"] = axes;
  return out;
}

std::string audit_json(std::vector<std::string> only, std::int64_t budget, std::uint64_t seed,
                       int jobs) {
  require(budget >= 1, "budget must be at least 1 instance per entry", budget);
  return without_lock({}, [=](const std::atomic<bool>& stop) {
    const auto go_on = [&](const audit::AuditedEntry&) {
      if (stop) throw Interrupted("the audit was stopped");
    };
    return audit::json_text(
        audit::audit({.budget = budget, .seed = seed, .jobs = jobs, .only = only}, go_on));
  });
}

}  // namespace

void add_studies(nb::module_& m) {
  m.def("scale", &scale, "names"_a, "numbers"_a, "axes"_a, "theory"_a, "mdp"_a, "offline"_a,
        "control"_a, "seeds"_a, "seed"_a, "jobs"_a, "store"_a);
  m.def("study_figures", [](const std::filesystem::path& path) {
    return reading(path, [&] { return pictures(path); });
  });
  m.def("study_texts", [](const std::filesystem::path& path) {
    return reading(path, [&] {
      const StudyTexts texts = study_texts(path);
      return std::tuple(texts.json, texts.words);
    });
  });
  m.def("learn_number_names", [] {
    std::vector<std::string> out;
    for (const LearnNumber& n : learn_numbers()) out.emplace_back(n.name);
    return out;
  });
  m.def("bonus_constants", [](const std::string& kind) {
    const BonusConstants c = bonus_constants(kind);
    return std::tuple(c.alpha, c.lambda);
  });
  m.def("store_rows", &store_rows, "path"_a);
  m.def("fit_curve", &fit_curve, "x"_a, "y"_a, "quantile"_a.none(), "theory"_a.none(),
        "log_power"_a, "min_decades"_a, "seed"_a);
  m.def("fit_plane", &fit_plane, "x"_a, "log_n"_a, "variance"_a, "censored"_a, "theory"_a);
  m.def("run_quantile", [](const Array& ends, double q) {
    const QuantilePoint point = run_quantile(values_of(ends), q);
    return std::tuple(point.n, point.log_variance);
  });
  m.def("audit", &audit_json, "only"_a, "budget"_a, "seed"_a, "jobs"_a);
}

}  // namespace speder::python
