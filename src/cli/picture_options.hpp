#pragma once

#include <CLI/CLI.hpp>

#include "speder/plots/layout/scene.hpp"

namespace speder::cli {

/// --width, --font and --palette: how a command's pictures look.
void add_picture_options(CLI::App& command, PictureStyle& style);

}  // namespace speder::cli
