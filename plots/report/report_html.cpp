#include <fmt/format.h>

#include <algorithm>

#include "speder/plots/render/render.hpp"
#include "speder/plots/report/html.hpp"
#include "speder/plots/report/report.hpp"

namespace speder {
namespace {

// Colour is never the only sign.
std::string verdict_html(const Finding& finding) {
  const bool mutation = finding.role == Role::kMutation;
  const bool open =
      finding.verdict == Verdict::kInconclusive || finding.verdict == Verdict::kNotATest;
  const std::string_view css = open ? "open" : acceptable(finding) ? "good" : "bad";
  const std::string mark = css == "good" ? "✓ " : css == "bad" ? "✗ " : "? ";
  std::string out = html_element("span", mark + std::string(to_string(finding.verdict)),
                                 fmt::format("verdict {}", css));
  if (mutation) out += html_element("span", "mutation: must be violated", "tag");
  return out;
}

std::string measured_html(const Finding& f) {
  return fmt::format("<span class=\"nowrap\">{} {}</span>", html_text(f.measured),
                     html_element("span", f.interval, "soft"));
}

std::vector<std::string> finding_row(const Finding& f) {
  return {html_rich(f.claim),  measured_html(f),
          html_text(f.theory), html_text(f.ratio.empty() ? "–" : f.ratio),
          verdict_html(f),     html_text(f.reason)};
}

const std::vector<std::string> kFindingHead = {
    "claim", "measured [95%]", "theory", "measured / bound", "verdict", "why"};

// Claims alone; a claim that is not plainly consistent says why.
std::string verdict_table(const std::vector<ReportSection>& sections) {
  std::vector<std::vector<std::string>> rows;
  for (const ReportSection& s : sections) {
    for (const Finding& f : s.report.findings) {
      if (f.role == Role::kMutation) continue;
      const bool plain = f.verdict == Verdict::kConsistent;
      rows.push_back({fmt::format("<a class=\"nowrap\" href=\"#{}\">{}</a>", html_id(s.record.id),
                                  html_text(s.record.id)),
                      html_rich(f.claim), measured_html(f), html_text(f.theory),
                      html_text(f.ratio.empty() ? "–" : f.ratio),
                      verdict_html(f) + (plain ? "" : html_element("span", f.reason, "why"))});
    }
  }
  return html_table(
      {"experiment", "claim", "measured [95%]", "theory", "measured / bound", "verdict"}, rows);
}

std::string counted(int n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string summary(const std::vector<ReportSection>& sections, const PageText& text) {
  int claims = 0, consistent = 0, violated = 0, no_test = 0, mutations = 0, caught = 0;
  for (const ReportSection& s : sections) {
    for (const Finding& f : s.report.findings) {
      const bool claim = f.role == Role::kClaim;
      const bool broken = f.verdict == Verdict::kViolated;
      claims += claim ? 1 : 0;
      mutations += claim ? 0 : 1;
      caught += !claim && broken ? 1 : 0;
      violated += claim && broken ? 1 : 0;
      consistent += claim && supports(f.verdict) ? 1 : 0;
      no_test += claim && f.verdict == Verdict::kNotATest ? 1 : 0;
    }
  }
  std::string counts = fmt::format(
      "{}: {} consistent (tight or below where the test is two-sided), {} violated, {} "
      "inconclusive{}.",
      counted(claims, "claim"), consistent, violated, claims - consistent - violated - no_test,
      no_test > 0 ? fmt::format(", {} not a test", no_test) : "");
  if (mutations > 0) {
    counts += fmt::format(" Of {}, settings in which a claim must be seen to fail, {} caught.",
                          counted(mutations, "mutation"),
                          caught == mutations ? "all were" : fmt::format("only {} were", caught));
  }
  return html_element("p", counts) + html_element("p", text.rule, "soft");
}

std::string figure_html(const Figure& figure, const std::string& picture_html) {
  const std::string id = html_id(figure.id);
  std::string links;
  for (const Picture format : {Picture::kSvg, Picture::kPng, Picture::kPdf, Picture::kTikz}) {
    links += fmt::format("<a href=\"figures/{0}.{1}\">{1}</a> ", id, extension(format));
  }
  return fmt::format(
      "<figure id=\"figure-{0}\"{4}>\n{2}\n<figcaption>{1} "
      "<span class=\"soft\">{3}<a href=\"data/{0}.csv\">csv</a></span> </figcaption></figure>\n",
      id, html_rich(figure.caption), picture_html, links,
      figure.columns > 1 && figure.panels.size() > 1 ? " class=\"wide\"" : "");
}

// "N grows at most like d⁴, |A| held": the rate alone.
std::string short_claim(const std::string& claim) {
  constexpr std::string_view kLike = " like ";
  const std::size_t at = claim.find(kLike);
  if (at == std::string::npos) return claim;
  const std::string rate = claim.substr(at + kLike.size());
  return rate.substr(0, std::min(rate.find(", "), rate.find(": ")));
}

std::string cells_html(const ReportTable& table) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : table.rows) {
    rows.emplace_back();
    for (const std::string& cell : row) rows.back().push_back(html_rich(cell));
  }
  return html_table(table.head, rows);
}

std::string small_table_html(const ReportTable& table) {
  return "<div class=\"short\">" + cells_html(table) + "<p class=\"soft\">" +
         html_rich(table.caption) + "</p></div>\n";
}

std::string table_html(const ReportTable& table) {
  return cells_html(table) +
         fmt::format("<p class=\"soft\">{} <a href=\"data/{}.csv\">csv</a></p>\n",
                     html_rich(table.caption), html_id(table.id));
}

// The first screen: the picture people come for beside what each experiment came to.
std::string lead_html(const std::vector<ReportSection>& sections,
                      const std::vector<std::string>& pictures, const PageText& text) {
  const Figure* shown = nullptr;
  std::string picture, numbers;
  std::size_t at = 0;
  std::vector<std::vector<std::string>> rows;
  for (const ReportSection& s : sections) {
    const bool first = s.record.id == text.lead || (shown == nullptr && sections.size() == 1);
    if (first && !s.report.figures.empty()) {
      shown = &s.report.figures.front();
      picture = pictures[at];
      if (s.report.lead) numbers = small_table_html(*s.report.lead);
    }
    at += s.report.figures.size();
    std::size_t left = first ? 2 : 1;
    for (const Finding& f : s.report.findings) {
      if (f.role != Role::kClaim || (left == 0 && f.verdict != Verdict::kNotATest)) continue;
      if (left > 0) --left;
      rows.push_back(
          {fmt::format("<a href=\"#{}\">{}</a>", html_id(s.record.id), html_text(s.record.id)),
           "<span class=\"cut\">" + html_rich(short_claim(f.claim)) + "</span>", measured_html(f),
           html_text(f.theory), verdict_html(f)});
      if (first)
        std::rotate(rows.begin() + static_cast<std::ptrdiff_t>(1 - left), rows.end() - 1,
                    rows.end());
    }
  }
  const std::string table =
      rows.empty() ? "" : html_table({"", "claim", "measured [95%]", "theory", "verdict"}, rows);
  if (shown == nullptr) return table;
  return fmt::format(
      "<div class=\"lead\">\n<div><figure>{}<figcaption>{} <a href=\"#figure-{}\">more</a> "
      "</figcaption></figure>{}</div>\n<div>{}</div></div>\n",
      picture, html_rich(shown->caption), html_id(shown->id), table.empty() ? "" : numbers,
      table.empty() ? numbers : table);
}

std::string again_html(const ReportSection& s) {
  const bool full = s.record.config.find("size = 'full'") != std::string::npos;
  return "<h3>Again</h3>" +
         html_element("pre", s.report.again.empty()
                                 ? fmt::format("speder sweep {}{} --seed {}", s.record.id,
                                               full ? " --full" : "", s.record.seed)
                                 : s.report.again);
}

std::string section_html(const ReportSection& s, std::span<const std::string> pictures) {
  std::string out = fmt::format("<section id=\"{}\">\n", html_id(s.record.id));
  out += html_element("h2", s.record.id) + "<p>" + html_rich(s.report.question) + "</p>";
  if (!s.report.design.empty()) out += "<p class=\"soft\">" + html_rich(s.report.design) + "</p>";
  for (std::size_t i = 0; i < s.report.figures.size(); ++i) {
    out += figure_html(s.report.figures[i], pictures[i]);
  }
  for (const ReportTable& t : s.report.tables) out += table_html(t);
  std::vector<std::vector<std::string>> rows;
  for (const Finding& f : s.report.findings) rows.push_back(finding_row(f));
  if (!rows.empty()) out += html_table(kFindingHead, rows);
  if (!s.report.caveats.empty()) {
    out += "<h3>Caveats</h3><ul>";
    for (const std::string& c : s.report.caveats) out += "<li>" + html_rich(c) + "</li>";
    out += "</ul>";
  }
  out += again_html(s);
  out += "<details><summary>" +
         html_text(fmt::format("{} of {} runs, {} failed, {:.1f} s of computing; settings", s.runs,
                               s.record.planned, s.failed, s.seconds)) +
         "</summary>" + html_element("pre", s.record.config) + "</details>";
  return out + "</section>\n";
}

std::string audit_html(const std::vector<AuditEntry>& audit) {
  std::string out = "<section id=\"audit\"><h2>Audit of the paper's statements</h2>\n";
  if (audit.empty()) return out + html_element("p", "No audit was run.", "soft") + "</section>\n";
  std::vector<std::vector<std::string>> rows;
  for (const AuditEntry& e : audit) {
    const bool falsified = e.verdict.find("falsified") != std::string::npos;
    const bool holds = e.verdict.find("holds") != std::string::npos;
    const std::string mark = falsified ? "✗ " : holds ? "✓ " : "? ";
    rows.push_back({html_text(e.id), html_text(e.source), html_text(e.statement),
                    html_element("span", mark + e.verdict,
                                 falsified ? "verdict bad"
                                 : holds   ? "verdict good"
                                           : "verdict open"),
                    html_text(e.instances), html_text(e.worst_ratio), html_text(e.counterexample),
                    html_text(e.corrected_by)});
  }
  const auto falsified = std::ranges::count_if(
      audit, [](const AuditEntry& e) { return e.verdict.find("falsified") != std::string::npos; });
  out += html_element("p", fmt::format("{} statements, {} falsified as printed. A falsified "
                                       "statement is a finding about the paper, not a failure.",
                                       audit.size(), falsified));
  return out +
         html_table({"id", "source", "statement", "verdict", "instances", "worst lhs/rhs",
                     "counterexample", "corrected by"},
                    rows) +
         "</section>\n";
}

std::string environment_html(const std::vector<ReportSection>& sections) {
  std::vector<std::vector<std::string>> rows;
  for (const ReportSection& s : sections) {
    const Manifest& b = s.record.build;
    rows.push_back({html_text(s.record.id), html_text(b.version), html_text(b.commit),
                    html_text(b.compiler), html_text(b.build_type),
                    fmt::format("{}", s.record.seed)});
  }
  return "<section id=\"environment\"><h2>Environment</h2>\n" +
         html_table({"experiment", "version", "commit", "compiler", "build", "seed"}, rows) +
         "</section>\n";
}

}  // namespace

