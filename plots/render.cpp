#include "plots/render.hpp"

#ifdef SPEDER_HAVE_MATPLOT
#include "plots/render_matplot.hpp"
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
