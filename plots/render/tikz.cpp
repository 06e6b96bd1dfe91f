#include <fmt/format.h>

#include <map>
#include <set>

#include "speder/plots/layout/rich_text.hpp"
#include "speder/plots/render/render.hpp"

namespace speder {
namespace {

// In mathematics.
const std::map<std::string_view, std::string_view> kSigns = {
    {"α", "\\alpha"},      {"β", "\\beta"},   {"γ", "\\gamma"},   {"δ", "\\delta"},
    {"ε", "\\varepsilon"}, {"ζ", "\\zeta"},   {"η", "\\eta"},     {"θ", "\\theta"},
    {"κ", "\\kappa"},      {"λ", "\\lambda"}, {"μ", "\\mu"},      {"ν", "\\nu"},
    {"ξ", "\\xi"},         {"π", "\\pi"},     {"ρ", "\\rho"},     {"σ", "\\sigma"},
    {"τ", "\\tau"},        {"φ", "\\phi"},    {"χ", "\\chi"},     {"ψ", "\\psi"},
    {"ω", "\\omega"},      {"Δ", "\\Delta"},  {"Σ", "\\Sigma"},   {"Φ", "\\Phi"},
    {"Ω", "\\Omega"},      {"−", "-"},        {"±", "\\pm"},      {"×", "\\times"},
    {"·", "\\cdot"},       {"≤", "\\le"},     {"≥", "\\ge"},      {"≠", "\\ne"},
    {"≈", "\\approx"},     {"∝", "\\propto"}, {"√", "\\surd"},    {"∞", "\\infty"},
    {"‖", "\\|"},          {"∑", "\\sum"},    {"∫", "\\int"},     {"→", "\\to"},
    {"∈", "\\in"},         {"|", "|"},        {"<", "<"},         {">", ">"},
    {"²", "{}^{2}"},       {"³", "{}^{3}"},   {"⁴", "{}^{4}"},    {"⁶", "{}^{6}"},
    {"⁻", "{}^{-}"},       {"¹", "{}^{1}"},   {"₀", "{}_{0}"},    {"₁", "{}_{1}"},
    {"₂", "{}_{2}"},       {"ᵏ", "{}^{k}"},   {"½", "\\tfrac12"}, {"¼", "\\tfrac14"}};
// In text.
const std::map<std::string_view, std::string_view> kText = {{"\\", "\\textbackslash{}"},
                                                            {"{", "\\{"},
                                                            {"}", "\\}"},
                                                            {"$", "\\$"},
                                                            {"&", "\\&"},
                                                            {"#", "\\#"},
                                                            {"%", "\\%"},
                                                            {"_", "\\_"},
                                                            {"^", "\\textasciicircum{}"},
                                                            {"~", "\\textasciitilde{}"},
                                                            {"–", "--"},
                                                            {"—", "---"},
                                                            {"…", "\\dots{}"},
                                                            {"\"", "''"}};

std::string one_character(const std::string& c) {
  constexpr std::string_view kHat = "\u0302", kTilde = "\u0303", kBar = "\u0304";
  for (const auto& [mark, command] :
       {std::pair{kHat, "\\hat"}, {kTilde, "\\tilde"}, {kBar, "\\bar"}}) {
    if (c.size() <= mark.size() || !c.ends_with(mark)) continue;
    const std::string base = c.substr(0, c.size() - mark.size());
    const auto sign = kSigns.find(base);
    return fmt::format("$\\mkern0mu{}{{{}}}$", command,
                       sign == kSigns.end() ? std::string_view(base) : sign->second);
  }
  if (const auto sign = kSigns.find(c); sign != kSigns.end())
    return fmt::format("${}$", sign->second);
  if (const auto plain = kText.find(c); plain != kText.end()) return std::string(plain->second);
  return c.size() == 1 || static_cast<unsigned char>(c[0]) == 0xC3
             ? c
             : "?";  // LaTeX knows é, not every sign
}

class TikzWriter {
 public:
  explicit TikzWriter(const PictureStyle& style) : style_(style) {}

