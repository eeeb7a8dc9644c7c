// Pictures of a saved state: its field, or what is known of its patches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/viz/axis.hpp>

namespace kumiko::viz {

/// What a picture colours.
enum class Quantity {
  kField,     ///< a component at the leaf points
  kWorker,    ///< the patch's owner: who worked on it last
  kCost,      ///< seconds of work of the patch's latest base step
  kIndicator  ///< the refinement indicator, point by point (Löhner's, unless the run chose another)
};

struct StateImageOptions {
  std::string title;
  Quantity quantity = Quantity::kField;
  std::string name = "u";           ///< the colour bar's title
  int component = 0;                ///< for kField
  std::optional<Range> range = {};  ///< of the colours; by default the values'
  bool outlines = true;             ///< of the patches, by level
  int width = 1000;                 ///< pixels, about
};

/// Whether the state has what kWorker, kCost and kIndicator want (output.figures).
bool has_figures(const amr::SavedRun& state);

/// A PNG as bytes: the leaf points coloured, patch outlines by level, axes, colour bar or legend.
/// Needs no display. Throws std::runtime_error when the build has no VTK, std::invalid_argument
/// when the state lacks the quantity.
std::string draw_state(const amr::SavedRun& state, const amr::Geometry& geometry,
                       const StateImageOptions& options);

}  // namespace kumiko::viz
