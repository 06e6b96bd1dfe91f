#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "speder/plots/figure.hpp"

namespace speder {

enum class Picture { kSvg, kPng, kPdf };
[[nodiscard]] std::string extension(Picture format);

/// Draws a figure at column width (3.4 in a panel) through matplot++ when speder was built with it,
/// otherwise through gnuplot. The file appears whole or not at all. InputError when the renderer is
/// missing or the folder cannot be written.
void render(const Figure& figure, Picture format, const std::filesystem::path& file);

/// The gnuplot way alone: what render() uses without matplot++.
void render_gnuplot(const Figure& figure, Picture format, const std::filesystem::path& file);
/// The script it feeds to gnuplot, which draws to its standard output.
[[nodiscard]] std::string gnuplot_script(const Figure& figure, Picture format);
/// Whether a picture has its first and its last bytes: a renderer that ran out of room ends with
/// exit code 0.
[[nodiscard]] bool whole_picture(std::string_view bytes, Picture format);

/// A text as gnuplot's double-quoted string that shows exactly these characters (control characters
/// as blanks). Punctuation is written as octal codes: gnuplot looks for back-quoted shell commands
/// before it looks for strings.
[[nodiscard]] std::string gnuplot_text(const std::string& text);
/// The inside of such a string; characters of `enhanced` get a backslash before them.
[[nodiscard]] std::string gnuplot_codes(const std::string& text, std::string_view enhanced);

/// An SVG file's element for a page that may be dark: black becomes the page's text colour,
/// the palette its variables --c0, --c1, …, the background transparent; ids carry the prefix (a
/// word), since a page holds many pictures.
[[nodiscard]] std::string inline_svg(const std::string& svg, const std::string& prefix);

}  // namespace speder
