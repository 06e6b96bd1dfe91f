#include "speder/plots/render/matplot.hpp"

#include <matplot/matplot.h>
#include <unistd.h>

#include <mutex>

#include "speder/core/check.hpp"
#include "speder/io/text_file.hpp"

namespace speder {
namespace {

namespace fs = std::filesystem;
namespace mp = matplot;

// A folder of ours, so that no path of the user's is written into a script.
struct Scratch {
  fs::path folder;
  Scratch() {
    std::string name = (fs::temp_directory_path() / "speder_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw InputError(name + ": cannot be made");
    folder = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
};

}  // namespace

// matplot++ has neither turned words nor dashes of one's own, so its gnuplot is given the scene itself:
// the same commands as without the library, and the same picture.
std::string matplot_picture(const Scene& scene, Picture format, const PictureStyle& style) {
  static std::mutex one_at_a_time;  // the library keeps a current figure for the whole process
  const std::lock_guard guard(one_at_a_time);
  const Scratch scratch;
  const fs::path drawn = scratch.folder / ("picture." + extension(format));
  {
    const auto picture = mp::figure<mp::backend::gnuplot>(true);
    picture->backend()->run_command(gnuplot_script(scene, format, style, drawn));
    picture->backend(nullptr);  // gnuplot has finished when its pipe is closed
  }
  std::string bytes = fs::exists(drawn) ? read_text_file(drawn) : "";
  if (!whole_picture(bytes, format)) {
    throw InputError("the picture could not be drawn by matplot++ (is gnuplot installed, is " +
                     scratch.folder.parent_path().string() + " full?)");
  }
  return bytes;
}

}  // namespace speder
