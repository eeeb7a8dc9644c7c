#include "flux_form_step.hpp"

#include <kumiko/plugin/face_velocities.hpp>
#include <kumiko/plugin/patch_fluxes.hpp>

#include "upwind_mean.hpp"

namespace kumiko::solvers::flux_form {

namespace {

/// Below this, new values count as 0: soon they would cost the processor's detour for denormals.
constexpr double kNegligible = 1e-200;

}  // namespace

FluxFormSolver::FluxFormSolver(int ghosts, double order, bool has_tendency) {
  traits_.centring = amr::Centring::kCell;
  traits_.ghosts = ghosts;
  traits_.cfl_limit = 1.0;
  traits_.order = order;
  traits_.flux_form = true;
  traits_.tendency = has_tendency;
}

std::size_t FluxFormSolver::coefficients() const { return 1 + plugin::face_values(traits_.ghosts); }

double FluxFormSolver::prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time,
                               double dt, std::span<double> coefficients) const {
  const std::span<double> velocities = coefficients.subspan(1);
  coefficients[0] = patch.spacing;
  plugin::fill_face_velocities(problem, patch, time + 0.5 * dt, dt, traits_.ghosts, velocities);
  return plugin::cfl_number(velocities, traits_.ghosts);
}

Step FluxFormSolver::step_of(amr::ConstPatchView before, std::span<const double> coefficients,
                             int component, amr::PatchView after, Fluxes& fluxes) const {
  const plugin::Faces vx = plugin::faces_x(&coefficients[1], traits_.ghosts);
  const plugin::Faces vy = plugin::faces_y(&coefficients[1], traits_.ghosts);
  return {before.origin(component), before.stride(), vx.origin,   vx.stride, vy.origin, vy.stride,
          after.origin(component),  after.stride(),  kNegligible, &fluxes};
}

void FluxFormSolver::advance(amr::ConstPatchView before, std::span<const double> coefficients,
                             amr::PatchView after) const {
  Fluxes fluxes;
  for (int component = 0; component < before.components(); ++component) {
    advance_component(step_of(before, coefficients, component, after, fluxes));
  }
}

void FluxFormSolver::advance_with_fluxes(amr::ConstPatchView before,
                                         std::span<const double> coefficients, amr::PatchView after,
                                         amr::FaceFluxes to) const {
  Fluxes fluxes;
  for (int component = 0; component < before.components(); ++component) {
    advance_component(step_of(before, coefficients, component, after, fluxes));
    plugin::store_fluxes([&](int i, int j) { return fluxes.x.row(j)[i]; },
                         [&](int i, int j) { return fluxes.y.row(j)[i]; }, coefficients[0],
                         component, to);
  }
}

void upwind_tendency(amr::ConstPatchView state, std::span<const double> coefficients, int margin,
                     const amr::PointRange& range, amr::PatchView tendency) {
  const plugin::Faces vx = plugin::faces_x(&coefficients[1], margin);
  const plugin::Faces vy = plugin::faces_y(&coefficients[1], margin);
  const auto flux = [](double v, const double* u, std::ptrdiff_t step) {
    return v * upwind_mean<3>(u, step, v, 0.0);
  };
  for (int component = 0; component < state.components(); ++component) {
    const std::ptrdiff_t up = state.stride();
    for (int j = range.j0; j < range.j1; ++j) {
      const double* const u = state.origin(component) + j * up;
      const double* const x = vx.origin + j * vx.stride;
      const double* const y = vy.origin + j * vy.stride;
      for (int i = range.i0; i < range.i1; ++i) {
        tendency(i, j, component) =
            (flux(x[i], u + i, 1) - flux(x[i + 1], u + i + 1, 1)) +
            (flux(y[i], u + i, up) - flux(y[i + vy.stride], u + i + up, up));
      }
    }
  }
}

}  // namespace kumiko::solvers::flux_form
