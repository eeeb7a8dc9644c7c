// Conservative advection of cell averages, third order in space and time.
#include <algorithm>
#include <array>
#include <cmath>

#include <kumiko/plugin/face_velocities.hpp>
#include <kumiko/plugin/patch_fluxes.hpp>
#include <kumiko/plugin/plugin.hpp>

#include "scratch.hpp"

namespace kumiko::solvers {

namespace {

using namespace amr;
using namespace flux_form;

constexpr int kStages = 3;
constexpr int kGhosts = 2 * kStages;
/// Layers of ghosts that a stage computes, and that its velocities are held for.
constexpr std::array<int, kStages> kMargins = {4, 2, 0};

/// Layout of a patch's coefficients: the spacing, whether the velocity is unsteady, then the face
/// velocities at the stages' times t, t + Δt, t + Δt/2; a steady run uses the first of them only.
constexpr std::size_t kSpacing = 0;
constexpr std::size_t kUnsteady = 1;
constexpr std::array<std::size_t, kStages> kVelocities = {
    2, 2 + plugin::face_values(kMargins[0]),
    2 + plugin::face_values(kMargins[0]) + plugin::face_values(kMargins[1])};
constexpr std::size_t kCoefficients = kVelocities[2] + plugin::face_values(kMargins[2]);

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

/// Fluxes of one stage, or of a whole step.
struct Fluxes : flux_form::StageFluxes<kMargins[0] + 1> {
  /// From the cells of `u` within two layers around `cells`, for the faces of `cells`.
  void compute(Cells u, plugin::Faces vx, plugin::Faces vy, const PointRange& cells) {
    const auto [i0, i1, j0, j1] = cells;
    Scratch means;
    upwind_means(u, 1, vx, {i0, i1 + 1, j0 - 1, j1 + 1}, means);
    mean_fluxes(means, Scratch::kStride, vx, vx.stride, {i0, i1 + 1, j0, j1}, x);
    upwind_means(u, u.stride, vy, {i0 - 1, i1 + 1, j0, j1 + 1}, means);
    mean_fluxes(means, 1, vy, 1, {i0, i1, j0, j1 + 1}, y);
  }

  /// Becomes scale × (this + weight × other) on the faces of the patch's interior.
  void add(const Fluxes& other, double weight, double scale) {
    const auto add_to = [=](Scratch& to, const Scratch& from, int width, int height) {
      for (int j = 0; j < height; ++j) {
        double* const sum = to.row(j);
        const double* const term = from.row(j);
        for (int i = 0; i < width; ++i) sum[i] = scale * (sum[i] + weight * term[i]);
      }
    };
    add_to(x, other.x, kPatchSize + 1, kPatchSize);
    add_to(y, other.y, kPatchSize, kPatchSize + 1);
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
                .tendency = true} {}

  const SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return kCoefficients; }

  double prepare(const Case& problem, const PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    constexpr std::array<double, kStages> kStageTimes = {0.0, 1.0, 0.5};
    const bool steady = problem.steady_velocity();
    coefficients[kSpacing] = patch.spacing;
    coefficients[kUnsteady] = steady ? 0.0 : 1.0;
    double largest = 0.0;
    for (std::size_t stage = 0; stage < (steady ? 1 : kStages); ++stage) {
      const int margin = kMargins[stage];
      const std::span<double> velocities =
          coefficients.subspan(kVelocities[stage], plugin::face_values(margin));
      plugin::fill_face_velocities(problem, patch, time + kStageTimes[stage] * dt, dt, margin,
                                   velocities);
      const double cfl = plugin::cfl_number(velocities, margin);
      if (std::isnan(cfl)) return cfl;
      largest = std::max(largest, cfl);
    }
    return largest;
  }

  void advance(ConstPatchView before, std::span<const double> coefficients,
               PatchView after) const override {
    for (int component = 0; component < before.components(); ++component) {
      step(before, coefficients, component, after);
    }
  }

  void advance_with_fluxes(ConstPatchView before, std::span<const double> coefficients,
                           PatchView after, FaceFluxes fluxes) const override {
    for (int component = 0; component < before.components(); ++component) {
      const Fluxes total = step(before, coefficients, component, after);
      const auto through = [](const Scratch& values) {
        return [&values](int i, int j) { return values.row(j)[i]; };
      };
      plugin::store_fluxes(through(total.x), through(total.y), coefficients[kSpacing], component,
                           fluxes);
    }
  }

  void tendency(ConstPatchView state, std::span<const double> coefficients, const PointRange& range,
                PatchView tendency) const override {
    for (int component = 0; component < state.components(); ++component) {
      Fluxes fluxes;
      stage_fluxes(0, cells_of(state, component), coefficients, range, fluxes);
      for_cells(range, [&](int i, int j) { tendency(i, j, component) = fluxes.gain(i, j); });
    }
  }

 private:
  static void stage_fluxes(std::size_t stage, Cells u, std::span<const double> coefficients,
                           const PointRange& range, Fluxes& fluxes) {
    const std::size_t set = coefficients[kUnsteady] == 0.0 ? 0 : stage;
    const double* const velocities = &coefficients[kVelocities[set]];
    fluxes.compute(u, plugin::faces_x(velocities, kMargins[set]),
                   plugin::faces_y(velocities, kMargins[set]), range);
  }

  /// One step of SSP-RK3; returns its fluxes, (F₁ + F₂ + 4F₃) / 6.
  static Fluxes step(ConstPatchView before, std::span<const double> coefficients, int component,
                     PatchView after) {
    const Cells start = cells_of(before, component);
    const auto at_start = [&](int i, int j) { return start.row(j)[i]; };
    Scratch state;
    const auto now = [&](int i, int j) -> double& { return state.row(j)[i]; };
    Fluxes fluxes;
    stage_fluxes(0, start, coefficients, cells_within(kMargins[0]), fluxes);
    Fluxes total = fluxes;
    for_cells(cells_within(kMargins[0]),
              [&](int i, int j) { now(i, j) = at_start(i, j) + fluxes.gain(i, j); });
    stage_fluxes(1, state.cells(), coefficients, cells_within(kMargins[1]), fluxes);
    total.add(fluxes, 1.0, 1.0);
    for_cells(cells_within(kMargins[1]), [&](int i, int j) {
      const double u = at_start(i, j);
      now(i, j) = u + 0.25 * ((now(i, j) - u) + fluxes.gain(i, j));
    });
    stage_fluxes(2, state.cells(), coefficients, cells_within(kMargins[2]), fluxes);
    total.add(fluxes, 4.0, 1.0 / 6.0);
    for_cells(cells_within(0),
              [&](int i, int j) { after(i, j, component) = at_start(i, j) + total.gain(i, j); });
    return total;
  }

  SolverTraits traits_;
};

}  // namespace

}  // namespace kumiko::solvers

KUMIKO_PLUGIN(kumiko::solvers::FiniteVolumeUpwind3)
