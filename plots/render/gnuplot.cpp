#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

#include "speder/core/check.hpp"
#include "speder/plots/layout/rich_text.hpp"
#include "speder/plots/render/process.hpp"
#include "speder/plots/render/render.hpp"

namespace speder {
namespace {

constexpr int kDots = 300;    // to the inch of a PNG
constexpr double kInch = 72;  // points
constexpr double kMiddle =
    0.36;  // gnuplot places the middle of a line of text, a scene its baseline

// gnuplot's coordinates are the scene's: one plot without borders from corner to corner.
std::string terminal(const Scene& scene, Picture format, const PictureStyle& style) {
  if (format == Picture::kPng) {
    return fmt::format(
        "set terminal pngcairo enhanced size {:.0f},{:.0f} font '{},{}' fontscale {:.4f} linewidth "
        "{:.4f} dashlength 4\n",
        scene.width / kInch * kDots, scene.height / kInch * kDots, style.font, style.size,
        kDots / kInch * 0.75, kDots / kInch);
  }
  return fmt::format(
      "set terminal pdfcairo enhanced size {:.3f}in,{:.3f}in font '{},{}' fontscale 0.75 linewidth "
      "2 "
      "dashlength 3.636\n",
      scene.width / kInch, scene.height / kInch, style.font, style.size);
}

class GnuplotWriter {
 public:
  explicit GnuplotWriter(const PictureStyle& style) : style_(style) {}

  void add(const Outline& s) {
    std::vector<Path> paths = s.paths;
    if (s.radius > 0) paths = {circle(s.paths.front().front(), s.radius)};
    if (s.fill.kind != Paint::Kind::kNone) {
      for (const Path& p : paths)
        clause(block({p}, true),
               "filledcurves closed fc rgb '" + colour(s.fill) + "' fs solid noborder");
    }
    if (s.stroke.paint.kind == Paint::Kind::kNone) return;
    std::string look =
        fmt::format("lines lw {:.3f} lc rgb '{}'", s.stroke.width, colour(s.stroke.paint));
    if (s.stroke.dash.empty()) {
      look += " dt 1";
    } else {
      look += " dt (";
      // gnuplot's unit of a dash grows with the line.
      for (std::size_t i = 0; i < s.stroke.dash.size(); ++i)
        look += fmt::format("{}{:.3f}", i == 0 ? "" : ",", s.stroke.dash[i] / s.stroke.width);
      look += ")";
    }
    clause(block(paths, s.closed), look);
  }

  void add(const Words& w) {
    static constexpr std::string_view kAlign[] = {"left", "center", "right"};
    const double turn = w.angle * std::numbers::pi / 180, down = kMiddle * w.size;
    labels_ += fmt::format("set label {} at {:.3f},{:.3f} {} rotate by {} font ',{}' front\n",
                           gnuplot_label(w.text), w.at.x - down * std::sin(turn),
                           w.at.y - down * std::cos(turn), kAlign[static_cast<int>(w.align)],
                           w.angle, w.size);
  }

  /// The commands that draw what was added. gnuplot finds a block of data by walking through all their
  /// names, so a scene of many shapes is drawn as many plots over one another with the same few names.
  /// The words come with the last one.
  std::string commands() {
    if (clauses_.empty()) clauses_ = "plot NaN notitle";
    return "set multiplot\n" + drawn_ + labels_ + data_ + clauses_ + "\nunset multiplot\n";
  }

 private:
  static constexpr int kBlocks = 64;  // in one plot