  void add(const Outline& s) {
    const bool fill = s.fill.kind != Paint::Kind::kNone,
               stroke = s.stroke.paint.kind != Paint::Kind::kNone;
    if (!fill && !stroke) return;
    std::string options;
    const auto option = [&options](const std::string& text) {
      options += (options.empty() ? "" : ", ") + text;
    };
    if (fill) option("fill=" + colour(s.fill));
    if (fill && s.fill.opacity < 1) option(fmt::format("fill opacity={:.2f}", s.fill.opacity));
    if (stroke)
      option(fmt::format("draw={}, line width={:.2f}bp", colour(s.stroke.paint), s.stroke.width));
    if (stroke && !s.stroke.dash.empty()) {
      std::string dash = "dash pattern=";
      for (std::size_t i = 0; i < s.stroke.dash.size(); ++i)
        dash += fmt::format("{}{} {:.2f}bp", i == 0 ? "" : " ", i % 2 == 0 ? "on" : "off",
                            s.stroke.dash[i]);
      option(dash);
    }
    out += fmt::format("\\path[{}]", options);
    if (s.radius > 0) {
      const Point c = s.paths.front().front();
      out += fmt::format(" ({:.2f},{:.2f}) circle[radius={:.2f}bp]", c.x, c.y, s.radius);
    } else {
      for (const Path& path : s.paths) {
        for (std::size_t i = 0; i < path.size(); ++i)
          out += fmt::format("{}({:.2f},{:.2f})", i == 0 ? "\n  " : "--", path[i].x, path[i].y);
        if (s.closed) out += "--cycle";
      }
    }
    out += ";\n";
  }

  void add(const Words& w) {
    static constexpr std::string_view kAnchor[] = {"base west", "base", "base east"};
    out += fmt::format("\\node[anchor={}, inner sep=0pt{}] at ({:.2f},{:.2f}) {{{}}};\n",
                       kAnchor[static_cast<int>(w.align)],
                       w.angle == 0 ? "" : fmt::format(", rotate={:g}", w.angle), w.at.x, w.at.y,
                       latex_text(w.text));
  }

  std::string out, colours;

 private:
  std::string colour(const Paint& p) {
    const Rgb c = colour_of(p, style_);
    std::string name = fmt::format("speder{:02x}{:02x}{:02x}", c.r, c.g, c.b);
    if (known_.insert(name).second)
      colours += fmt::format("\\definecolor{{{}}}{{RGB}}{{{},{},{}}}\n", name, c.r, c.g, c.b);
    return name;
  }
  const PictureStyle& style_;
  std::set<std::string> known_;
};

}  // namespace

std::string latex_text(std::string_view label) {
  std::string out;
  for (const TextRun& run : rich_text(label)) {
    std::string piece;
    for (const std::string& c : characters(run.text)) piece += one_character(c);
    if (run.level != 0)
      piece = fmt::format("${{}}{}{{\\mbox{{\\tiny {}}}}}$", run.level > 0 ? '^' : '_', piece);
    out += piece;
  }
  return out;
}

std::string tikz_text(const Scene& scene, const PictureStyle& style) {
  TikzWriter writer(style);
  for (const auto& item : scene.items) std::visit([&](const auto& i) { writer.add(i); }, item);
  return "% \\usepackage{tikz} in the preamble, \\input{this file} where the figure "
         "stands.\n\\begingroup\n" +
         writer.colours +
         fmt::format(
             "\\begin{{tikzpicture}}[x=1bp, y=-1bp, line join=round, every node/.append "
             "style={{font=\\fontsize{{{0}}}{{{1:.1f}}}\\selectfont}}]\n",
             style.size, style.size * 1.2) +
         fmt::format("\\useasboundingbox (0,0) rectangle ({:.2f},{:.2f});\n", scene.width,
                     scene.height) +
         writer.out + "\\end{tikzpicture}\n\\endgroup\n% end of the picture\n";
}

}  // namespace speder
