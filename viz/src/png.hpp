// Encodes pixels as a PNG.
#pragma once

#include <string>
#include <vector>

namespace kumiko::viz {

/// The bytes of a PNG of 8 bits a channel. Throws std::runtime_error.
/// \param pixels    row by row, the lowest first
/// \param channels  3 for RGB, 4 for RGBA
std::string encode_png(const std::vector<unsigned char>& pixels, int width, int height,
                       int channels);

}  // namespace kumiko::viz
