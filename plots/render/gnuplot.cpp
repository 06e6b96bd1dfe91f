#include <fmt/format.h>

#include <algorithm>

#include "speder/core/check.hpp"
#include "speder/io/durable_file.hpp"
#include "speder/plots/render/process.hpp"
#include "speder/plots/render/render.hpp"

namespace speder {
namespace {

namespace fs = std::filesystem;

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

}  // namespace

std::string extension(Picture format) {
  switch (format) {
    case Picture::kSvg:
      return "svg";
    case Picture::kPng:
      return "png";
    case Picture::kPdf:
      return "pdf";
  }
  return "";
}

bool whole_picture(std::string_view bytes, Picture format) {
  switch (format) {
    case Picture::kSvg:
      return bytes.starts_with("<?xml") &&
             bytes.find("</svg>", bytes.size() - std::min<std::size_t>(bytes.size(), 32)) !=
                 std::string_view::npos;
    case Picture::kPng:
      return bytes.starts_with("\x89PNG") && bytes.ends_with("IEND\xae\x42\x60\x82");
    case Picture::kPdf:
      return bytes.starts_with("%PDF") && bytes.ends_with("%%EOF\n");
  }
  return false;
}

// gnuplot draws to its standard output, which lies in memory: it opens no file and meets no full
// disk, which it would not report.
void render_gnuplot(const Figure& figure, Picture format, const fs::path& file) {
  DurableFile target(file);
  const ProcessResult result =
      run_process({"gnuplot", "-d", "/dev/stdin"}, gnuplot_script(figure, format));
  if (!result.started) {
    throw InputError("gnuplot is not installed; on Debian: apt-get install gnuplot-nox");
  }
  if (result.exit_code != 0 || !whole_picture(result.output, format)) {
    throw InputError(
        fmt::format("{}: could not be drawn ({})", file.string(),
                    result.error.empty() ? "gnuplot ended early" : one_line(result.error)));
  }
  target.commit(result.output);
}

std::string inline_svg(const std::string& svg, const std::string& prefix) {
  std::string out = svg.substr(std::min(svg.find("<svg"), svg.size()));
  replace_all(out, "fill=\"#ffffff\"", "fill=\"none\"");
  for (const std::string_view quote : {"\"", "'"}) {
    for (const std::string_view name : {"color", "stroke", "fill"}) {
      replace_all(out, fmt::format("{}={}black{}", name, quote, quote),
                  fmt::format("{}={}currentColor{}", name, quote, quote));
    }
  }
  for (int c = 0; c < kColours; ++c) {  // the page has lighter ones for the dark
    const auto [r, g, b] = palette(c);
    replace_all(out, fmt::format("rgb({:3}, {:3}, {:3})", r, g, b), fmt::format("var(--c{})", c));
  }
  for (const std::string_view before : {" id='", " id=\"", "href='#", "href=\"#", "url(#"}) {
    replace_all(out, before, fmt::format("{}{}-", before, prefix));
  }
  return out;
}

}  // namespace speder
