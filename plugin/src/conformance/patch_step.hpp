// One patch and everything that a solver reads and writes for a step of it, between guards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "conformance/subject.hpp"

namespace kumiko::plugin::conformance {

/// Spacing of the points of single patches: 64 to a unit of length.
inline constexpr double kSpacing = 1.0 / 64.0;
/// Layers that views hold beyond the declared ghosts.
inline constexpr int kSpareLayers = 3;

/// Where a patch lies, and its points' coordinates as the engine would give them.
class Place {
 public:
  /// By default somewhere within the plane.
  explicit Place(const Subject& subject, int first_i = 16, int first_j = 32,
                 double spacing = kSpacing);
  amr::PatchPoints points() const { return {{x_, y_}, spacing_, first_i_, first_j_}; }
  /// The middle of the patch's points.
  double centre_x() const { return 0.5 * (x_.front() + x_.back()); }
  double centre_y() const { return 0.5 * (y_.front() + y_.back()); }

 private:
  int first_i_;
  int first_j_;
  double spacing_;
  std::array<double, amr::kPatchPoints> x_;
  std::array<double, amr::kPatchPoints> y_;
};

/// Values of a guard. A wide one is for a solver's first steps, which may write anywhere: 64 values
/// per point. A solver that writes beyond its arrays then is not called again.
inline constexpr std::size_t kGuard = 1024;
inline constexpr std::size_t kWideGuard = std::size_t{64} * amr::kPatchPoints;

/// Values between two guards, so that writes beyond them do no harm and are seen.
class Guarded {
 public:
  explicit Guarded(std::size_t count, std::size_t guard = kGuard);
  std::span<double> values() { return {memory_.data() + guard_, memory_.size() - 2 * guard_}; }
  /// How many values of the guards are not what they were.
  int written() const;
  /// Gives all values of the guards new bits.
  void fill_guards(std::uint64_t bits);

 private:
  std::size_t guard_;
  std::uint64_t bits_;
  std::vector<double> memory_;
};

/// The state of a patch before and after a step. Views have kSpareLayers more than declared.
class PatchStep {
 public:
  /// A value for each point of a view, spare layers included, in the patch's own indices.
  using Values = std::function<double(int i, int j, int component)>;

  Guarded before_values;
  Guarded after_values;
  Guarded coefficient_values;
  Guarded flux_values;
  Guarded rate_values;

  PatchStep(const Subject& subject, const Place& place, const Values& values, int components,
            std::size_t guard = kGuard);
  PatchStep(const Subject& subject, const Place& place, const Values& values)
      : PatchStep(subject, place, values, subject.patch_components()) {}

  /// Sets the ghosts of layer `first` and beyond, all components; 1 is next to the interior.
  void poison(int first, double poison);

  /// Fills the coefficients; returns the CFL number, the state's included.
  double prepare(const amr::Case& problem, double dt);
  /// Prepares for a step from another time and of another length, and rescales to the step that
  /// prepare() is for; returns the CFL number.
  double rescale(const amr::Case& problem, double other_time, double other_dt, double dt);
  /// Prepares with the step at which the CFL number is `target` to nine digits and not above it;
  /// returns the step. Throws std::runtime_error when there is none.
  double prepare_for(const amr::Case& problem, double target);
  void advance() { subject_.solver->advance(before(), coefficients(), after()); }
  void advance_with_fluxes() {
    subject_.solver->advance_with_fluxes(before(), coefficients(), after(), fluxes());
  }
  /// A list of this patch, with fluxes if the solver has any.
  void advance_list();
  void find_rates(const amr::PointRange& range) {
    subject_.solver->tendency(before(), coefficients(), range, rates());
  }

  amr::PatchView before() { return {before_values.values().data(), components_, layers_}; }
  amr::PatchView after() { return {after_values.values().data(), components_, layers_}; }
  amr::FaceFluxes fluxes() { return {flux_values.values().data(), components_}; }
  amr::PatchView rates() { return {rate_values.values().data(), components_, layers_}; }
  std::span<const double> coefficients() { return coefficient_values.values(); }
  int components() const { return components_; }
  int layers() const { return layers_; }

  /// Everything that a solver computes from the patch, for comparing bits: advance(), and by its
  /// traits advance_with_fluxes() and tendency().
  std::vector<double> outputs();

 private:
  const Subject& subject_;
  Place place_;
  int components_;
  int layers_;
};

/// Room for the coefficients of one patch between guards that hold as many values as any solver may
/// declare, for calls of prepare() that are not known to keep within it.
Guarded roomy_coefficients(const Subject& subject);

/// Calls prepare() alone, with a step that is short in all flows here; returns the CFL number.
double prepare_short_step(const Subject& subject, const Place& place, const amr::Case& problem,
                          Guarded& coefficients);

/// The range that tendencies are asked for at most.
inline constexpr amr::PointRange kTendencyRange = {
    -amr::kTendencyGhosts, amr::kPatchSize + amr::kTendencyGhosts, -amr::kTendencyGhosts,
    amr::kPatchSize + amr::kTendencyGhosts};

/// Calls visit(i, j, component, value) at every point of a view's interior and of so many layers.
template <class Visit>
void for_view(amr::PatchView view, int layers, Visit visit) {
  for (int component = 0; component < view.components(); ++component) {
    for (int j = -layers; j < amr::kPatchSize + layers; ++j) {
      for (int i = -layers; i < amr::kPatchSize + layers; ++i) {
        visit(i, j, component, view(i, j, component));
      }
    }
  }
}

/// Values between the guards that tell a NaN from another.
bool same_bits(std::span<const double> a, std::span<const double> b);

/// Noise in the range that the solver can be given.
PatchStep::Values rough_values(const Subject& subject);
/// A wave some ten points long.
PatchStep::Values smooth_values(const Subject& subject);

/// Appends the values of a view's interior and of so many layers, of every component.
void append(amr::PatchView view, int layers, std::vector<double>& values);

/// The largest |a(i, j) - b(map(i, j))| over interior points and components; infinite where one of
/// them is NaN.
double largest_difference(amr::PatchView a, amr::PatchView b,
                          const std::function<std::array<int, 2>(int, int)>& map);

}  // namespace kumiko::plugin::conformance
