// Where and when the mesh is refined, as the keys of table [amr] say.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace kumiko::amr {

struct RefinementPatch;  // kumiko/amr/case.hpp

/// What tells where to refine (docs/reference/numerics.md has the formulas). The largest value of
/// all components counts.
enum class Criterion {
  kLoehner,   ///< Löhner's normalised second difference, 0 .. 1
  kGradient,  ///< the largest difference to a neighbouring point, in the field's units
  kUser       ///< RefinementOptions::indicator or the case's own, in units of its own
};

/// A box of the domain with levels of its own: [x0, x1] × [y0, y1], ends included, in the case's
/// length units. What several boxes and the mesh's levels say together is in
/// docs/reference/numerics.md.
struct RefinementRegion {
  double x0;
  double x1;
  double y0;
  double y1;
  int max_level;      ///< no point of the box gets a patch of a finer level by its tags
  int min_level = 0;  ///< every point of the box has patches up to this level
};

/// A criterion of one's own, for any case: fills a value for each of the patch's points, x fastest,
/// as Case::refinement_indicator() does. None may be NaN. Called from any thread, for many patches
/// at once; must not suspend. What it throws ends the run.
using RefinementIndicator =
    std::function<void(const RefinementPatch& patch, std::span<double> indicator)>;

/// The indicator, what follows a tag, and when.
struct RefinementOptions {
  Criterion criterion = Criterion::kLoehner;
  /// Refine where the indicator is above this, in its units; above 0, and below 1 for kLoehner.
  double threshold = 0.1;
  /// An existing patch stays while the indicator is above this; 0 = the same as threshold.
  double derefine_threshold = 0.0;
  double delta = 0.05;   ///< kLoehner: weight of the filter against ripples
  double floor = 0.01;   ///< kLoehner: times the largest |u| of the initial level 0, added to the
                         ///< denominator
  int buffer = 2;        ///< points of the tagged level by which tags grow, 0 .. kPatchSize
  int interval = 4;      ///< base steps between regrids; 0 = as many as the buffer allows
  int hysteresis = 0;    ///< regrids in a row at which a patch stays though it is unwanted
  int min_lifetime = 0;  ///< base steps that a patch stays after it came
  std::vector<RefinementRegion> regions;  ///< outside all of them every level may be
  std::size_t memory_limit = 0;           ///< bytes that patches may take, 0 = any
  int check_finite =
      4;  ///< least base steps between two checks for values that are not finite; 0 = no check
  RefinementIndicator indicator = {};  ///< kUser: in place of Case::refinement_indicator()
};

/// Converts a threshold that is given for `at` points of level 0 in x to another number of points:
/// it falls with the spacing to the power `order`. Computed by products alone, so that the bits are
/// the same everywhere; for the same number of points the threshold stays as it is.
double scaled_threshold(double threshold, int order, int at, int points);

/// The threshold that keeps an existing patch.
double keep_threshold(const RefinementOptions& options);

/// Throws std::invalid_argument, naming the key and what it may be, for options that cannot be.
void check(const RefinementOptions& options);

}  // namespace kumiko::amr
