#include <fmt/format.h>

#include <cmath>

#include "speder/plots/layout/rich_text.hpp"
#include "speder/plots/render/render.hpp"

namespace speder {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

// Hundredths of a point are finer than any screen or printer.
std::string number(double v) {
  std::string out = fmt::format("{:.2f}", v);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

class SvgWriter {
 public:
  SvgWriter(const PictureStyle& style, bool page) : style_(style), page_(page) {}

  void add(const Outline& shape) {
    const std::string look = look_of(shape);
    std::string element;
    if (shape.radius > 0) {
      const Point c = shape.paths.front().front();
      element = fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}", number(c.x), number(c.y),
                            number(shape.radius), look);
    } else {
      element = fmt::format("<path d=\"{}\"{}", path_of(shape), look);
    }
    out += element + (shape.note.empty()
                          ? "/>\n"
                          : fmt::format("><title>{}</title></{}>\n", escaped(shape.note),
                                        shape.radius > 0 ? "circle" : "path"));
  }

  void add(const Words& words) {
    static constexpr std::string_view kAnchor[] = {"start", "middle", "end"};
    out += fmt::format(
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\"{}{}>", number(words.at.x),
        number(words.at.y), number(words.size), kAnchor[static_cast<int>(words.align)],
        words.angle == 0 ? ""
                         : fmt::format(" transform=\"rotate({} {} {})\"", number(-words.angle),
                                       number(words.at.x), number(words.at.y)),
        words.role.empty() ? "" : fmt::format(" class=\"{}\"", words.role));
    double shift = 0;  // of the baseline, so far
    for (const TextRun& run : rich_text(words.text)) {
      const double wanted = run.level > 0 ? -kRaise : run.level < 0 ? kLower : 0;
      if (wanted == shift) {
        out += escaped(run.text);
        continue;
      }
      const std::string size =
          run.level == 0 ? "" : fmt::format(" font-size=\"{}\"", number(kSmall * words.size));
      out += fmt::format("<tspan dy=\"{}\"{}>{}</tspan>", number((wanted - shift) * words.size),
                         size, escaped(run.text));
      shift = wanted;
    }
    out += "</text>\n";
  }

  std::string out;

 private:
  std::string paint(const Paint& p) const {
    using Kind = Paint::Kind;
    if (p.kind == Kind::kNone) return "none";
    if (page_) {
      switch (p.kind) {
        case Kind::kText:
          return "currentColor";
        case Kind::kPage:
          return "var(--page)";
        case Kind::kNeutral:
          return "var(--neutral)";
        case Kind::kFaint:
          return "var(--faint)";
        case Kind::kGrid:
          return "var(--grid)";
        case Kind::kSeries:
          if (style_.palette == "okabe-ito") return fmt::format("var(--c{})", p.series % kColours);
          break;
        default:
          break;
      }
    }
    return hex(colour_of(p, style_));
  }

  std::string look_of(const Outline& s) const {
    std::string look = s.role.empty() ? "" : fmt::format(" class=\"{}\"", s.role);
    if (s.key >= 0) look += fmt::format(" data-key=\"{}\"", s.key);
    look += fmt::format(" fill=\"{}\"", paint(s.fill));
    if (s.fill.opacity < 1) look += fmt::format(" fill-opacity=\"{}\"", number(s.fill.opacity));
    if (s.stroke.paint.kind != Paint::Kind::kNone) {
      look += fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", paint(s.stroke.paint),
                          number(s.stroke.width));
      if (!s.stroke.dash.empty()) {
        look += " stroke-dasharray=\"";
        for (std::size_t i = 0; i < s.stroke.dash.size(); ++i)
          look += (i == 0 ? "" : " ") + number(s.stroke.dash[i]);
        look += "\"";
      }
    }
    if (s.role == "hit") look += " pointer-events=\"all\"";
    if (s.role == "cell") look += " shape-rendering=\"crispEdges\"";
    return look;
  }

  static std::string path_of(const Outline& s) {
    std::string d;
    for (const Path& path : s.paths) {
      char command = 'M';
      for (const Point p : path) {
        d += fmt::format("{}{} {}", command, number(p.x), number(p.y));
        command = 'L';
      }
      if (s.closed) d += 'Z';
    }
    return d;
  }

  const PictureStyle& style_;
  bool page_;
};

std::string body(const Scene& scene, const PictureStyle& style, bool page) {
  SvgWriter writer(style, page);
  for (const auto& item : scene.items) std::visit([&](const auto& i) { writer.add(i); }, item);
  return std::move(writer.out);
}

std::string opening(const Scene& scene, const PictureStyle& style, std::string_view size) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\"{} viewBox=\"0 0 {} {}\" font-family=\"{}, "
      "Verdana, sans-serif\" stroke-linejoin=\"round\"",
      size, number(scene.width), number(scene.height), escaped(style.font));
}

}  // namespace

std::string svg_text(const Scene& scene, const PictureStyle& style) {
  const std::string size =
      fmt::format(" width=\"{}pt\" height=\"{}pt\"", number(scene.width), number(scene.height));
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + opening(scene, style, size) +
         " fill=\"#000000\">\n" +
         fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", number(scene.width),
                     number(scene.height)) +
         body(scene, style, false) + "</svg>\n";
}

std::string inline_svg(const Scene& scene, const PictureStyle& style) {
  return opening(scene, style, "") + " fill=\"currentColor\">\n" + body(scene, style, true) +
         "</svg>\n";
}

}  // namespace speder
