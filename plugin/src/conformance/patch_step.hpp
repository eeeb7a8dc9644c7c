// One patch and everything that a solver reads and writes for a step of it, between guards.
#pragma once

#include <array>
#include <cstddef>
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
  double spacing() const { return spacing_; }
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

/// Values between two guards, so that writes beyond them do no harm and are seen.
class Guarded {
 public:
  explicit Guarded(std::size_t count);
  std::span<double> values() { return {memory_.data() + kGuard, memory_.size() - 2 * kGuard}; }
  std::span<const double> values() const {
    return {memory_.data() + kGuard, memory_.size() - 2 * kGuard};
  }
  double* data() { return values().data(); }
  const double* data() const { return values().data(); }
  /// How many values of the guards are not what they were.
  int written() const;

 private:
  static constexpr std::size_t kGuard = 1024;
  std::vector<double> memory_;
};

/// The state of a patch before and after a step. Views have kSpareLayers more than declared.
class PatchStep {
 public:
  /// A value for each point of a view, spare layers included, in the patch's own indices.
  using Values = std::function<double(int i, int j, int component)>;

  PatchStep(const Subject& subject, const Place& place, int components);
  PatchStep(const Subject& subject, const Place& place);

  void fill(const Values& values);
  /// Sets the ghosts of layer `first` and beyond, all components; 1 is next to the interior.
  void poison(int first, double poison);

  /// Fills the coefficients; returns the CFL number, the state's included.
  double prepare(const amr::Case& problem, double dt) {
    return prepare(*subject_.solver, problem, dt);
  }
  double prepare(const amr::Solver& solver, const amr::Case& problem, double dt);
  /// Prepares with the step at which the CFL number is `target` to nine digits and not above it;
  /// returns the step. Throws std::runtime_error when there is none.
  double prepare_for(const amr::Case& problem, double target);
  void advance() { advance(*subject_.solver); }
  void advance(const amr::Solver& solver);

  amr::PatchView before() { return {before_.data(), components_, layers_}; }
  amr::ConstPatchView before() const { return {before_.data(), components_, layers_}; }
  amr::PatchView after() { return {after_.data(), components_, layers_}; }
  amr::ConstPatchView after() const { return {after_.data(), components_, layers_}; }
  amr::FaceFluxes fluxes() { return {fluxes_.data(), components_}; }
  amr::PatchView rates() { return {rates_.data(), components_, layers_}; }
  std::span<const double> coefficients() const { return coefficients_.values(); }
  int components() const { return components_; }
  int layers() const { return layers_; }

  /// Everything that a solver computes from the patch, for comparing bits: advance(), and by its
  /// traits advance_with_fluxes() and tendency().
  std::vector<double> outputs() { return outputs(*subject_.solver); }
  std::vector<double> outputs(const amr::Solver& solver);

  Guarded& before_values() { return before_; }
  Guarded& after_values() { return after_; }
  const Guarded& after_values() const { return after_; }
  Guarded& coefficient_values() { return coefficients_; }
  Guarded& flux_values() { return fluxes_; }
  const Guarded& flux_values() const { return fluxes_; }
  Guarded& rate_values() { return rates_; }

 private:
  const Subject& subject_;
  Place place_;
  int components_;
  int layers_;
  Guarded before_;
  Guarded after_;
  Guarded coefficients_;
  Guarded fluxes_;
  Guarded rates_;
};

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

/// Appends the interior of every component.
void append_interior(amr::ConstPatchView view, std::vector<double>& values);

/// The largest |a(i, j) - b(map(i, j))| over interior points and components; infinite where one of
/// them is NaN.
double largest_difference(amr::ConstPatchView a, amr::ConstPatchView b,
                          const std::function<std::array<int, 2>(int, int)>& map);

}  // namespace kumiko::plugin::conformance
