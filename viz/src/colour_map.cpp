#include "colour_map.hpp"

#include <array>
#include <cmath>

#include <vtkColorTransferFunction.h>
#include <vtkNew.h>

namespace kumiko::viz {

namespace {

constexpr int kColours = 256;

/// Viridis at equal distances, sRGB.
constexpr std::array<std::array<int, 3>, 17> kViridis = {{{68, 1, 84},
                                                          {72, 24, 106},
                                                          {71, 45, 123},
                                                          {66, 64, 134},
                                                          {59, 82, 139},
                                                          {51, 99, 141},
                                                          {44, 114, 142},
                                                          {38, 130, 142},
                                                          {33, 145, 140},
                                                          {31, 160, 136},
                                                          {40, 174, 128},
                                                          {63, 188, 115},
                                                          {94, 201, 98},
                                                          {132, 212, 75},
                                                          {173, 220, 48},
                                                          {216, 226, 25},
                                                          {253, 231, 37}}};

}  // namespace

ColourMap::ColourMap(double range_min, double range_max)
    : table_(vtkSmartPointer<vtkLookupTable>::New()) {
  vtkNew<vtkColorTransferFunction> viridis;
  viridis->SetColorSpaceToRGB();
  for (std::size_t point = 0; point < kViridis.size(); ++point) {
    const auto& [red, green, blue] = kViridis[point];
    viridis->AddRGBPoint(static_cast<double>(point) / (kViridis.size() - 1), red / 255.0,
                         green / 255.0, blue / 255.0);
  }
  table_->SetNumberOfTableValues(kColours);
  table_->SetRange(range_min, range_max);
  for (int colour = 0; colour < kColours; ++colour) {
    std::array<double, 3> rgb{};
    viridis->GetColor(static_cast<double>(colour) / (kColours - 1), rgb.data());
    table_->SetTableValue(colour, rgb[0], rgb[1], rgb[2], 1.0);
  }
}

Colour ColourMap::operator()(double value) const {
  if (std::isnan(value)) return {255, 255, 255};
  const unsigned char* const rgba = table_->MapValue(value);
  return {rgba[0], rgba[1], rgba[2]};
}

}  // namespace kumiko::viz