std::string report_html(const std::vector<ReportSection>& sections,
                        const std::vector<std::string>& pictures_html,
                        const std::vector<AuditEntry>& audit, const PageText& text) {
  std::vector<PageLink> contents = {{"verdicts", "Summary"}};
  std::string body = "<section id=\"verdicts\">\n";
  for (const std::string& w : text.warnings) body += html_element("p", w, "weak");
  const bool judged = std::ranges::any_of(
      sections, [](const ReportSection& s) { return !s.report.findings.empty(); });
  if (judged) body += summary(sections, text);
  body += lead_html(sections, pictures_html, text);
  if (judged) {
    body += "<h2 id=\"claims\">All claims</h2>\n" + verdict_table(sections);
    contents.push_back({"claims", "All claims"});
  }
  body += "</section>\n";
  std::size_t at = 0;
  for (const ReportSection& s : sections) {
    contents.push_back({s.record.id, s.record.id});
    body += section_html(s, std::span(pictures_html).subspan(at, s.report.figures.size()));
    at += s.report.figures.size();
  }
  if (text.audit) {
    contents.push_back({"audit", "Audit"});
    body += audit_html(audit);
  }
  contents.push_back({"environment", "Environment"});
  return html_page(text.heading, contents, body + environment_html(sections));
}

}  // namespace speder
