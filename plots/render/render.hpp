#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "speder/plots/layout/scene.hpp"

namespace speder {

/// kTikz is LaTeX source for \input, with the document's own font.
enum class Picture { kSvg, kPng, kPdf, kTikz };
[[nodiscard]] std::string extension(Picture format);
/// By the ending of a file's name: .svg, .png, .pdf or .tex. InputError names these.
[[nodiscard]] Picture picture_format(const std::filesystem::path& file);

/// Draws a figure. SVG and TikZ are written directly; PNG and PDF through gnuplot, or through matplot++
/// when speder was built with it. The file appears whole or not at all. InputError when the program is
/// missing or the folder cannot be written.
void render(const Figure& figure, Picture format, const std::filesystem::path& file,
            const PictureStyle& style = {});
/// The same with its numbers beside it: x.svg and x.svg.csv, so that no x.csv of the user is replaced.
void render_with_csv(const Figure& figure, const std::filesystem::path& file,
                     const PictureStyle& style = {});

/// A scene as an SVG file, or as an element of a page that may be dark: then text has the page's colour
/// and the palette is its variables --c0, --c1, …
[[nodiscard]] std::string svg_text(const Scene& scene, const PictureStyle& style);
[[nodiscard]] std::string inline_svg(const Scene& scene, const PictureStyle& style);
/// A scene as a tikzpicture. Needs \usepackage{tikz} and nothing else.
[[nodiscard]] std::string tikz_text(const Scene& scene, const PictureStyle& style);
/// A label in LaTeX.
[[nodiscard]] std::string latex_text(std::string_view label);
/// The script that makes gnuplot draw a scene into a file, or to its standard output. PNG and PDF only.
[[nodiscard]] std::string gnuplot_script(const Scene& scene, Picture format,
                                         const PictureStyle& style,
                                         const std::filesystem::path& file = {});
/// The bytes of a PNG or PDF as gnuplot draws it.
[[nodiscard]] std::string gnuplot_picture(const Scene& scene, Picture format,
                                          const PictureStyle& style);
/// Whether a picture has its first and its last bytes: a renderer that ran out of room ends with
/// exit code 0.
[[nodiscard]] bool whole_picture(std::string_view bytes, Picture format);

/// A text as gnuplot's double-quoted string that shows exactly these characters (control characters
/// as blanks). Punctuation is written as octal codes: gnuplot looks for back-quoted shell commands
/// before it looks for strings.
[[nodiscard]] std::string gnuplot_text(const std::string& text);
/// The inside of such a string; characters of `enhanced` get a backslash before them.
[[nodiscard]] std::string gnuplot_codes(const std::string& text, std::string_view enhanced);
/// A label with its raised and lowered pieces in gnuplot's enhanced text.
[[nodiscard]] std::string gnuplot_label(const std::string& text);

/// The colour of a paint on a white page.
[[nodiscard]] Rgb colour_of(const Paint& paint, const PictureStyle& style);

}  // namespace speder
