#include "picture/canvas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include <png.h>
#include <vtkAutoInit.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkObject.h>
#include <vtkSmartPointer.h>
#include <vtkStdString.h>
#include <vtkTextProperty.h>
#include <vtkTextRenderer.h>

VTK_MODULE_INIT(vtkRenderingFreeType)

namespace kumiko::viz {

namespace {

constexpr int kDotsPerInch = 72;
constexpr unsigned char kOpaque = 255;

/// The digit or sign that a superscript stands for; 0 for another character.
char of_superscript(char32_t character) {
  constexpr std::u32string_view kSuperscripts = U"⁰¹²³⁴⁵⁶⁷⁸⁹⁻";
  const std::size_t at = kSuperscripts.find(character);
  return at == std::u32string_view::npos ? '\0' : "0123456789-"[at];
}

/// The characters of UTF-8.
std::u32string characters_of(std::string_view text) {
  std::u32string all;
  for (const char byte : text) {
    const auto bits = static_cast<unsigned char>(byte);
    if ((bits & 0xC0U) == 0x80U && !all.empty()) {
      all.back() = all.back() << 6U | (bits & 0x3FU);
      continue;
    }
    const unsigned own = bits < 0x80U ? 0x7FU : bits < 0xE0U ? 0x1FU : bits < 0xF0U ? 0x0FU : 0x07U;
    all.push_back(bits & own);
  }
  return all;
}

/// One of the characters up to U+00FF in UTF-8.
void append_latin(std::string& text, char32_t character) {
  if (character < 0x80U) {
    text += static_cast<char>(character);
    return;
  }
  text += static_cast<char>(0xC0U | character >> 6U);
  text += static_cast<char>(0x80U | (character & 0x3FU));
}

vtkSmartPointer<vtkTextProperty> style_of(const TextLook& look) {
  auto style = vtkSmartPointer<vtkTextProperty>::New();
  style->SetFontFamilyToArial();
  style->SetFontSize(look.size);
  style->SetColor(look.colour[0] / 255.0, look.colour[1] / 255.0, look.colour[2] / 255.0);
  return style;
}

}  // namespace

Canvas::Canvas(int width, int height, std::optional<Colour> background)
    : width_(width), height_(height), channels_(background ? 3 : 4), pixels_(offset(0, height)) {
  // Errors are thrown; VTK's own messages about them would only be printed first.
  vtkObject::GlobalWarningDisplayOff();
  if (background) fill(0, 0, width - 1, height - 1, *background);
}

std::size_t Canvas::offset(int x, int y) const {
  const auto place =
      static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  return place * static_cast<std::size_t>(channels_);
}

void Canvas::set(int x, int y, Colour colour) {
  if (!inside(x, y)) return;
  unsigned char* const here = &pixels_[offset(x, y)];
  std::copy(colour.begin(), colour.end(), here);
  if (channels_ == 4) here[3] = kOpaque;
}

void Canvas::blend(int x, int y, Colour colour, double opacity) {
  if (!inside(x, y) || opacity <= 0.0) return;
  unsigned char* const below = &pixels_[offset(x, y)];
  const double before = channels_ == 4 ? below[3] / static_cast<double>(kOpaque) : 1.0;
  const double after = opacity + (1.0 - opacity) * before;
  const double share = opacity / after;  // of the colour that is seen
  for (std::size_t channel = 0; channel < colour.size(); ++channel) {
    const double mixed = below[channel] + share * (colour[channel] - below[channel]);
    below[channel] = static_cast<unsigned char>(std::lround(mixed));
  }
  if (channels_ == 4) below[3] = static_cast<unsigned char>(std::lround(after * kOpaque));
}

void Canvas::fill(int x0, int y0, int x1, int y1, Colour colour) {
  for (int y = y0; y <= y1; ++y) {
    for (int x = x0; x <= x1; ++x) set(x, y, colour);
  }
}

std::string drawable(std::string_view words) {
  constexpr char32_t kLastOfFont = 0xFF;
  constexpr std::string_view kTen = "10";
  constexpr std::string_view kTimesTen = "×10";
  std::string text;
  bool is_power = false;
  for (const char32_t character : characters_of(words)) {
    const char digit = of_superscript(character);
    if (digit != '\0' && !is_power && text.ends_with(kTen)) {
      is_power = true;
      const bool has_factor = text.ends_with(kTimesTen);
      text.resize(text.size() - (has_factor ? kTimesTen : kTen).size());
      text += has_factor ? "e" : "1e";
    }
    is_power = is_power && digit != '\0';
    if (is_power) {
      text += digit;
    } else {
      append_latin(text, character <= kLastOfFont ? character : U'?');
    }
  }
  return text;
}

void Canvas::text(int x, int y, const TextLook& look, const std::string& words) {
  vtkNew<vtkImageData> glyphs;
  std::array<int, 2> extent{};
  if (!vtkTextRenderer::GetInstance()->RenderString(style_of(look), vtkStdString(drawable(words)),
                                                    glyphs, extent.data(), kDotsPerInch)) {
    throw std::runtime_error("the text '" + words + "' cannot be drawn");
  }
  // The anchor lies half the height up, and along the words where the look says.
  std::array<int, 2> anchor = {extent[0] / 2, extent[1] / 2};
  if (look.align == Align::kLeft) anchor[0] = 0;
  if (look.align == Align::kRight) anchor[0] = extent[0];
  const int* const bounds = glyphs->GetExtent();
  for (int j = 0; j < extent[1]; ++j) {
    for (int i = 0; i < extent[0]; ++i) {
      const auto* const rgba = static_cast<const unsigned char*>(
          glyphs->GetScalarPointer(bounds[0] + i, bounds[2] + j, 0));
      blend(x - anchor[0] + i, y - anchor[1] + j, {rgba[0], rgba[1], rgba[2]}, rgba[3] / 255.0);
    }
  }
}

int Canvas::text_width(const TextLook& look, const std::string& words) {
  std::array<int, 4> box{};
  const bool done = vtkTextRenderer::GetInstance()->GetBoundingBox(
      style_of(look), vtkStdString(drawable(words)), box.data(), kDotsPerInch);
  return done ? box[1] - box[0] + 1 : 0;
}

std::string Canvas::png() const {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_);
  image.height = static_cast<png_uint_32>(height_);
  image.format = channels_ == 4 ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  // A negative stride says that the lowest row comes first.
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels_.data(), -width_ * channels_,
                                nullptr) == 0) {
    throw std::runtime_error(std::string("the picture cannot be encoded as PNG: ") + image.message);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace kumiko::viz
