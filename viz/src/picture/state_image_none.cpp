#include <stdexcept>

#include <kumiko/viz/state_image.hpp>

namespace kumiko::viz {

bool pictures_available() { return false; }

std::string draw_state(const amr::SavedRun&, const amr::Geometry&, const StateImageOptions&) {
  throw std::runtime_error(
      "no picture drawn: this build has no VTK; configure it with KUMIKO_WITH_VTK=ON");
}

LayeredImage draw_state_in_layers(const amr::SavedRun& state, const amr::Geometry& geometry,
                                  const StateImageOptions& options) {
  return {draw_state(state, geometry, options), {}};
}

}  // namespace kumiko::viz
