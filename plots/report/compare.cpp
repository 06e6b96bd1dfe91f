#include "speder/plots/report/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "speder/plots/report/html.hpp"

namespace speder {
namespace {

struct Estimate {
  double value;
  Interval interval;
};

std::string with_plain_minus(std::string text) {
  constexpr std::string_view kMinus = "−";
  for (std::size_t at = text.find(kMinus); at != std::string::npos; at = text.find(kMinus))
    text.replace(at, kMinus.size(), "-");
  return text;
}

// "3.19", "158/160"
std::optional<double> number_in(const std::string& text) {
  const std::string plain = with_plain_minus(text);
  char* end = nullptr;
  const double first = std::strtod(plain.c_str(), &end);
  if (end == plain.c_str()) return {};
  if (*end != '/') return first;
  const double second = std::strtod(end + 1, nullptr);
  if (second == 0) return {};
  return first / second;
}

std::optional<Estimate> estimate_of(const Finding& f) {
  const auto value = number_in(f.measured);
  const std::string interval = with_plain_minus(f.interval);
  const std::size_t open = interval.find('['), comma = interval.find(',');
  if (!value || open == std::string::npos || comma == std::string::npos) return {};
  const auto low = number_in(interval.substr(open + 1)),
             high = number_in(interval.substr(interval.find_first_not_of(' ', comma + 1)));
  if (!low || !high || *low > *high) return {};
  return Estimate{*value, {*low, *high}};
}

void set_difference(ComparedFinding& f) {
  if (!f.a || !f.b) return;
  const auto a = estimate_of(*f.a), b = estimate_of(*f.b);
  if (!a || !b) return;
  const double d = b->value - a->value;
  f.difference = d;
  f.interval = Interval{d - std::hypot(b->value - b->interval.low, a->interval.high - a->value),
                        d + std::hypot(b->interval.high - b->value, a->value - a->interval.low)};
}

// "key = value" lines of a record, with its build and seed.
std::map<std::string, std::string> settings_of(const ReportSection& s) {
  std::map<std::string, std::string> out = {
      {"commit", s.record.build.commit},          {"version", s.record.build.version},
      {"compiler", s.record.build.compiler},      {"build", s.record.build.build_type},
      {"seed", fmt::format("{}", s.record.seed)}, {"runs", fmt::format("{}", s.runs)}};
  std::string_view rest = s.record.config;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (const std::size_t split = line.find(" = "); split != std::string_view::npos)
      out[std::string(line.substr(0, split))] = line.substr(split + 3);
  }
  return out;
}

std::string measured_text(const std::optional<Finding>& f) {
  return f ? fmt::format("{} {}", f->measured, f->interval) : "absent";
}
std::string verdict_text(const std::optional<Finding>& f) {
  return f ? std::string(to_string(f->verdict)) : "absent";
}
std::string difference_text(const ComparedFinding& f) {
  return f.difference ? fmt::format("{} {}", shown(*f.difference), shown(*f.interval)) : "–";
}
std::string change_text(const ComparedFinding& f) {
  if (f.verdict_changed()) return "▲ verdict";
  return f.moved() ? "◆ moved" : "same";
}

}  // namespace

bool ComparedFinding::verdict_changed() const { return !a || !b || a->verdict != b->verdict; }
bool ComparedFinding::moved() const {
  return interval && (interval->low > 0 || interval->high < 0);
}

Comparison compare_reports(const std::vector<ReportSection>& a,
                           const std::vector<ReportSection>& b) {
  Comparison out;
  const auto at = [&](const std::string& experiment, const Finding& f) -> ComparedFinding& {
    const auto same = std::ranges::find_if(out.findings, [&](const ComparedFinding& c) {
      return c.experiment == experiment && c.claim == f.claim && c.role == f.role;
    });
    return same != out.findings.end()
               ? *same
               : out.findings.emplace_back(
                     ComparedFinding{.experiment = experiment, .claim = f.claim, .role = f.role});
  };
  for (const ReportSection& s : a) {
    for (const Finding& f : s.report.findings) at(s.record.id, f).a = f;
  }
  for (const ReportSection& s : b) {
    for (const Finding& f : s.report.findings) at(s.record.id, f).b = f;
    const auto before =
        std::ranges::find(a, s.record.id, [](const ReportSection& r) { return r.record.id; });
    if (before == a.end()) continue;
    auto old = settings_of(*before), now = settings_of(s);
    for (const auto& [key, value] : now) old.try_emplace(key, "");
    for (const auto& [key, value] : old) {
      if (now[key] != value) out.settings.push_back({s.record.id, key, value, now[key]});
    }
  }
  for (ComparedFinding& f : out.findings) set_difference(f);
  return out;
}

