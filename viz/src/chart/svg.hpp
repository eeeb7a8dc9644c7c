// Writes an SVG document, element by element.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kumiko::viz {

/// A place on a page, in pixels from its left and upper edge.
struct Place {
  double x;
  double y;
};

struct Box {
  double left;
  double top;
  double right;
  double bottom;
};

struct Stroke {
  std::string_view colour = "#222222";
  double width = 1.0;
  std::string_view dashes = {};  ///< as stroke-dasharray, empty = none
};

struct TextStyle {
  double size = 11.0;
  std::string_view anchor = "start";  ///< or middle, end
  std::string_view colour = "#222222";
  bool bold = false;
  bool upward = false;  ///< turned by a quarter
  bool halo = false;    ///< on white, so that lines behind it end before it
};

/// Circle, square, triangle, diamond, flag and cross, by their numbers.
inline constexpr std::size_t kMarkers = 6;

/// Text as it may stand between tags and in attributes. Control characters, which XML cannot hold,
/// become blanks.
std::string escaped(std::string_view text);

/// The width that a text takes at most in the usual fonts without serifs; from its characters'
/// number, since fonts are the viewer's.
double text_width(std::string_view text, double size);

/// The text, or its beginning and "…", so that it is at most as wide as `width`.
std::string clipped(std::string_view text, double size, double width);

class Svg {
 public:
  Svg(double width, double height, std::string_view title);

  void rectangle(const Box& box, std::string_view fill, std::string_view stroke);
  void line(Place from, Place to, const Stroke& stroke);
  /// Draws a line through two points or more.
  void polyline(std::span<const Place> places, const Stroke& stroke);
  void marker(std::size_t number, Place centre, std::string_view colour);
  void text(Place place, std::string_view text, const TextStyle& style);
  /// Shows a text while the pointer is on what is drawn until close().
  void open_group(std::string_view tooltip);
  void close_group();
  /// Shows of what is drawn until close_clip() only what lies in the box.
  void open_clip(const Box& box);
  void close_clip();

  /// Ends the document. The last call.
  std::string finish();

 private:
  std::string text_;
};

}  // namespace kumiko::viz
