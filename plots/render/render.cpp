#include "speder/plots/render/render.hpp"

#include <algorithm>

#include "speder/core/check.hpp"
#include "speder/io/durable_file.hpp"
#include "speder/io/text_file.hpp"
#ifdef SPEDER_HAVE_MATPLOT
#include "speder/plots/render/matplot.hpp"
#endif

namespace speder {
namespace {

namespace fs = std::filesystem;

std::string picture_bytes(const Scene& scene, Picture format, const PictureStyle& style) {
  if (format == Picture::kSvg) return svg_text(scene, style);
  if (format == Picture::kTikz) return tikz_text(scene, style);
#ifdef SPEDER_HAVE_MATPLOT
  return matplot_picture(scene, format, style);
#else
  return gnuplot_picture(scene, format, style);
#endif
}

constexpr Picture kPictures[] = {Picture::kSvg, Picture::kPng, Picture::kPdf, Picture::kTikz};

}  // namespace

std::string extension(Picture format) {
  switch (format) {
    case Picture::kSvg:
      return "svg";
    case Picture::kPng:
      return "png";
    case Picture::kPdf:
      return "pdf";
    case Picture::kTikz:
      return "tex";
  }
  return "";
}

Picture picture_format(const fs::path& file) {
  for (const Picture format : kPictures) {
    if ("." + extension(format) == file.extension()) return format;
  }
  throw InputError(file.string() + ": a picture is .svg, .png, .pdf or .tex (TikZ)");
}

bool whole_picture(std::string_view bytes, Picture format) {
  const auto ends = [&](std::string_view end) {
    return bytes.find(end, bytes.size() - std::min<std::size_t>(bytes.size(), end.size() + 8)) !=
           std::string_view::npos;
  };
  switch (format) {
    case Picture::kSvg:
      return bytes.starts_with("<?xml") && ends("</svg>");
    case Picture::kPng:
      return bytes.starts_with("\x89PNG") && bytes.ends_with("IEND\xae\x42\x60\x82");
    case Picture::kPdf:
      return bytes.starts_with("%PDF") && bytes.ends_with("%%EOF\n");
    case Picture::kTikz:
      return bytes.starts_with("% ") && ends("% end of the picture");
  }
  return false;
}

Rgb colour_of(const Paint& paint, const PictureStyle& style) {
  switch (paint.kind) {
    case Paint::Kind::kNeutral:
      return {96, 96, 96};
    case Paint::Kind::kFaint:
      return {176, 176, 176};
    case Paint::Kind::kGrid:
      return {228, 228, 228};
    case Paint::Kind::kPage:
      return {255, 255, 255};
    case Paint::Kind::kSeries:
      return palette(paint.series, style.palette);
    case Paint::Kind::kFixed:
      return paint.rgb;
    case Paint::Kind::kText:
    case Paint::Kind::kNone:
      break;
  }
  return {0, 0, 0};
}

void render(const Figure& figure, Picture format, const fs::path& file, const PictureStyle& style) {
  DurableFile target(file);
  target.commit(picture_bytes(layout(figure, style), format, style));
}

void render_with_csv(const Figure& figure, const fs::path& file, const PictureStyle& style) {
  const fs::path numbers = fs::path(file) += ".csv";
  write_text_file(numbers, to_csv(figure));
  try {
    render(figure, picture_format(file), file, style);
  } catch (...) {  // both or none: numbers beside an older picture would be wrong
    std::error_code ignored;
    fs::remove(numbers, ignored);
    throw;
  }
}

}  // namespace speder
