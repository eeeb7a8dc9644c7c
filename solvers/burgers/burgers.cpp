// Burgers' equation without viscosity: what moves sets its own speed, and shocks form.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include <kumiko/plugin/patch_fluxes.hpp>
#include <kumiko/plugin/plugin.hpp>

#include "limiters.hpp"
#include "scratch.hpp"

namespace kumiko::solvers {

namespace {

using namespace amr;
using namespace flux_form;

/// Layers of ghosts that the first stage computes, and that a stage reads beyond what it computes.
constexpr int kMargin = 2;
constexpr int kReach = 2;

/// Layout of a patch's coefficients.
constexpr std::size_t kSpacing = 0;
constexpr std::size_t kRatio = 1;  ///< Δt/h
constexpr std::size_t kCoefficients = 2;

// A stage computes faces of one layer of cells more.
using Scratch = flux_form::Scratch<kMargin + 1>;
/// × Δt/h.
using Fluxes = flux_form::StageFluxes<kMargin + 1>;

/// Godunov's flux × 2 between two values: of a convex flux function, the larger of what the lower
/// side sends up and the upper side sends down.
double godunov(double below, double above) {
  const double up = 0.5 * (below + std::abs(below));    // without rounding: below or 0
  const double down = 0.5 * (above - std::abs(above));  // above or 0
  return limiters::larger(up * up, down * down);
}

/// Fluxes through the lower faces of a range of cells.
/// \param step  from a cell to the next across the face, in u; `jump` the same in rows
template <limiters::Slope kSlope>
void face_fluxes(Cells u, std::ptrdiff_t step, std::pair<int, int> jump, double ratio,
                 const PointRange& faces, Scratch& fluxes) {
  Scratch slopes;
  const auto [di, dj] = jump;
  for (int j = faces.j0 - dj; j < faces.j1; ++j) {
    const double* const cell = u.row(j);
    double* const slope = slopes.row(j);
    for (int i = faces.i0 - di; i < faces.i1; ++i) {
      slope[i] = kSlope(cell[i] - cell[i - step], cell[i + step] - cell[i]);
    }
  }
  for (int j = faces.j0; j < faces.j1; ++j) {
    const double* const cell = u.row(j);
    const double* const slope = slopes.row(j);
    const double* const slope_below = slopes.row(j - dj) - di;
    double* const flux = fluxes.row(j);
    for (int i = faces.i0; i < faces.i1; ++i) {
      const double below = cell[i - step] + 0.5 * slope_below[i];
      const double above = cell[i] - 0.5 * slope[i];
      flux[i] = 0.5 * ratio * godunov(below, above);
    }
  }
}

/// From the cells of u within two layers around a range, for the faces of its cells.
template <limiters::Slope kSlope>
void stage_fluxes(Cells u, double ratio, const PointRange& cells, Fluxes& fluxes) {
  const auto [i0, i1, j0, j1] = cells;
  face_fluxes<kSlope>(u, 1, {1, 0}, ratio, {i0, i1 + 1, j0, j1}, fluxes.x);
  face_fluxes<kSlope>(u, u.stride, {0, 1}, ratio, {i0, i1, j0, j1 + 1}, fluxes.y);
}

using StageFunction = void (*)(Cells, double, const PointRange&, Fluxes&);

const std::vector<std::string> kLimiters = {"minmod", "van_leer", "monotonized_central",
                                            "superbee"};
constexpr std::array<StageFunction, 4> kLimitedFluxes = {
    stage_fluxes<limiters::minmod>, stage_fluxes<limiters::van_leer>,
    stage_fluxes<limiters::monotonized_central>, stage_fluxes<limiters::superbee>};

/// ∂u/∂t + ∂(u²/2)/∂x + ∂(u²/2)/∂y = 0 for cell averages, each component by itself; the case's
/// velocity is not used. Cells have limited slopes (van Leer 1979, J. Comput. Phys. 32), faces
/// Godunov's flux, which lets no rarefaction shock pass (Godunov 1959); in time, SSP-RK2 (Shu &
/// Osher 1988, J. Comput. Phys. 77), whose stages read two layers of ghosts each, so that four
/// serve one step without an exchange. Second order where u is smooth and has no extremum.
///
/// CFL number: the largest 2 |u| Δt/h, the sum over both axes. Up to the limit of 0.5 no value
/// leaves the range of those around it, whatever the limiter.
class Burgers final : public Solver {
 public:
  static Description describe() {
    return {"burgers",
            "Burgers' equation for cell averages, second order with shocks",
            {choice("limiter", kLimiters, "van_leer",
                    "what keeps the slopes of cells from overshooting")}};
  }

