// Conservative advection of cell averages, third order in space and time.
#include <algorithm>
#include <array>
#include <cmath>

#include <kumiko/amr/instruction_set.hpp>
#include <kumiko/plugin/face_velocities.hpp>
#include <kumiko/plugin/patch_fluxes.hpp>
#include <kumiko/plugin/plugin.hpp>

#include "kernel.hpp"
#include "scratch.hpp"

namespace kumiko::solvers {

namespace {

using namespace amr;
using namespace flux_form;

using upwind3::kGhosts;
using upwind3::kMargins;
using upwind3::kStages;

/// Layout of a patch's coefficients: the spacing, what kind of flow the faces' values are of, the
/// stages' scales and the CFL number of the values of a separable flow; then the Courant numbers of
/// the faces at the stages' times t, t + Δt, t + Δt/2. A steady flow uses the first of them only; a
/// separable one too, for its field.
constexpr std::size_t kSpacing = 0;
constexpr std::size_t kFlow = 1;
constexpr std::size_t kScales = 2;
constexpr std::size_t kCfl = kScales + kStages;
constexpr std::array<std::size_t, kStages> kVelocities = {
    kCfl + 1, kCfl + 1 + plugin::face_values(kMargins[0]),
    kCfl + 1 + plugin::face_values(kMargins[0]) + plugin::face_values(kMargins[1])};
constexpr std::size_t kCoefficients = kVelocities[2] + plugin::face_values(kMargins[2]);

constexpr double kSteady = 0.0;
constexpr double kUnsteady = 1.0;
constexpr double kSeparable = 2.0;

using Scratch = flux_form::Scratch<kMargins[0] + 1>;

/// Means of u over faces: the upwind quadratic's, on differences, so that constants are kept.
/// \param step  from a cell to the next across the face
void upwind_means(Cells u, std::ptrdiff_t step, plugin::Faces v, const PointRange& range,
                  Scratch& means) {
  for (int j = range.j0; j < range.j1; ++j) {
    const double* const cell = u.row(j);
    const double* const velocity = v.origin + j * v.stride;
    double* const out = means.row(j);
    for (int i = range.i0; i < range.i1; ++i) {
      const double below = cell[i - step];
      const double above = cell[i];
      const double jump = above - below;
      const double from_below = below + (1.0 / 6.0) * (2.0 * jump + (below - cell[i - 2 * step]));
      const double from_above = above - (1.0 / 6.0) * (2.0 * jump + (cell[i + step] - above));
      out[i] = velocity[i] >= 0.0 ? from_below : from_above;
    }
  }
}

/// Mean fluxes through faces, as Courant numbers × u.
/// \param along, along_v  from a face to the next along it, in `means` and in v
void mean_fluxes(const Scratch& means, std::ptrdiff_t along, plugin::Faces v,
                 std::ptrdiff_t along_v, const PointRange& range, Scratch& fluxes) {
  for (int j = range.j0; j < range.j1; ++j) {
    const double* const u = means.row(j);
    const double* const velocity = v.origin + j * v.stride;
    double* const out = fluxes.row(j);
    for (int i = range.i0; i < range.i1; ++i) {
      const double shear = velocity[i + along_v] - velocity[i - along_v];
      out[i] = velocity[i] * u[i] + (1.0 / 48.0) * (shear * (u[i + along] - u[i - along]));
    }
  }
}

/// The fluxes of this moment, for the faces of a range of cells, from cells within two layers
/// around it. The kernel does the same for a whole stage.
struct MomentFluxes : flux_form::StageFluxes<kMargins[0] + 1> {
  MomentFluxes(Cells u, plugin::Faces vx, plugin::Faces vy, const PointRange& cells) {
    const auto [i0, i1, j0, j1] = cells;
    Scratch means;
    upwind_means(u, 1, vx, {i0, i1 + 1, j0 - 1, j1 + 1}, means);
    mean_fluxes(means, Scratch::kStride, vx, vx.stride, {i0, i1 + 1, j0, j1}, x);
    upwind_means(u, u.stride, vy, {i0 - 1, i1 + 1, j0, j1 + 1}, means);
    mean_fluxes(means, 1, vy, 1, {i0, i1, j0, j1 + 1}, y);
  }
};

/// ∂u/∂t + ∇·(v u) = 0 for cell averages u. A face's average of u is the upwind-biased quadratic's
/// (κ = 1/3: van Leer 1977, J. Comput. Phys. 23): (-u₋₁ + 5u₀ + 2u₁) / 6 for flow from cell 0 to
/// cell 1. A face's mean flux is the product of the means of v and u plus h²/12 ∂v/∂s ∂u/∂s along
/// the face (McCorquodale & Colella 2011, Commun. Appl. Math. Comput. Sci. 6). In time, SSP-RK3
/// (Shu & Osher 1988, J. Comput. Phys. 77); each stage reads two more layers, so that six ghost
/// layers serve one step without an exchange. No limiter: it overshoots at jumps.
///
/// The mean normal velocities of faces come from the case's stream function: constants stay to
/// round-off then, except at coarse–fine boundaries of an unsteady flow, where they change by the
/// fourth power of the step over a run. Without one they come from the velocity, by Gauss's rule
/// with two points a face.
///
/// CFL number: the largest |v_x| Δt/h plus the largest |v_y| Δt/h at a cell's faces; von Neumann's
/// analysis gives stability up to 1.626, the limit is 1.5. A wall lets nothing through where the
/// normal velocity on it is 0. Cost: about 40 flops per cell and stage, on 24², 20² and 16² cells.
class FiniteVolumeUpwind3 final : public Solver {
 public:
  static Description describe() {
    return {"finite_volume_upwind3", "conservative third-order advection of cell averages", {}};
  }

