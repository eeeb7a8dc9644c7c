#include "canvas.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

#include <vtkAutoInit.h>
#include <vtkNew.h>
#include <vtkObject.h>
#include <vtkPNGWriter.h>
#include <vtkStdString.h>
#include <vtkTextProperty.h>
#include <vtkTextRenderer.h>
#include <vtkUnsignedCharArray.h>

VTK_MODULE_INIT(vtkRenderingFreeType)

namespace kumiko::viz {

namespace {

constexpr int kDotsPerInch = 72;

vtkSmartPointer<vtkTextProperty> style_of(const TextLook& look) {
  auto style = vtkSmartPointer<vtkTextProperty>::New();
  style->SetFontFamilyToArial();
  style->SetFontSize(look.size);
  style->SetColor(look.colour[0] / 255.0, look.colour[1] / 255.0, look.colour[2] / 255.0);
  if (look.upward) style->SetOrientation(90.0);
  return style;
}

}  // namespace

Canvas::Canvas(int width, int height, Colour background)
    : width_(width),
      height_(height),
      image_(vtkSmartPointer<vtkImageData>::New()),
      pixels_(nullptr) {
  // What goes wrong is thrown: VTK's own lines about it would only come before.
  vtkObject::GlobalWarningDisplayOff();
  image_->SetDimensions(width, height, 1);
  image_->AllocateScalars(VTK_UNSIGNED_CHAR, 3);
  pixels_ = static_cast<unsigned char*>(image_->GetScalarPointer());
  if (pixels_ == nullptr) throw std::bad_alloc();
  fill(0, 0, width - 1, height - 1, background);
}

unsigned char* Canvas::pixel(int x, int y) const {
  return pixels_ + 3 * (static_cast<std::ptrdiff_t>(y) * width_ + x);
}

void Canvas::set(int x, int y, Colour colour) {
  if (inside(x, y)) std::copy(colour.begin(), colour.end(), pixel(x, y));
}

void Canvas::blend(int x, int y, Colour colour, double opacity) {
  if (!inside(x, y)) return;
  unsigned char* const below = pixel(x, y);
  for (std::size_t channel = 0; channel < colour.size(); ++channel) {
    const double mixed = below[channel] + opacity * (colour[channel] - below[channel]);
    below[channel] = static_cast<unsigned char>(std::lround(mixed));
  }
}

void Canvas::fill(int x0, int y0, int x1, int y1, Colour colour) {
  for (int y = y0; y <= y1; ++y) {
    for (int x = x0; x <= x1; ++x) set(x, y, colour);
  }
}

void Canvas::text(int x, int y, const TextLook& look, const std::string& words) {
  vtkNew<vtkImageData> glyphs;
  std::array<int, 2> extent{};
  if (!vtkTextRenderer::GetInstance()->RenderString(style_of(look), vtkStdString(words), glyphs,
                                                    extent.data(), kDotsPerInch)) {
    throw std::runtime_error("the text '" + words + "' cannot be drawn");
  }
  // The anchor lies half the height up, and along the words where the look says.
  const std::size_t along = look.upward ? 1 : 0;
  std::array<int, 2> anchor = {extent[0] / 2, extent[1] / 2};
  if (look.align == Align::kLeft) anchor[along] = 0;
  if (look.align == Align::kRight) anchor[along] = extent[along];
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
      style_of(look), vtkStdString(words), box.data(), kDotsPerInch);
  return done ? box[1] - box[0] + 1 : 0;
}

Colour Canvas::at(int x, int y) const {
  const unsigned char* const rgb = pixel(x, y);
  return {rgb[0], rgb[1], rgb[2]};
}

std::string Canvas::png() const {
  vtkNew<vtkPNGWriter> writer;
  writer->WriteToMemoryOn();
  writer->SetInputData(image_);
  writer->Write();
  vtkUnsignedCharArray* const bytes = writer->GetResult();
  if (bytes == nullptr) throw std::runtime_error("the picture cannot be encoded as PNG");
  return {reinterpret_cast<const char*>(bytes->GetPointer(0)),
          static_cast<std::size_t>(bytes->GetNumberOfValues())};
}

}  // namespace kumiko::viz
