#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "speder/core/check.hpp"
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

void render_gnuplot(const Figure& figure, Picture format, const fs::path& file) {
  // Absolute, so that no name can begin with '|', which gnuplot would take for a command.
  fs::path temporary = fs::absolute(file);
  temporary += fmt::format(".{}.tmp", ::getpid());
  require(std::ranges::none_of(temporary.string(),
                               [](unsigned char c) { return c < ' ' || c == 0x7f; }),
          "a picture's file name has no control characters");
  const ProcessResult result =
      run_process({"gnuplot", "-d", "/dev/stdin"}, gnuplot_script(figure, format, temporary));
  if (!result.started) {
    throw InputError("gnuplot is not installed; on Debian: apt-get install gnuplot-nox");
  }
  std::error_code error;
  const bool drawn =
      result.exit_code == 0 && fs::exists(temporary) && fs::file_size(temporary, error) > 0;
  if (drawn) fs::rename(temporary, file, error);
  if (drawn && !error) return;
  fs::remove(temporary, error);
  throw InputError(fmt::format(
      "{}: could not be drawn ({})", file.string(),
      result.error.empty() ? "disk full, or the folder is read-only?" : one_line(result.error)));
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
