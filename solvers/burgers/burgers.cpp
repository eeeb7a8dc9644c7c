// Burgers' equation without viscosity: what moves sets its own speed, and shocks form.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/core.h>

#include <kumiko/plugin/patch_fluxes.hpp>
#include <kumiko/plugin/plugin.hpp>

#include "limiters.hpp"

namespace kumiko::solvers {

namespace {

using amr::ConstPatchView;
using amr::kPatchSize;
using amr::PatchView;
using amr::PointRange;

/// Layers of ghosts that the first stage computes, and that a stage reads beyond what it computes.
constexpr int kMargin = 2;
constexpr int kReach = 2;

/// Layout of a patch's coefficients.
constexpr std::size_t kSpacing = 0;
constexpr std::size_t kRatio = 1;  ///< Δt/h
constexpr std::size_t kCoefficients = 2;

/// Values of cells or faces -3 .. 18 each way.
class Scratch {
 public:
  static constexpr std::ptrdiff_t kStride = kPatchSize + 2 * (kMargin + 1);
  double* row(int j) { return values_.data() + (j + kMargin + 1) * kStride + kMargin + 1; }
  const double* row(int j) const {
    return values_.data() + (j + kMargin + 1) * kStride + kMargin + 1;
  }

 private:
  std::array<double, static_cast<std::size_t>(kStride* kStride)> values_;
};

struct Cells {
  const double* origin;
  std::ptrdiff_t stride;

  const double* row(int j) const { return origin + j * stride; }
};

/// Fluxes × Δt/h of one stage: face (i, j) is the lower one of cell (i, j).
struct StageFluxes {
  Scratch x;
  Scratch y;

