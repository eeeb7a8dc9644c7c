// What solvers that advance by one flux-form step of a kernel have in common.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include <kumiko/amr/solver.hpp>
#include <kumiko/plugin/face_velocities.hpp>
#include <kumiko/plugin/patch_fluxes.hpp>

#include "step.hpp"
#include "upwind_mean.hpp"

namespace kumiko::solvers::flux_form {

/// A conservative solver that advances each component by one step of a kernel, with the face
/// velocities of the middle of the step. A derived class says what that step is.
///
/// Coefficients of a patch: those of plugin::fill_face_flow(), in as many layers as the solver has
/// ghosts, MostGhosts at most. CFL number: plugin::cfl_number(); its limit is the donor cell's, 1.
template <int MostGhosts>
class FluxFormSolver : public amr::Solver {
 public:
  const amr::SolverTraits& traits() const final { return traits_; }
  std::size_t coefficients() const final { return plugin::face_flow_values(traits_.ghosts); }

  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const final {
    return plugin::fill_face_flow(problem, patch, time + 0.5 * dt, dt, traits_.ghosts,
                                  coefficients);
  }

  double rescale(const amr::Case& problem, double time, double dt,
                 std::span<double> coefficients) const final {
    return plugin::rescale_face_flow(problem, time + 0.5 * dt, dt, coefficients);
  }

  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const final {
    const Flow flow(coefficients, traits_.ghosts);
    Fluxes fluxes;
    for (int component = 0; component < before.components(); ++component) {
      advance_component(step_of(before, flow, component, after, fluxes));
    }
  }

  void advance_with_fluxes(amr::ConstPatchView before, std::span<const double> coefficients,
                           amr::PatchView after, amr::FaceFluxes to) const final {
    const Flow flow(coefficients, traits_.ghosts);
    Fluxes fluxes;
    for (int component = 0; component < before.components(); ++component) {
      advance_component(step_of(before, flow, component, after, fluxes));
      plugin::store_fluxes([&](int i, int j) { return fluxes.x.row(j)[i]; },
                           [&](int i, int j) { return fluxes.y.row(j)[i]; }, flow.spacing(),
                           component, to);
    }
  }

  /// By third-order fluxes of this moment (κ = 1/3: van Leer 1977, J. Comput. Phys. 23). Reads two
  /// layers around the range.
  void tendency(amr::ConstPatchView state, std::span<const double> coefficients,
                const amr::PointRange& range, amr::PatchView tendency) const final {
    const Flow flow(coefficients, traits_.ghosts);
    const plugin::Faces vx = flow.x();
    const plugin::Faces vy = flow.y();
    const auto flux = [](double v, const double* u, std::ptrdiff_t step) {
      return v * upwind_mean<3>(u, step, v, 0.0);
    };
    constexpr std::size_t kMostCells = amr::kPatchSize + 2 * amr::kTendencyGhosts;
    std::array<double, kMostCells + 1> across;  // the faces normal to x of a row
    std::array<double, kMostCells> below;       // those normal to y, on either side of it
    std::array<double, kMostCells> above;
    const auto width = static_cast<std::size_t>(range.i1 - range.i0);
    const std::ptrdiff_t up = state.stride();
    for (int component = 0; component < state.components(); ++component) {
      const auto fill = [&](int j, std::array<double, kMostCells>& fluxes) {
        const double* const u = state.origin(component) + j * up + range.i0;
        const double* const y = vy.origin + j * vy.stride + range.i0;
        for (std::size_t at = 0; at < width; ++at) fluxes[at] = flux(y[at], u + at, up);
      };
      fill(range.j0, below);
      for (int j = range.j0; j < range.j1; ++j) {
        const double* const u = state.origin(component) + j * up + range.i0;
        const double* const x = vx.origin + j * vx.stride + range.i0;
        for (std::size_t at = 0; at <= width; ++at) across[at] = flux(x[at], u + at, 1);
        fill(j + 1, above);
        double* const out = &tendency(range.i0, j, component);
        for (std::size_t at = 0; at < width; ++at) {
          out[at] = (across[at] - across[at + 1]) + (below[at] - above[at]);
        }
        std::swap(below, above);
      }
    }
  }

 protected:
  /// \param order, has_tendency  as in amr::SolverTraits
  FluxFormSolver(int ghosts, double order, bool has_tendency)
      : traits_{.centring = amr::Centring::kCell,
                .ghosts = ghosts,
                .cfl_limit = 1.0,
                .order = order,
                .flux_form = true,
                .tendency = has_tendency,
                .rescales = true} {}

 private:
  using Flow = plugin::FaceFlow<MostGhosts>;

  /// Below this, new values count as 0: what is computed from them would soon be below the normal
  /// numbers, which cost the processor a detour. 2⁶² times the least of these.
  static constexpr double kNegligible = 0x1p-960;

  /// Advances one component of one patch, and fills the fluxes.
  virtual void advance_component(Step step) const = 0;

  static Step step_of(amr::ConstPatchView before, const Flow& flow, int component,
                      amr::PatchView after, Fluxes& fluxes) {
    const plugin::Faces vx = flow.x();
    const plugin::Faces vy = flow.y();
    return {before.origin(component), before.stride(), vx.origin,   vx.stride, vy.origin, vy.stride,
            after.origin(component),  after.stride(),  kNegligible, &fluxes};
  }

  amr::SolverTraits traits_;
};

}  // namespace kumiko::solvers::flux_form
