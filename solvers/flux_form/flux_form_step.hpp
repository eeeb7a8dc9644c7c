// What solvers that advance by one flux-form step of a kernel have in common.
#pragma once

#include <span>

#include <kumiko/amr/solver.hpp>

#include "step.hpp"

namespace kumiko::solvers::flux_form {

/// A conservative solver that advances each component by one step of a kernel, with the face
/// velocities of the middle of the step. A derived class says what that step is.
///
/// Coefficients of a patch: the spacing, then the Courant numbers of its faces, in as many layers
/// as the solver has ghosts. CFL number: plugin::cfl_number(); its limit is the donor cell's, 1.
class FluxFormSolver : public amr::Solver {
 public:
  const amr::SolverTraits& traits() const final { return traits_; }
  std::size_t coefficients() const final;
  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const final;
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const final;
  void advance_with_fluxes(amr::ConstPatchView before, std::span<const double> coefficients,
                           amr::PatchView after, amr::FaceFluxes to) const final;

 protected:
  /// \param order, has_tendency  as in amr::SolverTraits
  FluxFormSolver(int ghosts, double order, bool has_tendency);

 private:
  /// Advances one component of one patch, and fills the fluxes.
  virtual void advance_component(Step step) const = 0;

  Step step_of(amr::ConstPatchView before, std::span<const double> coefficients, int component,
               amr::PatchView after, Fluxes& fluxes) const;

  amr::SolverTraits traits_;
};

/// Δt ∂u/∂t by third-order fluxes of this moment (κ = 1/3: van Leer 1977, J. Comput. Phys. 23), for
/// every component. Reads two layers around the range.
void upwind_tendency(amr::ConstPatchView state, std::span<const double> coefficients, int margin,
                     const amr::PointRange& range, amr::PatchView tendency);

}  // namespace kumiko::solvers::flux_form
