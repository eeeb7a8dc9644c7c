// Pictures of a saved state: its field, or data of its patches.
#pragma once

#include <optional>
#include <string>

#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/saved_run.hpp>

namespace kumiko::viz {

/// Default width of pictures in pixels. The domain has 1024 of them, so that grids of the shipped
/// cases fall on whole pixels.
inline constexpr int kUsualPictureWidth = 1314;

struct Range {
  double low;
  double high;
};

/// The quantity that a picture shows by colours.
enum class Quantity {
  kField,     ///< a component at the leaf points
  kWorker,    ///< the worker that last worked on the patch
  kCost,      ///< seconds of work of the patch's latest base step
  kIndicator  ///< the refinement indicator, point by point (Löhner's, unless the run chose another)
};

struct StateImageOptions {
  std::string title = {};  ///< the line above the picture; may be empty
  Quantity quantity = Quantity::kField;
  std::string name =
      "u";            ///< name of the component, for kField; the other quantities have fixed names
  int component = 0;  ///< for kField
  /// The range of values of the colours. Values beyond it have the colours of the ends, and then
  /// the colour bar has pointed ends. By default value_range(). For kWorker the legend names
  /// workers 0 to `high`.
  std::optional<Range> range = {};
  bool outlines = true;  ///< outlines of the patches, by level, except those of only a few pixels
  double lettering =
      1.0;  ///< size of text relative to the usual one, for a picture that will be shown reduced
  int width = 1000;  ///< pixels, about, of a domain as wide as it is high; 300 to 8000
};

/// True if this build draws pictures (KUMIKO_WITH_VTK).
bool pictures_available();

/// True if the state has the data for kWorker, kCost and kIndicator (output.extras).
bool has_extras(const amr::SavedRun& state);

/// The least and the largest of the quantity's leaf values that are finite; for quantities that
/// cannot be negative, from 0 to the largest; for costs without the few that are far above the
/// others (patches whose worker was interrupted). The range is never empty. Use a common range to
/// make pictures comparable. Throws std::invalid_argument as draw_state() does.
Range value_range(const amr::SavedRun& state, Quantity quantity, int component = 0);

/// The smallest range that contains both.
Range joined(Range one, Range other);

/// A PNG as bytes: the leaf points coloured, patch outlines by level, axes in the case's length
/// units, colour bar or legend. Nodes lie where they are; extras fill the patch's square. The
/// longer side of the domain is `width` less the margins. Needs no display. Throws
/// std::runtime_error if the build has no VTK, and std::invalid_argument if the state lacks the
/// quantity or the width or the range is invalid.
std::string draw_state(const amr::SavedRun& state, const amr::Geometry& geometry,
                       const StateImageOptions& options);

/// A picture as two PNGs of the same size, transparent where nothing is painted, to be shown one on
/// top of the other.
struct LayeredImage {
  std::string colours;    ///< the domain, the bar, the signs of legends
  std::string lettering;  ///< frames, numbers and words in black, to be inverted on a dark page
  int width = 0;          ///< of each, in pixels
  int height = 0;
};

/// Draws what draw_state() does, in layers.
LayeredImage draw_state_in_layers(const amr::SavedRun& state, const amr::Geometry& geometry,
                                  const StateImageOptions& options);

}  // namespace kumiko::viz
