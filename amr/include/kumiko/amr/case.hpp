// The interface of a case: initial data, velocity, boundaries and, if known, the exact solution.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <kumiko/amr/equation.hpp>
#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/parameter.hpp>
#include <kumiko/amr/patch_id.hpp>
#include <kumiko/amr/patch_view.hpp>

namespace kumiko::amr {

/// Coordinates of a batch of points; x and y have equal length.
struct Points {
  std::span<const double> x;
  std::span<const double> y;
  std::size_t size() const { return x.size(); }
};

/// Two values for each point of a batch: a velocity or a displacement.
struct Vectors {
  std::span<double> x;
  std::span<double> y;
};

/// Sets the value of each point to of(x, y). \return true, as members of Case do that can compute
/// the values
template <class Of>
bool evaluate(Points points, std::span<double> values, Of of) {
  for (std::size_t at = 0; at < points.size(); ++at) values[at] = of(points.x[at], points.y[at]);
  return true;
}
/// Sets the two values of each point to those of of(x, y), an array.
template <class Of>
bool evaluate(Points points, Vectors values, Of of) {
  for (std::size_t at = 0; at < points.size(); ++at) {
    const auto [x, y] = of(points.x[at], points.y[at]);
    values.x[at] = x;
    values.y[at] = y;
  }
  return true;
}

/// The largest number of components of a case.
inline constexpr int kMostComponents = 64;

/// A patch as Case::refinement_indicator() sees it.
struct RefinementPatch {
  int level;
  double time;           ///< time of the field
  double spacing;        ///< distance between points of the level
  Points points;         ///< the kPatchPoints points of the interior, x fastest
  ConstPatchView field;  ///< every component, with the solver's number of ghost layers
};

/// A patch as Case::observe() sees it. A point (i, j) lies at x + i spacing, y + j spacing.
struct ObservedPatch {
  PatchId id;
  double x = 0.0;  ///< of the first point of the interior: a node, or a cell's centre
  double y = 0.0;
  double spacing = 0.0;
  /// Quadrants (PatchId::quadrant) that finer patches cover, which hold the better values.
  std::array<bool, 4> covered = {};
  ConstPatchView state;  ///< every component; ghosts mean nothing
};

/// The state of a run after a number of base steps, as far as this process has it.
struct Observation {
  int step = 0;  ///< base steps taken
  double time = 0.0;
  double dt = 0.0;  ///< length of the latest base step; 0 at the start
  int rank = 0;     ///< of this process, among `ranks` that share the mesh
  int ranks = 1;
  std::span<const ObservedPatch> patches;  ///< in canonical order: by level, row and column
};

/// A published value, for comparison.
struct PublishedValue {
  std::string name;  ///< e.g. "rms.coarse", or the scheme that it was computed with
  double value;
  std::string source;     ///< where it was published
  std::string norm = {};  ///< for an error: "rms", "l1_relative", "l1" (absolute) or "linf"
  int points = 0;         ///< grid points per unit of length of its grid; 0 = not known
};

/// The problem to solve. Implementations are immutable: every member may be called from many
/// threads at the same time, and none may suspend.
class Case {
 public:
  virtual ~Case() = default;

  virtual int dimensions() const { return kAxes; }  ///< must be kAxes
  virtual Extent extent() const { return {}; }
  virtual Boundaries boundaries() const { return {}; }
  /// Values of a component at a time for points beyond a side of BoundaryKind::kPrescribed. The
  /// points are those of the ghosts, in several layers. A case that knows the solution outside the
  /// domain returns it at these points; a case that only knows the values on the side may ignore
  /// the distance from it. For solvers of cell averages, averages are computed by quadrature, as
  /// for initial(). Called for those sides only.
  virtual void boundary_values(Side side, Points points, int component, double time,
                               std::span<double> values) const;
  /// Length of the whole run in the case's time unit; SimulationOptions::steps divides it into base
  /// steps.
  virtual double end_time() const = 0;
  virtual int components() const { return 1; }  ///< kMostComponents at most
  /// Names of the components in files and messages: all different, of letters, digits and
  /// underscores, not beginning with a digit, and none of amr::kExtraNames. By default "u", or
  /// "u0", "u1", ….
  virtual std::vector<std::string> component_names() const;

  /// The equation that the case is posed for, whose solution is exact(). The kumiko command warns
  /// if the solver solves another equation.
  virtual Equation equation() const { return {}; }

  /// Values of a component at t = 0. For solvers of cell averages, averages are computed by
  /// quadrature.
  virtual void initial(Points points, int component, std::span<double> values) const = 0;

  /// Velocity at a time.
  virtual void velocity(Points points, double time, Vectors velocity) const = 0;
  /// Stream function ψ at a time: the velocity is (∂ψ/∂y, -∂ψ/∂x). Returns false if the case has
  /// none. Flux-form solvers compute the mean normal velocity of a face from ψ at its ends, so that
  /// the flow through the faces of every cell adds up to 0 and a constant field stays constant.
  virtual bool stream_function(Points, double /*time*/, std::span<double>) const { return false; }
  /// Whether the velocity is constant in time, so that values derived from it may be kept.
  virtual bool steady_velocity() const { return false; }
  /// The factor at a time of a separable velocity, a steady field times a factor of time; nothing
  /// for other flows. With it, velocity() and stream_function() at any time are, to round-off, this
  /// factor times what they are at unit_factor_time(), so that solvers evaluate the field once a
  /// patch. It has a value at all times or at none, and may be 0 or negative.
  virtual std::optional<double> velocity_factor(double /*time*/) const { return std::nullopt; }
  /// A time at which velocity_factor() is 1; it may lie outside the run. Without a factor it does
  /// not matter.
  virtual double unit_factor_time() const { return 0.0; }

  /// Exact displacement of the particles that are at the points at `time`, over the last `tau`:
  /// where they were minus where they are. Returns false if the case cannot compute it.
  virtual bool exact_displacement(Points, double /*time*/, double /*tau*/, Vectors) const {
    return false;
  }

  /// The exact solution at a time. Returns false if the case does not know it.
  virtual bool exact(Points, int /*component*/, double /*time*/, std::span<double>) const {
    return false;
  }

  /// The case's own refinement indicator, for Criterion::kUser: fills a value for each of the
  /// patch's points, in units of its choice; both thresholds of RefinementOptions are in these
  /// units. No value may be NaN. It is also called for patches of the finest level if records have
  /// amr::kExtraNames. Returns false if the case has no indicator.
  virtual bool refinement_indicator(const RefinementPatch&, std::span<double> /*indicator*/) const {
    return false;
  }

  /// Base steps between two calls of observe(); 0 = none.
  virtual int observe_every() const { return 0; }
  /// Is shown the initial state and that after each multiple of observe_every() base steps, for
  /// output of the case's own: never a state that the run goes back from, and none twice, but for
  /// those that a restart computes again. On several ranks each one shows its own patches. One
  /// thread at a time calls it, between base steps; the run waits meanwhile, and ends with what it
  /// throws. No bit of the run may depend on it.
  virtual void observe(const Observation&) const {}

  virtual std::vector<PublishedValue> published_values() const { return {}; }
};

}  // namespace kumiko::amr
