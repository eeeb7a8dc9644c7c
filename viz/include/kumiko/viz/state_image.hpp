// Pictures of a saved state: its field, or what is known of its patches.
#pragma once

#include <optional>
#include <string>

#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/viz/axis.hpp>

namespace kumiko::viz {

/// Width of pictures, unless another is asked for, in pixels; 1024 of them are the domain's, so
/// that grids of the shipped cases fall on whole pixels.
inline constexpr int kUsualPictureWidth = 1314;

/// What a picture colours.
enum class Quantity {
  kField,     ///< a component at the leaf points
  kWorker,    ///< the patch's owner: who worked on it last
  kCost,      ///< seconds of work of the patch's latest base step
  kIndicator  ///< the refinement indicator, point by point (Löhner's, unless the run chose another)
};

struct StateImageOptions {
  std::string title = {};  ///< the line above the picture; may be empty
  Quantity quantity = Quantity::kField;
  std::string name = "u";  ///< of the component, for kField; others are called what they are
  int component = 0;       ///< for kField
  /// The values that the colours span; values beyond have the end colours, and the bar a point. By
  /// default value_range(). For kWorker the legend names workers 0 to `high`.
  std::optional<Range> range = {};
  bool outlines = true;    ///< of the patches, by level; not of those that have but a few pixels
  double lettering = 1.0;  ///< times the usual size: for a picture that is shown smaller than it is
  int width = 1000;        ///< pixels, about, of a domain as wide as it is high; 300 to 8000
};

/// Whether this build draws pictures (KUMIKO_WITH_VTK).
bool pictures_available();

/// Whether the state has what kWorker, kCost and kIndicator want (output.extras).
bool has_extras(const amr::SavedRun& state);

/// The least and the largest of the quantity's leaf values that are finite; 0 to the largest for
/// what cannot be negative, of costs without the few that are far beyond the others (a patch whose
/// worker was interrupted); never an empty range. A common range makes pictures comparable. Throws
/// std::invalid_argument as draw_state() does.
Range value_range(const amr::SavedRun& state, Quantity quantity, int component = 0);

/// The smallest range that holds both.
Range joined(Range one, Range other);

/// A PNG as bytes: the leaf points coloured, patch outlines by level, axes in the case's length
/// units, colour bar or legend. Nodes lie where they are; extras fill the patch's square. The
/// longer side of the domain is `width` less the margins.
/// Needs no display. Throws std::runtime_error when the build has no VTK, std::invalid_argument
/// when the state lacks the quantity, or for a width or range that cannot be.
std::string draw_state(const amr::SavedRun& state, const amr::Geometry& geometry,
                       const StateImageOptions& options);

/// A picture in two PNGs of one size, both transparent where nothing is painted, which lie upon one
/// another.
struct LayeredImage {
  std::string colours;    ///< the domain, the bar, the signs of legends
  std::string lettering;  ///< frames, numbers and words in black, to be turned light on a dark page
  int width = 0;          ///< of each, in pixels
  int height = 0;
};

/// Draws what draw_state() does, in layers.
LayeredImage draw_state_in_layers(const amr::SavedRun& state, const amr::Geometry& geometry,
                                  const StateImageOptions& options);

}  // namespace kumiko::viz
