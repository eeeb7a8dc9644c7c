#include "canvas.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <vtkAutoInit.h>
#include <vtkNew.h>
#include <vtkPNGWriter.h>
#include <vtkStdString.h>
#include <vtkTextProperty.h>
#include <vtkTextRenderer.h>
#include <vtkUnsignedCharArray.h>

#include <kumiko/io/output_folder.hpp>

VTK_MODULE_INIT(vtkRenderingFreeType)

namespace kumiko::viz {

namespace {

constexpr int kDotsPerInch = 72;

}  // namespace

Canvas::Canvas(int width, int height, Colour background)
    : width_(width), height_(height), image_(vtkSmartPointer<vtkImageData>::New()) {
  image_->SetDimensions(width, height, 1);
  image_->AllocateScalars(VTK_UNSIGNED_CHAR, 3);
  fill(0, 0, width - 1, height - 1, background);
}

unsigned char* Canvas::pixel(int x, int y) const {
  return static_cast<unsigned char*>(image_->GetScalarPointer(x, y, 0));
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

void Canvas::text(int x, int y, Align align, int size, const std::string& words) {
  vtkNew<vtkTextProperty> style;
  style->SetFontFamilyToArial();
  style->SetFontSize(size);
  style->SetColor(0.0, 0.0, 0.0);
  vtkNew<vtkImageData> glyphs;
  std::array<int, 2> extent{};
  if (!vtkTextRenderer::GetInstance()->RenderString(style, vtkStdString(words), glyphs,
                                                    extent.data(), kDotsPerInch)) {
    throw std::runtime_error("the text '" + words + "' cannot be drawn");
  }
  const std::array<int, 2> share = {align == Align::kLeft    ? 0
                                    : align == Align::kRight ? extent[0]
                                                             : extent[0] / 2,
                                    extent[1] / 2};
  const int* const bounds = glyphs->GetExtent();
  for (int j = 0; j < extent[1]; ++j) {
    for (int i = 0; i < extent[0]; ++i) {
      const auto* const rgba = static_cast<const unsigned char*>(
          glyphs->GetScalarPointer(bounds[0] + i, bounds[2] + j, 0));
      blend(x - share[0] + i, y - share[1] + j, {rgba[0], rgba[1], rgba[2]}, rgba[3] / 255.0);
    }
  }
}

Colour Canvas::at(int x, int y) const {
  const unsigned char* const rgb = pixel(x, y);
  return {rgb[0], rgb[1], rgb[2]};
}

void Canvas::write_png(const std::filesystem::path& file) const {
  vtkNew<vtkPNGWriter> writer;
  writer->WriteToMemoryOn();
  writer->SetInputData(image_);
  writer->Write();
  vtkUnsignedCharArray* const bytes = writer->GetResult();
  if (bytes == nullptr) throw std::runtime_error("picture '" + file.string() + "' not encoded");
  io::write_text_file(file, {reinterpret_cast<const char*>(bytes->GetPointer(0)),
                             static_cast<std::size_t>(bytes->GetNumberOfValues())});
}

}  // namespace kumiko::viz
