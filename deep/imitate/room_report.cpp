#include "speder/deep/imitate/room_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/deep/imitate/figures.hpp"
#include "speder/deep/learn/config.hpp"
#include "speder/sweep/grid_cell.hpp"

namespace speder::deep {
namespace {

/// What the record keeps of the options; queries are the cells, the seed is the record's.
template <class Visitor>
void visit(Visitor&& v, HeatmapOptions& o) {
  v("ortho", o.ortho);
  v("features", o.features);
  v("hidden", o.hidden);
  v("steps", o.steps);
  v("batch", o.batch);
  v("learning_rate", o.learning_rate);
}

std::string objective_of(const std::string& id) {
  return id.substr(std::string("heatmap-").size());
}

std::string query_text(const RoomQuery& q) {
  return fmt::format("s = ({:g}, {:g}), a = ({:g}, {:g})", q.from.x, q.from.y, q.velocity.x,
                     q.velocity.y);
}

HeatmapRow row_of(const Run& run) {
  const GridCell cell = GridCell::parse(run.key.cell);
  HeatmapRow row{
      .query = {{cell.number("x"), cell.number("y")}, {cell.number("vx"), cell.number("vy")}},
      .score = {},
      .raw = {}};
  std::vector<double> density;  // ordered by n: row by row
  for (const Measure& m : run.measures) {
    if (m.metric == "density") density.push_back(m.value);
    if (m.metric == "peak_offset") row.score.peak_offset = m.value;
    if (m.metric == "mean_offset") row.score.mean_offset = m.value;
    if (m.metric == "l1") row.score.l1 = m.value;
    if (m.metric == "mass") row.score.mass = m.value;
  }
  const auto n = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(density.size()))));
  if (n < 2 || n * n != std::ssize(density)) {
    throw InputError(fmt::format("{} {}: {} densities are no square room", run.key.experiment,
                                 run.key.cell, density.size()));
  }
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  row.raw = Eigen::Map<const Rows>(density.data(), n, n);
  return row;
}

Panel panel(const Room& room, const RoomQuery& q, const Matrix& density, const std::string& title) {
  const Index n = density.rows();
  const double step = room.side / static_cast<double>(n), first = (step - room.side) / 2;
  const Place aim = target(room, q);
  const HeatAxis axis{first, step, n, n / 10, std::max<Index>(n / 5, 1)};
  Panel p{.title = title, .x = {.label = "x"}, .y = {.label = "y"}};
  p.heat = HeatMap{.label = "density",
                   .columns = axis_labels(axis),
                   .rows = axis_labels(axis),
                   .values = density,
                   .x_scale = Interval{-room.side / 2, room.side / 2},
                   .y_scale = Interval{-room.side / 2, room.side / 2}};
  p.series.push_back({.label = "s + a t",
                      .x = {(aim.x - first) / step},
                      .y = {(aim.y - first) / step},
                      .mark = Mark::kPoints,
                      .colour = 1});
  return p;
}

Figure figure(const std::string& objective, const HeatmapOptions& o,
              const std::vector<HeatmapRow>& rows) {
  const Room room;
  Figure f{.id = "heatmap-" + objective,
           .caption = fmt::format(
               "Transition density of the empty room learned with the {} objective ({} steps, d = "
               "{}), negative values cut and scaled to mass 1, beside the truth; the dot is s + a "
               "t.",
               objective, o.steps, o.features),
           .panels = {},
           .columns = 2};
  for (const HeatmapRow& r : rows) {
    f.panels.push_back(
        panel(room, r.query, clipped_to_mass_one(room, r.raw), "learned: " + query_text(r.query)));
    f.panels.push_back(
        panel(room, r.query, true_density_grid(room, r.query, r.raw.rows()), "truth"));
  }
  return f;
}

ReportTable table_of(const std::string& objective, const std::vector<HeatmapRow>& rows) {
  ReportTable t{.id = "heatmap-" + objective + "-table",
                .caption =
                    "Offsets are distances from s + a t; L1 is ∫|estimate − truth| after "
                    "negative values are cut and the mass is scaled to 1; mass is that of "
                    "the raw estimate.",
                .head = {"s, a", "peak offset", "mean offset", "L1", "mass"},
                .rows = {}};
  for (const HeatmapRow& r : rows) {
    t.rows.push_back({query_text(r.query), fmt::format("{:.3f}", r.score.peak_offset),
                      fmt::format("{:.3f}", r.score.mean_offset), fmt::format("{:.3f}", r.score.l1),
                      fmt::format("{:.4g}", r.score.mass)});
  }
  return t;
}

