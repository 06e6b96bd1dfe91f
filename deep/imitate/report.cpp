#include "speder/deep/imitate/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "speder/deep/imitate/figures.hpp"
#include "speder/deep/learn/config.hpp"
#include "speder/deep/results/table.hpp"
#include "speder/deep/sim/data_files.hpp"

namespace speder::deep {
namespace {

constexpr std::string_view kPrefix = "imitate-";
constexpr std::string_view kGiven = "# given:";

std::string rate(double value) { return fmt::format("{:.2f}", value); }

std::string rates(const std::vector<double>& values) {
  std::string out;
  for (const double v : values) out.append(out.empty() ? "" : " ").append(rate(v));
  return out;
}

std::string signed_rate(double value) {
  return fmt::format("{}{:.3f}", value < 0 ? "−" : "+", std::abs(value));
}

const ImitateRow* find(const std::vector<ImitateRow>& rows, const ImitateRow& like,
                       std::string_view method) {
  const auto found = std::ranges::find_if(rows, [&](const ImitateRow& r) {
    return r.method == method && r.body == like.body && r.data == like.data;
  });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<Finding> findings(const std::vector<ImitateRow>& rows, int seeds) {
  std::vector<Finding> out;
  for (const auto& [other, claim] : {std::pair{"bc", "SPEDER at least BC"},
                                     {"speder-nonorm", "with normalisation at least without"}}) {
    for (const ImitateRow& row : rows) {
      const ImitateRow* b = find(rows, row, other);
      if (row.method != "speder" || b == nullptr) continue;
      out.push_back(at_least(fmt::format("{}, {} {}", claim, row.body, row.data), row, *b, seeds));
    }
  }
  return out;
}

ReportTable table_of(const std::vector<ImitateRow>& rows, const ImitateSuite& suite) {
  ReportTable t{
      .id = "imitate-table",
      .caption = fmt::format(
          "success: share of {} final episodes, mean over seeds with its 95% interval. "
          "last evaluations: mean of the last {} of a run, mean ± standard deviation over "
          "seeds. small Z: share of a minibatch with Z ≤ ε = {:g} at the end of phase 1.",
          suite.base.final_episodes, suite.base.last_evaluations, suite.base.log_floor),
      .head = {"data", "method", "success", "95% interval", "by seed", "last evaluations",
               "small Z", "failed"},
      .rows = {}};
  for (const ImitateRow& r : rows) {
    const bool any = !r.success.empty();
    const MeanStd last = mean_std(r.last), small = mean_std(r.small_mass);
    t.rows.push_back({r.body + " " + r.data, label(r), any ? fmt::format("{:.3f}", r.mean) : "–",
                      any ? rate(r.interval.low) + " to " + rate(r.interval.high) : "–",
                      rates(r.success),
                      r.last.empty() ? "–" : rate(last.mean) + " ± " + rate(last.deviation),
                      r.small_mass.empty() ? "–" : rate(small.mean), std::to_string(r.failed)});
  }
  return t;
}

std::string design(const ImitateSuite& suite) {
  const ImitateConfig& c = suite.base;
  return fmt::format(
      "Phase 1: {} steps on the offline data (representation and action decoder), each seed its "
      "own; "
      "phase 2: {} steps of cloning {} expert episodes in the latent space. Networks {}, batch {}. "
      "Episodes act with z {} and a = {}; the goal is {}.",
      c.pretrain_steps, c.steps, c.expert_episodes, listed(c.hidden, " × "), c.batch,
      c.latent_action == "sample" ? "drawn from π_Z" : "the mean of π_Z",
      c.decoder_action == "mode" ? "the decoder's mode" : "a draw of the decoder",
      c.goal == "fixed" ? "one draw for a run" : "drawn anew for every episode");
}

std::set<std::string> lines(const std::string& text) {
  std::set<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.insert(line);
  return out;
}

// A word of a shell command.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,";
  if (word.find_first_not_of(kSafe) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace

Finding at_least(const std::string& claim, const ImitateRow& a, const ImitateRow& b, int seeds) {
  const Difference d = difference(a, b);
  Finding f;
  f.claim = claim;
  f.theory = "≥ 0";
  const auto count = static_cast<int>(std::min(a.success.size(), b.success.size()));
  if (count > 0) {
    f.measured = signed_rate(d.value);
    f.interval = fmt::format("[{}, {}]", signed_rate(d.interval.low), signed_rate(d.interval.high));
  }
  f.reason = fmt::format("{:.3f} against {:.3f}", a.mean, b.mean);
  if (count < seeds) {
    f.reason = fmt::format("unfinished: {} of {} seeds; so far {}", count, seeds, f.reason);
  } else if (d.interval.high < 0) {
    f.verdict = Verdict::kViolated;
  } else if (d.interval.low >= -kSuccessResolution) {
    f.verdict = Verdict::kConsistent;
  } else {
    f.reason += "; the interval has both signs";
  }
  return f;
}

std::string given_files(const std::vector<std::pair<std::string, std::string>>& options) {
  std::string out;
  for (const auto& [name, file] : options) {
    if (!file.empty()) out += fmt::format(" --{} {}", name, shell_word(file));
  }
  return out.empty() ? "" : fmt::format("{}{}\n", kGiven, out);
}

std::string imitate_command(const ExperimentRecord& record) {
  const std::string name = record.id.substr(std::min(kPrefix.size(), record.id.size()));
  const ImitateSuite suite = parse_imitate_suite(record.config, record.id);
  std::string out = fmt::format("speder deep imitate --suite {}", shell_word(name));
  const std::filesystem::path preset = find_data_file("suites", "imitate_" + name + ".toml");
  if (std::filesystem::is_regular_file(preset)) {
    ImitateSuite plain = read_imitate_suite(preset, "");
    plain.base.seed = suite.base.seed;
    const std::set<std::string> before = lines(to_toml(plain));
    for (std::string line : lines(to_toml(suite))) {
      if (before.contains(line)) continue;
      line.replace(line.find(" = "), 3, "=");
      out += " --set " + shell_word(line);
    }
  } else {
    out += ".toml";
  }
  if (record.config.starts_with(kGiven)) {
    const std::string first = record.config.substr(0, record.config.find('\n'));
    out += first.substr(kGiven.size());
  }
  return out + fmt::format(" --seed {} --out runs/again", record.seed);
}

ReportSection imitate_section(const ExperimentData& data) {
  const ImitateSuite suite = parse_imitate_suite(data.record.config, data.record.id);
  const std::vector<ImitateRow> rows = imitate_rows(data.runs, suite);
  ExperimentReport out;
  out.question =
      "Is cloning in SPEDER's latent space at least as good as cloning actions, and does the "
      "normalisation term help?";
  out.design = design(suite);
  out.findings = findings(rows, suite.seeds);
  const auto drawn = [](const ImitateRow& r) { return !r.success.empty(); };
  if (std::ranges::any_of(rows, drawn)) out.figures.push_back(success_figure(rows, suite));
  for (auto figure : {normalisation_figure(rows, suite), success_curves(rows, suite)}) {
    if (figure) out.figures.push_back(std::move(*figure));
  }
  out.tables = {table_of(rows, suite)};
  out.again = imitate_command(data.record);
  const auto runs = static_cast<std::int64_t>(data.runs.size());
  if (runs < data.record.planned) {
    out.caveats.push_back(
        fmt::format("{} of the suite's {} runs are in the store.", runs, data.record.planned));
  }
  return section_of(data, std::move(out));
}

}  // namespace speder::deep
