#include "speder/plots/render/render.hpp"

#ifdef SPEDER_HAVE_MATPLOT
#include "speder/plots/render/matplot.hpp"
#endif

namespace speder {

void render(const Figure& figure, Picture format, const std::filesystem::path& file) {
#ifdef SPEDER_HAVE_MATPLOT
  render_matplot(figure, format, file);
#else
  render_gnuplot(figure, format, file);
#endif
}

}  // namespace speder
