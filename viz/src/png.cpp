#include "png.hpp"

#include <cstdint>
#include <stdexcept>
#include <string_view>

#include <zlib.h>

namespace kumiko::viz {

namespace {

/// Four bytes, the highest first.
std::string number(std::uint32_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 0xFFU);
  return bytes;
}

const Bytef* bytes_of(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

/// Length, kind, content, and the checksum of the last two.
std::string chunk(std::string_view kind, std::string_view content) {
  const std::string checked = std::string(kind).append(content);
  const uLong sum = ::crc32(0, bytes_of(checked), static_cast<uInt>(checked.size()));
  return number(static_cast<std::uint32_t>(content.size())) + checked +
         number(static_cast<std::uint32_t>(sum));
}

std::string deflated(const std::string& rows) {
  // Beyond this level pictures of patches get hardly smaller.
  constexpr int kLevel = 5;
  uLongf size = ::compressBound(rows.size());
  std::string packed(size, '\0');
  auto* const out = reinterpret_cast<Bytef*>(packed.data());
  if (::compress2(out, &size, bytes_of(rows), rows.size(), kLevel) != Z_OK) {
    throw std::runtime_error("the picture cannot be encoded as PNG");
  }
  packed.resize(size);
  return packed;
}

}  // namespace

std::string encode_png(const std::vector<unsigned char>& pixels, int width, int height,
                       int channels) {
  // Each row is stored as its difference from the row above, filter 2 "Up": where squares are of
  // one colour nearly all bytes are then 0, and no filter has to be sought row by row.
  constexpr char kUp = 2;
  const std::size_t stride = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  std::string rows;
  rows.reserve((stride + 1) * static_cast<std::size_t>(height));
  for (auto row = static_cast<std::size_t>(height); row-- > 0;) {
    const bool is_first = row + 1 == static_cast<std::size_t>(height);
    const unsigned char* const here = pixels.data() + row * stride;
    rows += kUp;
    for (std::size_t at = 0; at < stride; ++at) {
      rows += static_cast<char>(here[at] - (is_first ? 0 : here[stride + at]));
    }
  }
  const char colour_type = channels == 4 ? 6 : 2;
  std::string header =
      number(static_cast<std::uint32_t>(width)) + number(static_cast<std::uint32_t>(height));
  header += {8, colour_type, 0, 0, 0};  // bits, then compression, filters and interlacing as usual
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", deflated(rows)) +
         chunk("IEND", {});
}

}  // namespace kumiko::viz