Finding near_target(const std::string& objective, const std::vector<HeatmapRow>& rows) {
  Finding f;
  f.claim = fmt::format("objective {}: every peak within {} of s + a t", objective, kPeakLimit);
  f.theory = fmt::format("≤ {}", kPeakLimit);
  if (rows.empty()) return f;
  double largest = 0;
  for (const HeatmapRow& r : rows) largest = std::max(largest, r.score.peak_offset);
  const auto near = std::ranges::count_if(
      rows, [](const HeatmapRow& r) { return r.score.peak_offset <= kPeakLimit; });
  f.measured = fmt::format("{:.3f}", largest);
  f.verdict = near == std::ssize(rows) ? Verdict::kConsistent : Verdict::kViolated;
  f.reason = fmt::format("{} of {} peaks; one run, so no interval", near, rows.size());
  return f;
}

}  // namespace

ExperimentRecord heatmap_record(const HeatmapOptions& options) {
  ExperimentRecord record{.id = fmt::format("heatmap-{}", to_string(options.objective)),
                          .config = {},
                          .seed = options.seed,
                          .planned = std::ssize(options.queries),
                          .build = this_build()};
  HeatmapOptions copy = options;
  visit(WriteTo{record.config}, copy);
  return record;
}

std::vector<Run> heatmap_runs(const HeatmapOptions& options, const HeatmapResult& result) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < result.raw.size(); ++i) {
    const RoomQuery& q = options.queries[i];
    const DensityScore& s = result.scores[i];
    const std::string cell = GridCell()
                                 .set("x", q.from.x)
                                 .set("y", q.from.y)
                                 .set("vx", q.velocity.x)
                                 .set("vy", q.velocity.y)
                                 .key();
    Run run;
    run.key = {fmt::format("heatmap-{}", to_string(options.objective)), cell, 0};
    run.measures = {{"peak_offset", 0, s.peak_offset},
                    {"mean_offset", 0, s.mean_offset},
                    {"l1", 0, s.l1},
                    {"mass", 0, s.mass},
                    {"loss", result.steps, result.loss}};
    const Matrix& raw = result.raw[i];
    for (Index k = 0; k < raw.size(); ++k) {
      run.measures.push_back({"density", k, raw(k / raw.cols(), k % raw.cols())});
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<HeatmapRow> heatmap_rows(const std::vector<Run>& runs) {
  std::vector<HeatmapRow> rows;
  for (const Run& run : runs) rows.push_back(row_of(run));
  return rows;
}

ReportSection heatmap_section(const ExperimentData& data) {
  HeatmapOptions o;
  const ConfigTable table = ConfigTable::parse(data.record.config, data.record.id);
  visit(ReadFrom{table}, o);
  const std::string objective = objective_of(data.record.id);
  const std::vector<HeatmapRow> rows = heatmap_rows(data.runs);
  ExperimentReport out;
  out.question = "Does the learned transition density of an empty room lie where it should?";
  out.design =
      "s' = s + 2a + N(0, I), drawn again until it is inside the room [−5, 5]²; s and a uniform, "
      "base "
      "density uniform on the room. dual is the paper's objective with its soft constraint: its "
      "mass "
      "is arbitrary; exact minimises the L² distance itself.";
  out.findings = {near_target(objective, rows)};
  if (!rows.empty()) out.figures = {figure(objective, o, rows)};
  out.tables = {table_of(objective, rows)};
  out.again = fmt::format(
      "speder deep heatmap --objective {} --steps {} --lr {:g} --features {} --hidden {} --batch "
      "{} "
      "--ortho {:g} --seed {} --out runs/room",
      objective, o.steps, o.learning_rate, o.features, listed(o.hidden, " "), o.batch, o.ortho,
      data.record.seed);
  return section_of(data, std::move(out));
}

}  // namespace speder::deep
