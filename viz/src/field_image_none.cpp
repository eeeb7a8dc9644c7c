#include <stdexcept>

#include <kumiko/viz/field_image.hpp>

namespace kumiko::viz {

bool pictures_available() { return false; }

void draw_field(const std::filesystem::path& file, const amr::Hierarchy&,
                const FieldImageOptions&) {
  throw std::runtime_error("picture '" + file.string() +
                           "' not drawn: this build has no VTK; configure with KUMIKO_WITH_VTK=ON");
}

}  // namespace kumiko::viz
