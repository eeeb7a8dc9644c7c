// An image that is painted by pixels, rectangles and text.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kumiko::viz {

using Colour = std::array<unsigned char, 3>;
inline constexpr Colour kBlack = {0, 0, 0};
inline constexpr Colour kWhite = {255, 255, 255};

/// Where a text's anchor point lies within it.
enum class Align { kLeft, kCentre, kRight };

struct TextLook {
  int size = 12;  ///< pixels
  Align align = Align::kLeft;
  Colour colour = {0, 0, 0};
};

/// Words as a Canvas draws them, whose font has the characters up to U+00FF: a power of ten as
/// 2e-5, "?" for any other.
std::string drawable(std::string_view words);

/// Pixel (0, 0) is the lower left one, as in VTK. Painting outside the image does nothing.
class Canvas {
 public:
  /// Transparent where nothing is painted, unless there is a background.
  Canvas(int width, int height, std::optional<Colour> background = std::nullopt);

  bool inside(int x, int y) const { return x >= 0 && y >= 0 && x < width_ && y < height_; }
  void set(int x, int y, Colour colour);
  /// Mixes a colour over what is there; opacity 0..1.
  void blend(int x, int y, Colour colour, double opacity);
  /// Fills x0..x1 by y0..y1, ends included.
  void fill(int x0, int y0, int x1, int y1, Colour colour);
  /// Writes one line of text; its middle height lies at y.
  void text(int x, int y, const TextLook& look, const std::string& words);
  /// Along the words. Pixels.
  static int text_width(const TextLook& look, const std::string& words);

  /// The bytes of a PNG. Throws std::runtime_error.
  std::string png() const;

 private:
  std::size_t offset(int x, int y) const;

  int width_;
  int height_;
  int channels_;  ///< 4 where the fourth is the opacity
  std::vector<unsigned char> pixels_;
};

}  // namespace kumiko::viz
