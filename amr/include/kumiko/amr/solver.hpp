// The interface of a solver: how one patch is advanced by one step.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/equation.hpp>
#include <kumiko/amr/face_fluxes.hpp>
#include <kumiko/amr/parameter.hpp>
#include <kumiko/amr/patch_id.hpp>
#include <kumiko/amr/patch_view.hpp>

namespace kumiko::amr {

/// The components that make one vector, by their numbers from 0.
struct VectorComponents {
  int x = 0;
  int y = 0;
};

/// What a solver tells the engine about itself.
struct SolverTraits {
  std::string name = {};
  int dimensions = kAxes;  ///< of its patches; no other number yet
  int components = 0;      ///< that it advances; 0 = as many as the case has
  /// Vectors among the components, as a momentum is. The others are scalars. The components of a
  /// vector share one scale in Löhner's indicator.
  std::vector<VectorComponents> vectors = {};
  Centring centring = Centring::kNode;
  int ghosts = 1;          ///< ghost layers that advance() reads, 1..kLargestGhosts
  double cfl_limit = 1.0;  ///< largest CFL number that the scheme allows
  double order = 0.0;  ///< of accuracy for smooth solutions, step and spacing alike; 0 = not stated
  /// Whether displacement() works, so that coarse–fine ghosts may be interpolated along
  /// characteristics, which takes a cfl_limit of at most 1.
  bool characteristic_ghosts = false;
  /// Whether advance_with_fluxes() works: runs with several levels then conserve. Cells only.
  bool flux_form = false;
  /// Whether tendency() works, so that coarse–fine ghosts may lie on a parabola in time.
  bool tendency = false;
  /// Whether the speed of what moves depends on the solution, so that state_cfl() is asked too.
  bool nonlinear = false;
  /// Whether advance_list() is better asked for several patches at once than advance() for each.
  bool list_kernel = false;
  /// Whether patches differ in cost, so that weight() is asked.
  bool weighted = false;
  /// Whether rescale() works, which saves prepare()'s evaluations of a separable velocity.
  bool rescales = false;
  /// Whether there are states that no step can begin from, so that inadmissible_point() is asked.
  bool limits_states = false;
};

/// Ghost layers that a solver may need.
inline constexpr int kLargestGhosts = 8;

/// Coefficients that a solver may ask for: 1024 for each point, 2 MiB a patch.
inline constexpr std::size_t kMostCoefficients = std::size_t{1024} * kPatchPoints;

/// Ghost layers in which tendency() is asked for.
inline constexpr int kTendencyGhosts = 2;

/// The points of one patch, ready for a case's batch calls: kPatchPoints points, x fastest.
struct PatchPoints {
  Points points;
  double spacing;
  /// Indices of the first point within its level. Times the spacing they are the coordinates of the
  /// first node, or of the first cell's lower left corner, to the bit the same from every patch.
  int first_i = 0;
  int first_j = 0;
};

/// A point of a patch's interior, counted from 0 along each axis.
struct InnerPoint {
  int i = 0;
  int j = 0;
};

/// What advance() is handed for one patch, or advance_with_fluxes() where there are fluxes.
struct PatchAdvance {
  ConstPatchView before;
  std::span<const double> coefficients;
  PatchView after;
  std::optional<FaceFluxes> fluxes = {};
};

/// Advances patches. Immutable once made: every member may be called from any thread at once, and
/// none may suspend.
class Solver {
 public:
  virtual ~Solver() = default;

  virtual const SolverTraits& traits() const = 0;

  /// The equation that it solves.
  virtual Equation equation() const { return {}; }

  /// Values per patch that prepare() fills and advance() reads, kMostCoefficients at most and
  /// always as many. They depend on the velocity, the points and the step only, so that the engine
  /// keeps them while a steady velocity lasts.
  virtual std::size_t coefficients() const = 0;

  /// Fills a patch's coefficients for the step from time to time + dt, and returns the patch's CFL
  /// number, which falls with dt. The engine refuses a number above traits().cfl_limit before the
  /// step.
  virtual double prepare(const Case& problem, const PatchPoints& patch, double time, double dt,
                         std::span<double> coefficients) const = 0;

  /// Turns coefficients that prepare() has filled in this flow into those of the step from time to
  /// time + dt, with the bits that prepare() would give them, and returns the CFL number that it
  /// would. O(1) or O(points), without a velocity of the case. Called only when traits().rescales,
  /// in unsteady flows with a velocity_factor().
  virtual double rescale(const Case& problem, double time, double dt,
                         std::span<double> coefficients) const;

  /// Writes the interior of `after` from `before`, whose ghosts are filled to traits().ghosts
  /// layers at the step's start. The ghosts of `after` are not touched. Views may hold more layers
  /// than that, whose values mean nothing: rows are stride() apart.
  virtual void advance(ConstPatchView before, std::span<const double> coefficients,
                       PatchView after) const = 0;

  /// advance(), and the fluxes that made the change. The bits of `after` are those of advance(),
  /// and two patches give the face between them the same flux. Called only when traits().flux_form;
  /// in runs with several levels, instead of advance().
  virtual void advance_with_fluxes(ConstPatchView before, std::span<const double> coefficients,
                                   PatchView after, FaceFluxes fluxes) const;

  /// Advances patches of one level by the same step, to the bits of advance() of each, or of
  /// advance_with_fluxes() for those with fluxes; all have them or none. No two of them share what
  /// they read and write. Called instead of the two when traits().list_kernel, for as many patches
  /// as the schedule has to hand: level by level what a worker gets in one go, and a block of
  /// patches by dataflow. As it stands here, it does one patch after the other.
  virtual void advance_list(std::span<const PatchAdvance> list) const;

  /// What advancing a patch costs at a time, in proportion to other patches of its level; finite
  /// and above 0. Says where a patch's thread begins before anything of it has been measured: under
  /// dataflow every worker is home to an equal part of each level's weight. The static backends'
  /// decompositions do not heed it, and no bit of the state depends on it. Called only when
  /// traits().weighted, for each patch when a window of steps begins.
  virtual double weight(const Case& problem, const PatchPoints& patch, double time) const;

  /// Writes Δt ∂u/∂t at the step's start for the points of a range, which reaches at most
  /// kTendencyGhosts layers into the ghosts; ghosts of `state` as for advance(). The bits of a
  /// point do not depend on the range. Called only when traits().tendency.
  virtual void tendency(ConstPatchView state, std::span<const double> coefficients,
                        const PointRange& range, PatchView tendency) const;

  /// The CFL number of a step from a state, by its interior: of the speeds that depend on the
  /// solution, proportional to the step. Called only when traits().nonlinear.
  virtual double state_cfl(ConstPatchView state, std::span<const double> coefficients) const;

  /// The first point of the interior, row by row, whose state is not admissible: no step can begin
  /// from it, as from a negative pressure. Nothing when all points are admissible. Asked of initial
  /// states, of new patches, and of each state that a step has ended with. A run that chooses its
  /// steps takes the base step again with a shorter one; a run of a given number of steps ends with
  /// InadmissibleState. Called only when traits().limits_states.
  virtual std::optional<InnerPoint> inadmissible_point(ConstPatchView state) const;

  /// Where the particles at the points at `time` were `tau` earlier, minus where they are, by the
  /// solver's departure scheme. Called only when traits().characteristic_ghosts.
  virtual void displacement(const Case& problem, Points points, double time, double tau,
                            Vectors displacement) const;
};

}  // namespace kumiko::amr
