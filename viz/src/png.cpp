#include "png.hpp"

#include <csetjmp>
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>

#include <png.h>

namespace kumiko::viz {

namespace {

/// libpng asks for it not to come back, and jumps to where writing began.
[[noreturn]] void give_up(png_structp png, png_const_charp /*message*/) { png_longjmp(png, 1); }

void ignore(png_structp /*png*/, png_const_charp /*message*/) {}

/// No exception may pass through libpng, nor a jump leave a handler.
void append(png_structp png, png_bytep data, std::size_t size) {
  bool is_done = false;
  try {
    static_cast<std::string*>(png_get_io_ptr(png))
        ->append(reinterpret_cast<const char*>(data), size);
    is_done = true;
  } catch (const std::bad_alloc&) {  // said below
  }
  if (!is_done) png_error(png, "there is not enough memory");
}

void write_rows(png_structp png, const unsigned char* pixels, int height, std::size_t stride) {
  for (auto row = static_cast<std::size_t>(height); row-- > 0;) {
    png_write_row(png, pixels + row * stride);
  }
}

/// Tells whether all was written. libpng jumps back into it: nothing in it may need a destructor.
bool write(png_structp png, png_infop info, const unsigned char* pixels, int width, int height,
           int channels) {
  // Beyond this level pictures of patches get hardly smaller.
  constexpr int kLevel = 5;
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 8,
               channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(png, kLevel);
  // Each row as its difference from the row above: where squares are of one colour nearly all bytes
  // are then 0, and no filter has to be sought row by row.
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
  png_write_info(png, info);
  write_rows(png, pixels, height,
             static_cast<std::size_t>(width) * static_cast<std::size_t>(channels));
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

std::string encode_png(const std::vector<unsigned char>& pixels, int width, int height,
                       int channels) {
  std::string bytes;
  const auto destroy = [](png_structp png) { png_destroy_write_struct(&png, nullptr); };
  const std::unique_ptr<png_struct, decltype(destroy)> png(
      png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, give_up, ignore), destroy);
  if (png == nullptr) throw std::runtime_error("libpng cannot be used");
  const auto destroy_info = [&png](png_infop info) { png_destroy_info_struct(png.get(), &info); };
  const std::unique_ptr<png_info, decltype(destroy_info)> info(png_create_info_struct(png.get()),
                                                               destroy_info);
  png_set_write_fn(png.get(), &bytes, append, nullptr);
  if (info == nullptr || !write(png.get(), info.get(), pixels.data(), width, height, channels)) {
    throw std::runtime_error("the picture cannot be encoded as PNG");
  }
  return bytes;
}

}  // namespace kumiko::viz
