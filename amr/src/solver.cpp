#include <stdexcept>

#include <kumiko/amr/solver.hpp>

namespace kumiko::amr {

void Solver::displacement(const Case&, Points, double, double, Vectors) const {
  throw std::logic_error("solver '" + traits().name + "' declares no characteristic ghosts");
}

void Solver::advance_with_fluxes(ConstPatchView, std::span<const double>, PatchView,
                                 FaceFluxes) const {
  throw std::logic_error("solver '" + traits().name + "' declares no flux form");
}

double Solver::state_cfl(ConstPatchView, std::span<const double>) const {
  throw std::logic_error("solver '" + traits().name + "' does not declare itself nonlinear");
}

void Solver::tendency(ConstPatchView, std::span<const double>, const PointRange&, PatchView) const {
  throw std::logic_error("solver '" + traits().name + "' declares no tendency");
}

}  // namespace kumiko::amr