  std::string colour(const Paint& p) const {
    const Rgb c = colour_of(p, style_);
    return fmt::format("#{:02x}{:02x}{:02x}{:02x}",
                       static_cast<int>(std::lround(255 * (1 - p.opacity))), c.r, c.g, c.b);
  }
  static Path circle(Point at, double r) {
    constexpr int kCorners = 24;
    Path out;
    for (int i = 0; i < kCorners; ++i) {
      const double a = 2 * std::numbers::pi * i / kCorners;
      out.push_back({at.x + r * std::cos(a), at.y + r * std::sin(a)});
    }
    return out;
  }
  std::string block(const std::vector<Path>& paths, bool closed) {
    if (blocks_ == kBlocks) {
      drawn_ += data_ + clauses_ + "\n";
      data_ = clauses_ = "";
      blocks_ = 0;
    }
    std::string name = fmt::format("$d{}", blocks_++);
    data_ += name + " << EOD\n";
    for (const Path& path : paths) {
      for (const Point p : path) data_ += fmt::format("{:.3f} {:.3f}\n", p.x, p.y);
      if (closed && !path.empty())
        data_ += fmt::format("{:.3f} {:.3f}\n", path.front().x, path.front().y);
      data_ += "\n";
    }
    data_ += "EOD\n";
    return name;
  }
  void clause(const std::string& block, const std::string& look) {
    clauses_ +=
        fmt::format("{}{} with {} notitle", clauses_.empty() ? "plot " : ", \\\n  ", block, look);
  }
  const PictureStyle& style_;
  std::string drawn_, labels_;  // finished plots; words
  std::string data_, clauses_;  // of the plot that is being written
  int blocks_ = 0;
};

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

std::string gnuplot_codes(const std::string& text, std::string_view enhanced) {
  constexpr std::string_view kPlain = " .,:;()[]/+-=*|?!";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7f) {
      out += ' ';
    } else if (byte >= 0x80 || std::isalnum(byte) != 0 ||
               kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      if (enhanced.find(c) != std::string_view::npos) out += "\\134";
      out += fmt::format("\\{:03o}", byte);
    }
  }
  return out;
}

std::string gnuplot_text(const std::string& text) { return '"' + gnuplot_codes(text, "") + '"'; }

std::string gnuplot_label(const std::string& text) {
  constexpr std::string_view kEnhanced = "{}^_@&~\\";
  std::string out;
  for (const TextRun& run : rich_text(text)) {
    const std::string piece = gnuplot_codes(run.text, kEnhanced);
    out += run.level == 0 ? piece : fmt::format("{}{{{}}}", run.level > 0 ? '^' : '_', piece);
  }
  return '"' + out + '"';
}

std::string gnuplot_script(const Scene& scene, Picture format, const PictureStyle& style,
                           const std::filesystem::path& file) {
  GnuplotWriter writer(style);
  for (const auto& item : scene.items) std::visit([&](const auto& i) { writer.add(i); }, item);
  const std::string output = file.empty() ? "" : "set output " + gnuplot_text(file.string()) + "\n";
  return "set encoding utf8\n" + terminal(scene, format, style) + output +
         "set margins 0,0,0,0\nset lmargin at screen 0\nset rmargin at screen 1\nset tmargin at "
         "screen 1\nset bmargin at screen 0\n"
         "unset border\nunset tics\nunset key\n" +
         fmt::format("set xrange [0:{:.3f}]\nset yrange [{:.3f}:0]\n", scene.width, scene.height) +
         writer.commands() + "unset output\n";
}

// gnuplot draws to its standard output, which lies in memory: it opens no file and meets no full
// disk, which it would not report.
std::string gnuplot_picture(const Scene& scene, Picture format, const PictureStyle& style) {
  const ProcessResult result =
      run_process({"gnuplot", "-d", "/dev/stdin"}, gnuplot_script(scene, format, style));
  if (!result.started) {
    throw InputError(
        "gnuplot is not installed; on Debian: apt-get install gnuplot-nox (.svg and .tex need "
        "none)");
  }
  if (result.exit_code != 0 || !whole_picture(result.output, format)) {
    throw InputError(
        fmt::format("the picture could not be drawn ({})",
                    result.error.empty() ? "gnuplot ended early" : one_line(result.error)));
  }
  return result.output;
}

}  // namespace speder