  double gain(int i, int j) const {
    return (x.row(j)[i] - x.row(j)[i + 1]) + (y.row(j)[i] - y.row(j + 1)[i]);
  }
};

/// Godunov's flux × 2 between two values: of a convex flux function, the larger of what the lower
/// side sends up and the upper side sends down.
double godunov(double below, double above) {
  const double up = 0.5 * (below + std::abs(below));    // without rounding: below or 0
  const double down = 0.5 * (above - std::abs(above));  // above or 0
  return limiters::larger(up * up, down * down);
}

/// Fluxes through the lower faces of a range of cells.
/// \param step  from a cell to the next across the face, in u; `jump` the same in rows
template <class Limiter>
void face_fluxes(Cells u, std::ptrdiff_t step, std::pair<int, int> jump, double ratio,
                 const PointRange& faces, Scratch& fluxes) {
  Scratch slopes;
  const auto [di, dj] = jump;
  for (int j = faces.j0 - dj; j < faces.j1; ++j) {
    const double* const cell = u.row(j);
    double* const slope = slopes.row(j);
    for (int i = faces.i0 - di; i < faces.i1; ++i) {
      slope[i] = Limiter::slope(cell[i] - cell[i - step], cell[i + step] - cell[i]);
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
template <class Limiter>
void stage_fluxes(Cells u, double ratio, const PointRange& cells, StageFluxes& fluxes) {
  const auto [i0, i1, j0, j1] = cells;
  face_fluxes<Limiter>(u, 1, {1, 0}, ratio, {i0, i1 + 1, j0, j1}, fluxes.x);
  face_fluxes<Limiter>(u, u.stride, {0, 1}, ratio, {i0, i1, j0, j1 + 1}, fluxes.y);
}

using StageFunction = void (*)(Cells, double, const PointRange&, StageFluxes&);

struct NamedLimiter {
  const char* name;
  StageFunction fluxes;
};

constexpr std::array<NamedLimiter, 4> kLimiters = {
    {{"minmod", stage_fluxes<limiters::Minmod>},
     {"van_leer", stage_fluxes<limiters::VanLeer>},
     {"monotonized_central", stage_fluxes<limiters::MonotonizedCentral>},
     {"superbee", stage_fluxes<limiters::Superbee>}}};

StageFunction limited(const std::string& wanted) {
  for (const auto& [name, fluxes] : kLimiters) {
    if (wanted == name) return fluxes;
  }
  throw std::invalid_argument(fmt::format("limiter '{}' is unknown", wanted));
}

/// ∂u/∂t + ∂(u²/2)/∂x + ∂(u²/2)/∂y = 0 for cell averages, each component by itself; the case's
/// velocity is not used. Cells have limited slopes (van Leer 1979, J. Comput. Phys. 32), faces
/// Godunov's flux, which lets no rarefaction shock pass (Godunov 1959); in time, SSP-RK2 (Shu &
/// Osher 1988, J. Comput. Phys. 77), whose stages read two layers of ghosts each, so that four
/// serve one step without an exchange. Second order where u is smooth and has no extremum.
///
/// CFL number: the largest 2 |u| Δt/h, the sum over both axes. Up to the limit of 0.5 no value
/// leaves the range of those around it, whatever the limiter.
class Burgers final : public amr::Solver {
 public:
  static amr::Description describe() {
    amr::ParameterSpec limiter{"limiter", std::string("van_leer"),
                               "what keeps the slopes of cells from overshooting"};
    for (const auto& [name, fluxes] : kLimiters) limiter.choices.emplace_back(name);
    return {"burgers", "Burgers' equation for cell averages, second order with shocks", {limiter}};
  }

  explicit Burgers(const amr::ParameterSet& parameters)
      : fluxes_(limited(parameters.text("limiter"))) {
    traits_.centring = amr::Centring::kCell;
    traits_.ghosts = kMargin + kReach;
    traits_.cfl_limit = 0.5;
    traits_.order = 2.0;
    traits_.flux_form = true;
    traits_.tendency = true;
    traits_.nonlinear = true;
  }

  const amr::SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return kCoefficients; }

  double prepare(const amr::Case&, const amr::PatchPoints& patch, double, double dt,
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
                           PatchView after, amr::FaceFluxes fluxes) const override {
    for (int component = 0; component < before.components(); ++component) {
      const plugin::PatchFluxes total = step(before, coefficients[kRatio], component, after);
      total.store(coefficients[kSpacing], component, fluxes);
    }
  }

  void tendency(ConstPatchView state, std::span<const double> coefficients, const PointRange& range,
                PatchView tendency) const override {
    for (int component = 0; component < state.components(); ++component) {
      StageFluxes fluxes;
      fluxes_({state.origin(component), state.stride()}, coefficients[kRatio], range, fluxes);
      for (int j = range.j0; j < range.j1; ++j) {
        for (int i = range.i0; i < range.i1; ++i) tendency(i, j, component) = fluxes.gain(i, j);
      }
    }
  }

 private:
  /// One step of SSP-RK2; returns its fluxes, (F₁ + F₂) / 2.
  plugin::PatchFluxes step(ConstPatchView before, double ratio, int component,
                           PatchView after) const {
    const Cells start = {before.origin(component), before.stride()};
    StageFluxes first;
    fluxes_(start, ratio, {-kMargin, kPatchSize + kMargin, -kMargin, kPatchSize + kMargin}, first);
    Scratch predicted;
    for (int j = -kMargin; j < kPatchSize + kMargin; ++j) {
      for (int i = -kMargin; i < kPatchSize + kMargin; ++i) {
        predicted.row(j)[i] = start.row(j)[i] + first.gain(i, j);
      }
    }
    StageFluxes second;
    fluxes_({predicted.row(0), Scratch::kStride}, ratio, {0, kPatchSize, 0, kPatchSize}, second);
    const plugin::PatchFluxes total(
        [&](int i, int j) { return 0.5 * (first.x.row(j)[i] + second.x.row(j)[i]); },
        [&](int i, int j) { return 0.5 * (first.y.row(j)[i] + second.y.row(j)[i]); });
    total.add_to(before, component, after);
    return total;
  }

  amr::SolverTraits traits_;
  StageFunction fluxes_;
};

}  // namespace

}  // namespace kumiko::solvers

KUMIKO_PLUGIN(kumiko::solvers::Burgers)
