#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "speder/plots/figure.hpp"

// A figure laid out: shapes and words at their places, in points (1/72 in), y downwards. Every renderer
// writes the same scene, so that all formats show the same picture.
namespace speder {

struct Point {
  double x = 0, y = 0;
};
using Path = std::vector<Point>;

struct Box {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  [[nodiscard]] double width() const { return x1 - x0; }
  [[nodiscard]] double height() const { return y1 - y0; }
};

/// What a mark is painted with. A page that may be dark has colours of its own for all but kFixed.
struct Paint {
  enum class Kind { kNone, kText, kNeutral, kFaint, kGrid, kPage, kSeries, kFixed };
  Kind kind = Kind::kNone;
  int series = 0;  // position in the palette
  Rgb rgb = {};    // of kFixed
  double opacity = 1;
};

struct Stroke {
  Paint paint = {};
  double width = 0.8;
  std::vector<double> dash = {};
};

/// Lines or filled outlines; one path of one point with a radius is a circle.
struct Outline {
  std::vector<Path> paths = {};
  bool closed = false;
  Stroke stroke = {};
  Paint fill = {};
  double radius = 0;
  std::string_view role = {};  // class in an SVG file
  int key = -1;                // entry of the legend that this is the sample of
  std::string note = {};       // what a reader sees on pointing at it
};

enum class Align { kStart, kMiddle, kEnd };

/// A line of text on its baseline; ^ and _ raise and lower (layout/rich_text.hpp).
struct Words {
  Point at = {};
  std::string text = {};
  double size = 8;
  Align align = Align::kStart;
  double angle = 0;  // degrees, counterclockwise
  std::string_view role = {};
};

struct Scene {
  double width = 0, height = 0;
  std::vector<std::variant<Outline, Words>> items = {};
  void add(Outline shape) { items.emplace_back(std::move(shape)); }
  void add(Words words) { items.emplace_back(std::move(words)); }
};

/// What a user may choose.
struct PictureStyle {
  double width = 0;  // of the whole figure in inches; 0: 3.4 a panel
  std::string font = "DejaVu Sans";
  double size = 8;  // points
  std::string palette = "okabe-ito";
};
/// "Name", "Name,9" or ",9". Throws InputError on a size outside 4 to 40.
void set_font(PictureStyle& style, const std::string& text);

[[nodiscard]] Scene layout(const Figure& figure, const PictureStyle& style = {});

/// How a series, fit or bar of this colour looks: never told by its colour alone.
enum class Marker { kCircle, kSquare, kUp, kDiamond, kDown, kCross, kPlus, kPentagon };
[[nodiscard]] Marker marker_of(int colour);
[[nodiscard]] std::vector<double> dash_of(int colour);
/// Of the k-th named reference line of a figure.
[[nodiscard]] std::vector<double> reference_dash(int k);

}  // namespace speder
