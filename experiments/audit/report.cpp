#include "speder/experiments/audit/report.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "speder/experiments/audit/objects/case_file.hpp"

namespace speder::audit {
namespace {

constexpr std::size_t kIdColumns = 42;

std::string number(double x) {
  if (std::isinf(x)) return "∞";
  return fmt::format("{:.4g}", x);
}

// What the ratio of an entry means.
std::string worst_text(const AuditedEntry& f) {
  if (f.search.instances == 0) return "–";
  if (measures_constant(f.entry->relation)) return "c = " + number(f.search.worst_ratio);
  if (f.entry->relation == Relation::kEqual) return "Δ " + number(f.search.worst_ratio);
  return number(f.search.worst_ratio);
}

// Width on the terminal: code points, not bytes.
std::size_t width(std::string_view text) {
  std::size_t n = 0;
  for (const char c : text) n += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return n;
}
std::string pad(std::string_view text, std::size_t columns) {
  const std::size_t used = width(text);
  return std::string(text) + std::string(used < columns ? columns - used : 0, ' ');
}

std::string sides_text(const AuditedEntry& f) {
  const Sides<Exact>& sides = f.search.counterexample->sides;
  return fmt::format("left {}, right {} at {}", to_text(sides.left), to_text(sides.right),
                     describe(f.search.counterexample->instance));
}

// The twin, shortened when its id is this entry's with an ending.
std::string remark(const AuditedEntry& f) {
  const Entry& e = *f.entry;
  if (measures_constant(e.relation) && !f.search.counterexample) {
    return f.search.instances > 0 ? trend_short(f.search.trend) : std::string();
  }
  if (f.verdict == AuditVerdict::kHolds || f.verdict == AuditVerdict::kNotCheckable) return {};
  const bool ending = e.corrected_by.substr(0, e.id.size()) == e.id;
  return fmt::format("→ {}{}", ending ? "…" : "",
                     ending ? e.corrected_by.substr(e.id.size()) : e.corrected_by);
}

std::string escape_pipes(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

nlohmann::ordered_json trend_json(const Trend& trend) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto add = [&](const char* name, const std::map<std::int64_t, double>& buckets) {
    nlohmann::ordered_json axis = nlohmann::ordered_json::object();
    for (const auto& [key, ratio] : buckets) axis[std::to_string(key)] = ratio;
    json[name] = axis;
  };
  add("d", trend.rank), add("actions", trend.actions);
  add("horizon", trend.horizon), add("n", trend.samples);
  return json;
}

nlohmann::ordered_json finding_json(const AuditedEntry& f) {
  const Entry& e = *f.entry;
  nlohmann::ordered_json json;
  json["id"] = e.id, json["source"] = e.source, json["kind"] = to_string(e.kind);
  json["premises"] = e.premises, json["statement"] = e.statement;
  json["verdict"] = to_string(f.verdict);
  json["instances"] = f.search.instances, json["rejected"] = f.search.rejected;
  json["rounding_alarms"] = f.search.rounding_alarms;
  const bool finite = f.search.instances > 0 && std::isfinite(f.search.worst_ratio);
  json["worst_ratio"] = finite ? nlohmann::ordered_json(f.search.worst_ratio) : nullptr;
  json["unbounded_ratio"] = std::isinf(f.search.worst_ratio);
  json["worst_at"] = f.search.where;
  json["counterexample"] = nullptr;
  if (f.search.counterexample) {
    json["counterexample"] = sides_text(f);
    json["counterexample_data"] =
        nlohmann::ordered_json::parse(counterexample_text(e, *f.search.counterexample));
    if (!f.counterexample_file.empty()) json["counterexample_file"] = f.counterexample_file;
  }
  json["corrected_by"] = e.corrected_by.empty() ? nullptr : nlohmann::ordered_json(e.corrected_by);
  json["twin"] = e.twin == Twin::kNone      ? "printed"
                 : e.twin == Twin::kPremise ? "premise"
                 : e.twin == Twin::kDerived ? "derived"
                                            : "correction";
  if (e.derived) json["twin"] = "derived";
  json["misprint"] = e.twin == Twin::kNone ? nlohmann::ordered_json(error_of(e)) : nullptr;
  json["note"] = e.note;
  if (measures_constant(e.relation) && f.search.instances > 0) {
    json["constant"] = f.search.worst_ratio;
    json["trend"] = trend_text(f.search.trend);
    json["constant_by"] = trend_json(f.search.trend);
  }
  return json;
}

}  // namespace

std::string summary_text(const std::vector<AuditedEntry>& findings) {
  std::array<int, kVerdicts> counts{};
  std::int64_t instances = 0;
  for (const AuditedEntry& f : findings) {
    ++counts[static_cast<std::size_t>(f.verdict)];
    instances += f.search.instances;
  }
  std::string text = fmt::format("{} entries, {} instances:", findings.size(), instances);
  for (std::size_t v = 0; v < counts.size(); ++v) {
    text += fmt::format("{} {} {}", v == 0 ? "" : ",", counts[v],
                        to_string(static_cast<AuditVerdict>(v)));
  }
  const ErrorCount errors = distinct_errors(findings);
  return text +
         fmt::format("; {} distinct errors, {} missing premises", errors.wrong, errors.premises);
}

std::string table_text(const std::vector<AuditedEntry>& findings) {
  std::string text = fmt::format("{} {} {} {} {}\n", pad("id", kIdColumns), pad("verdict", 20),
                                 pad("instances", 9), pad("worst", 11), "corrected by / constant");
  for (const AuditedEntry& f : findings) {
    text += fmt::format("{} {} {:>9} {} {}\n", pad(f.entry->id, kIdColumns),
                        pad(to_string(f.verdict), 20), f.search.instances, pad(worst_text(f), 11),
                        remark(f));
  }
  return text + summary_text(findings) + "\n";
}

std::string detail_text(const std::vector<AuditedEntry>& findings) {
  std::string text;
  for (const AuditedEntry& f : findings) {
    const Entry& e = *f.entry;
    text += fmt::format("{}: {}\n", e.id, to_string(f.verdict));
    text += fmt::format("  source     {} ({})\n", e.source, to_string(e.kind));
    text += fmt::format("  premises   {}\n  statement  {}\n", e.premises, e.statement);
    if (f.search.instances > 0) {
      text += fmt::format("  tried      {} instances ({} rejected), worst {} at {}\n",
                          f.search.instances, f.search.rejected, worst_text(f), f.search.where);
    }
    if (f.search.rounding_alarms > 0) {
      text += fmt::format("  rounding   {} suspicion(s) in double, refuted by exact arithmetic\n",
                          f.search.rounding_alarms);
    }
    if (f.search.counterexample) text += fmt::format("  violated   {}\n", sides_text(f));
    if (!f.counterexample_file.empty())
      text += fmt::format("  saved      {}\n", f.counterexample_file);
    if (measures_constant(e.relation) && f.search.instances > 0) {
      text += fmt::format("  constant   {}\n", trend_text(f.search.trend));
    }
    if (!e.corrected_by.empty()) text += fmt::format("  corrected  {}\n", e.corrected_by);
    if (!e.note.empty()) text += fmt::format("  note       {}\n", e.note);
  }
  return text;
}

std::string json_text(const std::vector<AuditedEntry>& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const AuditedEntry& f : findings) list.push_back(finding_json(f));
  return list.dump(1) + "\n";
}

std::string markdown_text(const std::vector<AuditedEntry>& findings) {
  std::string text =
      "| id | source | statement | verdict | worst | corrected by |\n|---|---|---|---|---|---|\n";
  for (const AuditedEntry& f : findings) {
    const Entry& e = *f.entry;
    const std::string twin = e.corrected_by.empty() ? "" : fmt::format("`{}`", e.corrected_by);
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", e.id, escape_pipes(e.source),
                        escape_pipes(e.statement), to_string(f.verdict), worst_text(f), twin);
  }
  return text;
}

std::string list_text() {
  std::string text;
  for (const Entry& e : inventory()) {
    text += fmt::format("{} {} {}\n    {}\n", pad(e.id, 42), pad(to_string(e.kind), 16), e.source,
                        e.statement);
  }
  return text + fmt::format("{} entries\n", inventory().size());
}

}  // namespace speder::audit
