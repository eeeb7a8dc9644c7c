#include "picture/colour_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <vtkColorTransferFunction.h>
#include <vtkMath.h>
#include <vtkNew.h>

namespace kumiko::viz {

namespace {

constexpr int kColours = 256;

/// Viridis at equal distances, sRGB.
constexpr Colour kViridis[] = {
    {68, 1, 84},    {72, 24, 106},  {71, 45, 123},  {66, 64, 134},  {59, 82, 139},  {51, 99, 141},
    {44, 114, 142}, {38, 130, 142}, {33, 145, 140}, {31, 160, 136}, {40, 174, 128}, {63, 188, 115},
    {94, 201, 98},  {132, 212, 75}, {173, 220, 48}, {216, 226, 25}, {253, 231, 37}};
constexpr Colour kBlueToRed[] = {{59, 76, 192}, {180, 4, 38}};
constexpr Colour kYellowToBrown[] = {{255, 250, 222}, {250, 190, 90}, {205, 85, 40}, {75, 15, 25}};
constexpr Colour kWhiteToBlue[] = {{250, 251, 255}, {140, 195, 225}, {40, 105, 175}, {15, 25, 75}};

constexpr Colour kOkabeIto[] = {{230, 159, 0}, {86, 180, 233}, {0, 158, 115},   {240, 228, 66},
                                {0, 114, 178}, {213, 94, 0},   {204, 121, 167}, {110, 110, 110}};

using Triple = std::array<double, 3>;

Triple unit_rgb(Colour colour) { return {colour[0] / 255.0, colour[1] / 255.0, colour[2] / 255.0}; }

Triple to_lab(Colour colour) {
  Triple lab = unit_rgb(colour);
  vtkMath::RGBToLab(lab.data(), lab.data());
  return lab;
}

double distance(Colour one, Colour other) {
  const Triple a = to_lab(one);
  const Triple b = to_lab(other);
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

void add(vtkColorTransferFunction& function, double place, Colour colour) {
  const Triple rgb = unit_rgb(colour);
  function.AddRGBPoint(place, rgb[0], rgb[1], rgb[2]);
}

/// Colours from 0 to 1 as far apart as distance_of() of each and the next says.
void add_all(vtkColorTransferFunction& function, std::span<const Colour> colours,
             double (*distance_of)(Colour, Colour)) {
  double length = 0.0;
  for (std::size_t at = 1; at < colours.size(); ++at) {
    length += distance_of(colours[at - 1], colours[at]);
  }
  double place = 0.0;
  add(function, 0.0, colours.front());
  for (std::size_t at = 1; at < colours.size(); ++at) {
    place += distance_of(colours[at - 1], colours[at]);
    add(function, place / length, colours[at]);
  }
}

vtkSmartPointer<vtkColorTransferFunction> function_of(Palette palette) {
  auto function = vtkSmartPointer<vtkColorTransferFunction>::New();
  const auto evenly = [](Colour, Colour) { return 1.0; };
  if (palette == Palette::kViridis) {
    function->SetColorSpaceToRGB();
    add_all(*function, kViridis, evenly);
  } else if (palette == Palette::kDiverging) {
    function->SetColorSpaceToDiverging();
    add_all(*function, kBlueToRed, evenly);
  } else {
    function->SetColorSpaceToLab();
    add_all(*function, palette == Palette::kHeat ? kYellowToBrown : kWhiteToBlue, distance);
  }
  return function;
}

/// Where in the palette, from 0 to 1, the ends of the range lie.
Range part_of(Palette palette, Range range) {
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  if (palette != Palette::kDiverging || largest == 0.0) return {0.0, 1.0};
  return {0.5 + 0.5 * range.low / largest, 0.5 + 0.5 * range.high / largest};
}

/// Towards white for a positive share, towards black for a negative one.
Colour shaded(Colour colour, double share) {
  for (unsigned char& channel : colour) {
    const double end = share > 0.0 ? 255.0 : 0.0;
    channel = static_cast<unsigned char>(std::lround(channel + std::abs(share) * (end - channel)));
  }
  return colour;
}

}  // namespace

ColourMap::ColourMap(Palette palette, Range range)
    : table_(vtkSmartPointer<vtkLookupTable>::New()) {
  const auto function = function_of(palette);
  const Range part = part_of(palette, range);
  table_->SetNumberOfTableValues(kColours);
  table_->SetRange(range.low, range.high);
  for (int colour = 0; colour < kColours; ++colour) {
    Triple rgb{};
    const double share = static_cast<double>(colour) / (kColours - 1);
    function->GetColor(part.low + share * (part.high - part.low), rgb.data());
    table_->SetTableValue(colour, rgb[0], rgb[1], rgb[2], 1.0);
  }
}

Colour ColourMap::operator()(double value) const {
  if (std::isnan(value)) return {255, 255, 255};
  const unsigned char* const rgba = table_->MapValue(value);
  return {rgba[0], rgba[1], rgba[2]};
}

Colour worker_colour(int worker) {
  constexpr std::array<double, 3> kShares = {0.0, 0.55, -0.45};
  if (worker < 0) return {255, 255, 255};
  const std::size_t at = static_cast<std::size_t>(worker) % kWorkerColours;
  return shaded(kOkabeIto[at % std::size(kOkabeIto)], kShares[at / std::size(kOkabeIto)]);
}

double lightness(Colour colour) { return to_lab(colour)[0] / 100.0; }

}  // namespace kumiko::viz