std::string comparison_text(const Comparison& c) {
  std::string out;
  int changed = 0, compared = 0;
  std::set<std::string> in_a, in_b;
  for (const ComparedFinding& f : c.findings) {
    if (f.a) in_a.insert(f.experiment);
    if (f.b) in_b.insert(f.experiment);
  }
  for (const ComparedFinding& f : c.findings) {
    if (!in_a.contains(f.experiment) || !in_b.contains(f.experiment)) continue;
    ++compared;
    if (!f.verdict_changed() && !f.moved()) continue;
    ++changed;
    out +=
        fmt::format("{:<10} {}: {} -> {}, difference {}; {} -> {}{}\n", f.experiment, f.claim,
                    measured_text(f.a), measured_text(f.b), difference_text(f), verdict_text(f.a),
                    verdict_text(f.b), f.role == Role::kMutation ? " [mutation]" : "");
  }
  out += fmt::format(
      "{} of {} findings changed their verdict or moved by more than their intervals explain\n",
      changed, compared);
  for (const auto& [name, here, there] : {std::tuple{"a", in_a, in_b}, {"b", in_b, in_a}}) {
    std::string alone;
    for (const std::string& e : here)
      if (!there.contains(e)) alone += (alone.empty() ? "" : ", ") + e;
    if (!alone.empty()) out += fmt::format("experiments of {} alone: {}\n", name, alone);
  }
  for (const ComparedSetting& s : c.settings)
    out += fmt::format("{:<10} {}: {} -> {}\n", s.experiment, s.key, s.a.empty() ? "none" : s.a,
                       s.b.empty() ? "none" : s.b);
  return out;
}

std::string comparison_json(const Comparison& c) {
  nlohmann::json findings = nlohmann::json::array(), settings = nlohmann::json::array();
  for (const ComparedFinding& f : c.findings) {
    findings.push_back(
        {{"experiment", f.experiment},
         {"claim", f.claim},
         {"role", f.role == Role::kMutation ? "mutation" : "claim"},
         {"a", measured_text(f.a)},
         {"b", measured_text(f.b)},
         {"verdict_a", verdict_text(f.a)},
         {"verdict_b", verdict_text(f.b)},
         {"difference", f.difference ? nlohmann::json(*f.difference) : nlohmann::json()},
         {"low", f.interval ? nlohmann::json(f.interval->low) : nlohmann::json()},
         {"high", f.interval ? nlohmann::json(f.interval->high) : nlohmann::json()},
         {"verdict_changed", f.verdict_changed()},
         {"moved", f.moved()}});
  }
  for (const ComparedSetting& s : c.settings)
    settings.push_back({{"experiment", s.experiment}, {"key", s.key}, {"a", s.a}, {"b", s.b}});
  return nlohmann::json{{"findings", findings}, {"settings", settings}}.dump(
             2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

std::string comparison_html(const Comparison& c, const std::pair<std::string, std::string>& names) {
  std::vector<std::vector<std::string>> rows, settings;
  for (const ComparedFinding& f : c.findings) {
    const bool same = !f.verdict_changed() && !f.moved();
    rows.push_back({html_text(f.experiment),
                    html_rich(f.claim) +
                        (f.role == Role::kMutation ? html_element("span", "mutation", "tag") : ""),
                    html_text(measured_text(f.a)), html_text(measured_text(f.b)),
                    html_text(difference_text(f)),
                    html_text(verdict_text(f.a) + " → " + verdict_text(f.b)),
                    html_element("span", change_text(f),
                                 same                  ? "soft"
                                 : f.verdict_changed() ? "verdict bad"
                                                       : "verdict open")});
  }
  std::ranges::stable_sort(
      rows, {}, [](const auto& row) { return row.back().find("verdict") == std::string::npos; });
  for (const ComparedSetting& s : c.settings)
    settings.push_back({html_text(s.experiment), html_text(s.key), html_text(s.a), html_text(s.b)});
  std::string body =
      "<section id=\"findings\">" +
      html_element(
          "p",
          fmt::format("a: {}; b: {}. The difference is b − a with the 95% interval that the two "
                      "intervals give (Zou and Donner); where it excludes 0 the claim has moved.",
                      names.first, names.second));
  body += html_table({"experiment", "claim", "a [95%]", "b [95%]", "difference [95%]", "verdict",
                      "change"},
                     rows) +
          "</section>\n";
  body += "<section id=\"settings\"><h2>What differs in the settings</h2>";
  body += settings.empty() ? html_element("p", "Nothing.", "soft")
                           : html_table({"experiment", "setting", "a", "b"}, settings);
  return html_page("Two runs compared", {{"findings", "Findings"}, {"settings", "Settings"}},
                   body + "</section>\n");
}

}  // namespace speder
