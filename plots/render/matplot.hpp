#pragma once

#include <filesystem>

#include "speder/plots/render/render.hpp"

namespace speder {

/// The matplot++ way; there when CMake has found Matplot++.
void render_matplot(const Figure& figure, Picture format, const std::filesystem::path& file);

}  // namespace speder
