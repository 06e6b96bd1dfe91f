#include "speder/deep/results/table_formats.hpp"

#include <fmt/format.h>

#include <cmath>

#include "speder/deep/results/misprints.hpp"
#include "speder/plots/figure.hpp"
#include "speder/plots/render/render.hpp"

namespace speder::deep {
namespace {

std::string shown_cell(const ResultRow& row, std::size_t i) {
  if (row.values[i]) return cell_text(*row.values[i]);
  return row.notes[i].empty() ? "" : "–";
}

// What a bar or a line break would end a cell of a Markdown table with.
std::string markdown_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::string markdown_table(std::string_view suite, const std::vector<ResultRow>& rows) {
  const std::vector<std::string>& envs = suite_envs(suite);
  std::string out = fmt::format("| suite {} |", suite), rule = "|---|";
  for (const std::string& env : envs) {
    out += fmt::format(" {} |", markdown_text(env));
    rule += "---|";
  }
  out += "\n" + rule + "\n";
  for (const ResultRow& row : rows) {
    out +=
        fmt::format("| {}{} |", markdown_text(row.name), row.published ? " (published)" : ", ours");
    for (std::size_t i = 0; i < envs.size(); ++i) {
      out += fmt::format(" {}{}{} |", shown_cell(row, i),
                         row.misprints[i] < 0 ? "" : fmt::format(" [{}]", row.misprints[i] + 1),
                         row.notes[i].empty() ? "" : fmt::format(" ({})", row.notes[i]));
    }
    out += "\n";
  }
  const std::vector<std::string> notes = misprint_notes(suite);
  for (const std::string& n : notes)
    out += "\n" + markdown_text(n) + (&n == &notes.back() ? "\n" : "\\");
  return out;
}

std::string latex_table(std::string_view suite, const std::vector<ResultRow>& rows) {
  const std::vector<std::string>& envs = suite_envs(suite);
  std::string out = fmt::format("\\begin{{tabular}}{{l{}}}\n\\hline\nsuite {}",
                                std::string(envs.size(), 'r'), suite);
  for (const std::string& env : envs) out += " & " + latex_text(env);
  out += " \\\\\n\\hline\n";
  for (const ResultRow& row : rows) {
    out += row.published ? latex_text(row.name) + " (published)"
                         : "\\textbf{" + latex_text(row.name) + "}, ours";
    for (std::size_t i = 0; i < envs.size(); ++i) {
      out += " & " + latex_text(shown_cell(row, i)) +
             (row.misprints[i] < 0 ? "" : fmt::format("$^{{{}}}$", row.misprints[i] + 1));
    }
    out += " \\\\\n";
    if (row.published) continue;
    for (const std::string& note : row.notes)
      out += note.empty() ? " & " : " & {\\scriptsize " + latex_text(note) + "}";
    out += " \\\\\n";
  }
  out += "\\hline\n\\end{tabular}\n";
  for (const std::string& n : misprint_notes(suite))
    out += "\n{\\footnotesize " + latex_text(n) + "}\n";
  return out;
}

std::string csv_table(std::string_view suite, const std::vector<ResultRow>& rows) {
  const std::vector<std::string>& envs = suite_envs(suite);
  std::string out;
  for (const ResultRow& row : rows) {
    for (std::size_t i = 0; i < envs.size(); ++i) {
      if (!row.values[i] && row.notes[i].empty()) continue;
      const auto number = [](double v) {
        return std::isnan(v) ? std::string() : fmt::format("{}", v);
      };
      const Misprint* slip =
          row.misprints[i] < 0 ? nullptr : &misprints()[static_cast<std::size_t>(row.misprints[i])];
      out += fmt::format("{},{},{},{},{},{},{},{},{}\n", suite, csv_field(row.name),
                         row.published ? "published" : "ours", csv_field(envs[i]),
                         row.values[i] ? number(row.values[i]->mean) : "",
                         row.values[i] ? number(row.values[i]->deviation) : "",
                         csv_field(row.notes[i]), slip != nullptr ? number(slip->right.mean) : "",
                         slip != nullptr ? number(slip->right.deviation) : "");
    }
  }
  return out;
}

}  // namespace speder::deep