  explicit FiniteVolumeUpwind3(const ParameterSet&)
      : traits_{.centring = Centring::kCell,
                .ghosts = kGhosts,
                .cfl_limit = 1.5,
                .order = 3.0,
                .flux_form = true,
                .tendency = true,
                .rescales = true},
        kernel_(amr::select(&upwind3::step_baseline, &upwind3::step_avx2, &upwind3::step_avx512)) {}

  const SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return kCoefficients; }

  double prepare(const Case& problem, const PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    coefficients[kSpacing] = patch.spacing;
    const double unit_time = problem.unit_factor_time();
    const auto fill = [&](int stage, double at, double step) {
      const int margin = kMargins[stage];
      const std::span<double> velocities = coefficients.subspan(
          kVelocities[static_cast<std::size_t>(stage)], plugin::face_values(margin));
      plugin::fill_face_velocities(problem, patch, at, step, margin, velocities);
      return plugin::cfl_number(velocities, margin);
    };
    if (problem.steady_velocity()) {
      coefficients[kFlow] = kSteady;
      return fill(0, time, dt);
    }
    if (problem.velocity_factor(unit_time)) {
      coefficients[kFlow] = kSeparable;
      coefficients[kCfl] = fill(0, unit_time, 1.0);
      return rescale(problem, time, dt, coefficients);
    }
    coefficients[kFlow] = kUnsteady;
    double largest = 0.0;
    for (int stage = 0; stage < kStages; ++stage) {
      const double cfl = fill(stage, stage_time(stage, time, dt), dt);
      if (std::isnan(cfl)) return cfl;
      largest = std::max(largest, cfl);
    }
    return largest;
  }

  double rescale(const Case& problem, double time, double dt,
                 std::span<double> coefficients) const override {
    double largest = 0.0;
    for (int stage = 0; stage < kStages; ++stage) {
      const double scale = plugin::velocity_factor_at(problem, stage_time(stage, time, dt)) * dt;
      coefficients[kScales + static_cast<std::size_t>(stage)] = scale;
      largest = std::max(largest, std::abs(scale) * coefficients[kCfl]);
    }
    return std::isnan(coefficients[kCfl]) ? coefficients[kCfl] : largest;
  }

  void advance(ConstPatchView before, std::span<const double> coefficients,
               PatchView after) const override {
    flux_form::Fluxes fluxes;
    for (int component = 0; component < before.components(); ++component) {
      kernel_(step_of(before, coefficients, component, after, fluxes));
    }
  }

  void advance_with_fluxes(ConstPatchView before, std::span<const double> coefficients,
                           PatchView after, FaceFluxes to) const override {
    flux_form::Fluxes fluxes;
    for (int component = 0; component < before.components(); ++component) {
      kernel_(step_of(before, coefficients, component, after, fluxes));
      plugin::store_fluxes([&](int i, int j) { return fluxes.x.row(j)[i]; },
                           [&](int i, int j) { return fluxes.y.row(j)[i]; }, coefficients[kSpacing],
                           component, to);
    }
  }

  void tendency(ConstPatchView state, std::span<const double> coefficients, const PointRange& range,
                PatchView tendency) const override {
    constexpr int kMargin = kMargins[0];
    const double* velocities = &coefficients[kVelocities[0]];
    std::array<double, plugin::face_values(kMargin)> courant;
    if (coefficients[kFlow] == kSeparable) {
      for (std::size_t at = 0; at < courant.size(); ++at) {
        courant[at] = coefficients[kScales] * velocities[at];
      }
      velocities = courant.data();
    }
    for (int component = 0; component < state.components(); ++component) {
      const MomentFluxes fluxes(cells_of(state, component), plugin::faces_x(velocities, kMargin),
                                plugin::faces_y(velocities, kMargin), range);
      for_cells(range, [&](int i, int j) { tendency(i, j, component) = fluxes.gain(i, j); });
    }
  }

 private:
  static double stage_time(int stage, double time, double dt) {
    constexpr std::array<double, kStages> kTimes = {0.0, 1.0, 0.5};
    return time + kTimes[static_cast<std::size_t>(stage)] * dt;
  }

  static upwind3::Step step_of(ConstPatchView before, std::span<const double> coefficients,
                               int component, PatchView after, flux_form::Fluxes& fluxes) {
    upwind3::Step step{before.origin(component), before.stride(), {},
                       after.origin(component),  after.stride(),  &fluxes};
    const bool is_scaled = coefficients[kFlow] == kSeparable;
    for (std::size_t stage = 0; stage < kStages; ++stage) {
      const std::size_t set = coefficients[kFlow] == kUnsteady ? stage : 0;
      const double* const velocities = &coefficients[kVelocities[set]];
      const plugin::Faces x = plugin::faces_x(velocities, kMargins[set]);
      const plugin::Faces y = plugin::faces_y(velocities, kMargins[set]);
      step.faces[stage] = {x.origin, x.stride,  y.origin,
                           y.stride, is_scaled, is_scaled ? coefficients[kScales + stage] : 1.0};
    }
    return step;
  }

  SolverTraits traits_;
  upwind3::Kernel kernel_;
};

}  // namespace

}  // namespace kumiko::solvers

KUMIKO_PLUGIN(kumiko::solvers::FiniteVolumeUpwind3)
