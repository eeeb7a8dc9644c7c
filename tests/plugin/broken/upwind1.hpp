// A small solver that does all it says; the broken ones derive from it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <kumiko/amr/factory.hpp>
#include <kumiko/amr/solver.hpp>
#include <kumiko/plugin/face_velocities.hpp>

namespace kumiko::broken {

/// First-order upwind fluxes of cell averages, Euler steps. Constants stay, since face velocities
/// come from the case's stream function.
class Upwind1 : public amr::Solver {
 public:
  static amr::Description describe() {
    return {"upwind1", "first-order upwind fluxes of cell averages", {}};
  }

  explicit Upwind1(const amr::ParameterSet&) : Upwind1(describe()) {}

  const amr::SolverTraits& traits() const override { return traits_; }
  /// The spacing, then the faces' Courant numbers.
  std::size_t coefficients() const override { return 1 + plugin::face_values(kMargin); }

  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    const std::span<double> courant = coefficients.subspan(1);
    coefficients[0] = patch.spacing;
    plugin::fill_face_velocities(problem, patch, time, dt, kMargin, courant);
    return plugin::cfl_number(courant, kMargin);
  }

  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    for (int component = 0; component < before.components(); ++component) {
      for (int j = 0; j < amr::kPatchSize; ++j) {
        for (int i = 0; i < amr::kPatchSize; ++i) {
          after(i, j, component) =
              before(i, j, component) + gain(before, coefficients, i, j, component);
        }
      }
    }
  }

  void advance_with_fluxes(amr::ConstPatchView before, std::span<const double> coefficients,
                           amr::PatchView after, amr::FaceFluxes fluxes) const override {
    advance(before, coefficients, after);
    for (int component = 0; component < before.components(); ++component) {
      for (int line = 0; line < amr::FaceFluxes::kLines; ++line) {
        const int face = line * amr::kQuadrantSize;
        for (int k = 0; k < amr::kPatchSize; ++k) {
          fluxes.line(amr::FaceAxis::kX, line, component)[k] =
              coefficients[0] * flux_x(before, coefficients, face, k, component);
          fluxes.line(amr::FaceAxis::kY, line, component)[k] =
              coefficients[0] * flux_y(before, coefficients, k, face, component);
        }
      }
    }
  }

  void tendency(amr::ConstPatchView state, std::span<const double> coefficients,
                const amr::PointRange& range, amr::PatchView tendency) const override {
    for (int component = 0; component < state.components(); ++component) {
      for (int j = range.j0; j < range.j1; ++j) {
        for (int i = range.i0; i < range.i1; ++i) {
          tendency(i, j, component) = gain(state, coefficients, i, j, component);
        }
      }
    }
  }

 protected:
  explicit Upwind1(const amr::Description& description) {
    traits_.name = description.name;
    traits_.centring = amr::Centring::kCell;
    traits_.ghosts = amr::kTendencyGhosts + 1;
    traits_.cfl_limit = 1.0;
    traits_.order = 1.0;
    traits_.flux_form = true;
    traits_.tendency = true;
  }

  /// For those that change what advance() does, and nothing else.
  void give_up_fluxes_and_tendency() {
    traits_.flux_form = false;
    traits_.tendency = false;
  }

  amr::SolverTraits traits_;

 private:
  static constexpr int kMargin = amr::kTendencyGhosts;

  static double upwind(double courant, double below, double above) {
    return courant >= 0.0 ? courant * below : courant * above;
  }
  static double flux_x(amr::ConstPatchView u, std::span<const double> coefficients, int i, int j,
                       int component) {
    return upwind(plugin::faces_x(&coefficients[1], kMargin)(i, j), u(i - 1, j, component),
                  u(i, j, component));
  }
  static double flux_y(amr::ConstPatchView u, std::span<const double> coefficients, int i, int j,
                       int component) {
    return upwind(plugin::faces_y(&coefficients[1], kMargin)(i, j), u(i, j - 1, component),
                  u(i, j, component));
  }
  static double gain(amr::ConstPatchView u, std::span<const double> coefficients, int i, int j,
                     int component) {
    return (flux_x(u, coefficients, i, j, component) -
            flux_x(u, coefficients, i + 1, j, component)) +
           (flux_y(u, coefficients, i, j, component) -
            flux_y(u, coefficients, i, j + 1, component));
  }
};

}  // namespace kumiko::broken
