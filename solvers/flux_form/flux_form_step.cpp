#include "flux_form_step.hpp"

#include <kumiko/plugin/patch_fluxes.hpp>

#include "upwind_mean.hpp"

namespace kumiko::solvers::flux_form {

double prepare_step(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                    int margin, std::span<double> coefficients) {
  const std::span<double> velocities = coefficients.subspan(1, plugin::face_values(margin));
  coefficients[0] = patch.spacing;
  plugin::fill_face_velocities(problem, patch, time + 0.5 * dt, dt, margin, velocities);
  return plugin::cfl_number(velocities, margin);
}

Step step_of(amr::ConstPatchView before, std::span<const double> coefficients, int margin,
             int component, amr::PatchView after, Fluxes& fluxes, double negligible) {
  const plugin::Faces vx = plugin::faces_x(&coefficients[1], margin);
  const plugin::Faces vy = plugin::faces_y(&coefficients[1], margin);
  return {before.origin(component), before.stride(), vx.origin,  vx.stride, vy.origin, vy.stride,
          after.origin(component),  after.stride(),  negligible, &fluxes};
}

void copy_lines(const Fluxes& from, double spacing, int component, amr::FaceFluxes to) {
  plugin::store_fluxes([&](int i, int j) { return from.x.row(j)[i]; },
                       [&](int i, int j) { return from.y.row(j)[i]; }, spacing, component, to);
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
