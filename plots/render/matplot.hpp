#pragma once

#include <string>

#include "speder/plots/render/render.hpp"

namespace speder {

/// The bytes of a PNG or PDF drawn through matplot++; there when CMake has found Matplot++.
[[nodiscard]] std::string matplot_picture(const Scene& scene, Picture format,
                                          const PictureStyle& style);

}  // namespace speder
