// A small nonlinear solver that does all it says.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include <kumiko/amr/factory.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::broken {

/// Burgers' equation, ∂u/∂t + ∂(u²/2)/∂x + ∂(u²/2)/∂y = 0, by Godunov's fluxes of first order.
class Burgers1 : public amr::Solver {
 public:
  static amr::Description describe() {
    return {"burgers1", "Burgers' equation by Godunov's fluxes", {}};
  }

  explicit Burgers1(const amr::ParameterSet&) : Burgers1(describe()) {}

  const amr::SolverTraits& traits() const override { return traits_; }
  /// The spacing, and the step over it.
  std::size_t coefficients() const override { return 2; }

  double prepare(const amr::Case&, const amr::PatchPoints& patch, double, double dt,
                 std::span<double> coefficients) const override {
    coefficients[0] = patch.spacing;
    coefficients[1] = dt / patch.spacing;
    return 0.0;
  }

  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    const double ratio = coefficients[1];
    for (int component = 0; component < before.components(); ++component) {
      const auto u = [&](int i, int j) { return before(i, j, component); };
      for (int j = 0; j < amr::kPatchSize; ++j) {
        for (int i = 0; i < amr::kPatchSize; ++i) {
          const double x = flux(u(i - 1, j), u(i, j)) - flux(u(i, j), u(i + 1, j));
          const double y = flux(u(i, j - 1), u(i, j)) - flux(u(i, j), u(i, j + 1));
          after(i, j, component) = u(i, j) + ratio * (x + y);
        }
      }
    }
  }

  void advance_with_fluxes(amr::ConstPatchView before, std::span<const double> coefficients,
                           amr::PatchView after, amr::FaceFluxes fluxes) const override {
    advance(before, coefficients, after);
    const double dt = coefficients[0] * coefficients[1];
    for (int component = 0; component < before.components(); ++component) {
      const auto u = [&](int i, int j) { return before(i, j, component); };
      for (int line = 0; line < amr::FaceFluxes::kLines; ++line) {
        const int face = line * amr::kQuadrantSize;
        for (int k = 0; k < amr::kPatchSize; ++k) {
          fluxes.line(amr::FaceAxis::kX, line, component)[k] =
              dt * flux(u(face - 1, k), u(face, k));
          fluxes.line(amr::FaceAxis::kY, line, component)[k] =
              dt * flux(u(k, face - 1), u(k, face));
        }
      }
    }
  }

  double state_cfl(amr::ConstPatchView state, std::span<const double> coefficients) const override {
    double largest = 0.0;
    for (int component = 0; component < state.components(); ++component) {
      largest = std::max(largest, state.interior(component).abs().maxCoeff());
    }
    return 2.0 * largest * coefficients[1];
  }

 protected:
  explicit Burgers1(const amr::Description& description) {
    traits_.name = description.name;
    traits_.centring = amr::Centring::kCell;
    traits_.ghosts = 1;
    traits_.cfl_limit = 1.0;
    traits_.order = 1.0;
    traits_.flux_form = true;
    traits_.nonlinear = true;
  }

  amr::SolverTraits traits_;

 private:
  static double flux(double left, double right) {
    const double from_left = std::max(left, 0.0);
    const double from_right = std::min(right, 0.0);
    return 0.5 * std::max(from_left * from_left, from_right * from_right);
  }
};

}  // namespace kumiko::broken
