// Where and when the mesh is refined.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <kumiko/amr/option_field.hpp>
#include <kumiko/amr/patch_id.hpp>

namespace kumiko::amr {

struct RefinementPatch;  // kumiko/amr/case.hpp

/// The indicator of where to refine (formulas in docs/reference/numerics.md). The largest value of
/// all components is used.
enum class Criterion {
  kLoehner,   ///< Löhner's normalised second difference, 0 .. 1
  kGradient,  ///< the largest difference to a neighbouring point, in the field's units
  kUser       ///< RefinementOptions::indicator or the case's own, in units of its own
};

/// Their names, in this order.
constexpr std::array<std::string_view, 3> names_of(Criterion) {
  return {"loehner", "gradient", "user"};
}

/// A box of the domain with levels of its own: [x0, x1] × [y0, y1], ends included, in the case's
/// length units. docs/reference/numerics.md describes how several boxes and the mesh's levels are
/// combined.
struct RefinementRegion {
  double x0 = 0.0;
  double x1 = 1.0;
  double y0 = 0.0;
  double y1 = 1.0;
  int max_level =
      kLargestLevelCount - 1;  ///< no point of the box gets a patch of a finer level by its tags
  int min_level = 0;           ///< every point of the box has patches up to this level
};

/// A refinement indicator of the program, for any case: fills a value for each of the patch's
/// points, x fastest, as Case::refinement_indicator() does. No value may be NaN. It is called from
/// any thread, for many patches at the same time, and must not suspend. An exception ends the run.
using RefinementIndicator =
    std::function<void(const RefinementPatch& patch, std::span<double> indicator)>;

/// Options of refinement: the indicator, its thresholds, and the times of regrids.
/// fields<RefinementOptions>() has the allowed values.
struct RefinementOptions {
  Criterion criterion = Criterion::kLoehner;
  /// Refine where the indicator is above this, in its units; below 1 for kLoehner.
  double threshold = 0.1;
  /// An existing patch stays while the indicator is above this; 0 = the same as threshold.
  double derefine_threshold = 0.0;
  /// Power of the base grid's spacing with which both thresholds fall on grids other than
  /// threshold_at.
  int threshold_order = 0;
  int threshold_at =
      0;               ///< points of level 0 in x for which the thresholds are given; 0 = the run's
  int hysteresis = 0;  ///< regrids in a row at which a patch stays although it is unwanted
  int min_lifetime = 0;  ///< base steps that a patch stays after it was created
  double delta = 0.05;   ///< kLoehner: weight of the filter against ripples
  double floor = 0.01;   ///< kLoehner: times the scale of each component, added to the denominator
  int buffer = 2;        ///< points of the tagged level by which tags grow
  int interval =
      4;  ///< base steps between regrids; 0 = as many as keep the distance travelled within buffer
  std::size_t memory_limit = 0;  ///< largest memory of the patches in bytes, 0 = no limit
  int check_finite =
      4;  ///< least base steps between checks for values that are not finite; 0 = none
  std::vector<RefinementRegion> regions;  ///< outside all regions, all levels are allowed
  RefinementIndicator indicator = {};     ///< kUser: in place of Case::refinement_indicator()
};

template <>
const std::vector<OptionField<RefinementRegion>>& fields<RefinementRegion>();
/// All members except the regions and the indicator.
template <>
const std::vector<OptionField<RefinementOptions>>& fields<RefinementOptions>();

/// The same options with thresholds scaled to a grid with this number of points of level 0 in x:
/// the thresholds fall with the spacing to the power threshold_order. They are computed by products
/// alone, so that the bits are the same everywhere. For threshold_at points they are unchanged.
RefinementOptions on_grid(RefinementOptions options, int points);

/// The threshold that keeps an existing patch.
double keep_threshold(const RefinementOptions& options);

/// Throws OptionError if options are invalid, alone or in combination, for a mesh with this number
/// of levels and of points of level 0 in x.
void check(const RefinementOptions& options, int points, int levels);

}  // namespace kumiko::amr
