#include "speder/cli/picture_options.hpp"

#include <string>

namespace speder::cli {

void add_picture_options(CLI::App& command, PictureStyle& style) {
  command.add_option("--width", style.width, "Width of a picture in inches (default: 3.4 a panel)")
      ->check(CLI::Range(1.0, 40.0));
  command
      .add_option_function<std::string>(
          "--font", [&style](const std::string& text) { set_font(style, text); },
          "Font of pictures and its size in points")
      ->default_str("DejaVu Sans,8");
  command.add_option("--palette", style.palette, "Colours of pictures")
      ->check(CLI::IsMember(palette_names()))
      ->capture_default_str();
}

}  // namespace speder::cli