  explicit Burgers(const ParameterSet& parameters)
      : traits_{.centring = Centring::kCell,
                .ghosts = kMargin + kReach,
                .cfl_limit = 0.5,
                .order = 2.0,
                .flux_form = true,
                .tendency = true,
                .nonlinear = true},
        fluxes_(kLimitedFluxes[parameters.choice("limiter", kLimiters)]) {}

  const SolverTraits& traits() const override { return traits_; }
  Equation equation() const override { return {"burgers"}; }
  std::size_t coefficients() const override { return kCoefficients; }

  double prepare(const Case&, const PatchPoints& patch, double, double dt,
                 std::span<double> coefficients) const override {
    coefficients[kSpacing] = patch.spacing;
    coefficients[kRatio] = dt / patch.spacing;
    return 0.0;  // the speeds are those of the state
  }

  double state_cfl(ConstPatchView state, std::span<const double> coefficients) const override {
    std::array<double, kPatchSize> largest{};  // of each column
    std::array<double, kPatchSize> broken{};   // 0, or not a number if a value is not finite
    for (int component = 0; component < state.components(); ++component) {
      for (int j = 0; j < kPatchSize; ++j) {
        const double* const row = state.origin(component) + j * state.stride();
        for (std::size_t i = 0; i < kPatchSize; ++i) {
          const double speed = std::abs(row[i]);
          largest[i] = speed > largest[i] ? speed : largest[i];
          broken[i] += 0.0 * speed;
        }
      }
    }
    const double most = *std::max_element(largest.begin(), largest.end());
    return std::accumulate(broken.begin(), broken.end(), 2.0 * most * coefficients[kRatio]);
  }

  void advance(ConstPatchView before, std::span<const double> coefficients,
               PatchView after) const override {
    for (int component = 0; component < before.components(); ++component) {
      step(before, coefficients[kRatio], component, after);
    }
  }

  void advance_with_fluxes(ConstPatchView before, std::span<const double> coefficients,
                           PatchView after, FaceFluxes fluxes) const override {
    for (int component = 0; component < before.components(); ++component) {
      const plugin::PatchFluxes total = step(before, coefficients[kRatio], component, after);
      total.store(coefficients[kSpacing], component, fluxes);
    }
  }

  void tendency(ConstPatchView state, std::span<const double> coefficients, const PointRange& range,
                PatchView tendency) const override {
    for (int component = 0; component < state.components(); ++component) {
      Fluxes fluxes;
      fluxes_(cells_of(state, component), coefficients[kRatio], range, fluxes);
      for_cells(range, [&](int i, int j) { tendency(i, j, component) = fluxes.gain(i, j); });
    }
  }

 private:
  /// One step of SSP-RK2; returns its fluxes, (F₁ + F₂) / 2.
  plugin::PatchFluxes step(ConstPatchView before, double ratio, int component,
                           PatchView after) const {
    const Cells start = cells_of(before, component);
    Fluxes first;
    fluxes_(start, ratio, cells_within(kMargin), first);
    Scratch predicted;
    for_cells(cells_within(kMargin),
              [&](int i, int j) { predicted.row(j)[i] = start.row(j)[i] + first.gain(i, j); });
    Fluxes second;
    fluxes_(predicted.cells(), ratio, cells_within(0), second);
    const plugin::PatchFluxes total(
        [&](int i, int j) { return 0.5 * (first.x.row(j)[i] + second.x.row(j)[i]); },
        [&](int i, int j) { return 0.5 * (first.y.row(j)[i] + second.y.row(j)[i]); });
    total.add_to(before, component, after);
    return total;
  }

  SolverTraits traits_;
  StageFunction fluxes_;
};

}  // namespace

}  // namespace kumiko::solvers

KUMIKO_PLUGIN(kumiko::solvers::Burgers)
