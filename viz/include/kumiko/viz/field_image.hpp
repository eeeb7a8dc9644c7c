// A picture of the field with the patches that it lives on.
#pragma once

#include <filesystem>
#include <string>

#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::viz {

/// What a picture says besides the field.
struct FieldImageOptions {
  std::string title;             ///< the line above the field
  std::string field_name = "u";  ///< the colour bar's title
  double range_min = 0.0;        ///< value of the first colour; lower values have it too
  double range_max = 1.0;        ///< value of the last colour; higher values have it too
  bool draw_outlines = true;     ///< of the patches, coloured by level
};

/// Whether this build draws pictures (KUMIKO_WITH_VTK).
bool pictures_available();

/// Draws component 0 of the leaf points as a PNG of about 1300 × 1200 pixels: nodes where they lie,
/// patch outlines, axes, colour bar, legend of the levels. Needs no display. The file appears whole
/// or not at all. Throws std::runtime_error when it cannot be written, or when the build has no
/// VTK.
void draw_field(const std::filesystem::path& file, const amr::Hierarchy& hierarchy,
                const FieldImageOptions& options);

}  // namespace kumiko::viz
