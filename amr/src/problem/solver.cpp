#include <stdexcept>
#include <string>

#include <kumiko/amr/solver.hpp>

namespace kumiko::amr {

namespace {

/// The error of a member that was called though the traits do not declare it.
std::logic_error missing(const std::string& member, const std::string& trait) {
  return std::logic_error("it declares traits()." + trait + " but does not override " + member +
                          "()");
}

}  // namespace

void Solver::displacement(const Case&, Points, double, double, Vectors) const {
  throw missing("displacement", "characteristic_ghosts");
}

void Solver::advance_with_fluxes(ConstPatchView, std::span<const double>, PatchView,
                                 FaceFluxes) const {
  throw missing("advance_with_fluxes", "flux_form");
}

void Solver::advance_list(std::span<const PatchAdvance> list) const {
  for (const PatchAdvance& one : list) {
    if (one.fluxes) {
      advance_with_fluxes(one.before, one.coefficients, one.after, *one.fluxes);
    } else {
      advance(one.before, one.coefficients, one.after);
    }
  }
}

double Solver::weight(const Case&, const PatchPoints&, double) const {
  throw missing("weight", "weighted");
}

std::optional<InnerPoint> Solver::inadmissible_point(ConstPatchView) const {
  throw missing("inadmissible_point", "limits_states");
}

double Solver::rescale(const Case&, double, double, std::span<double>) const {
  throw missing("rescale", "rescales");
}

double Solver::state_cfl(ConstPatchView, std::span<const double>) const {
  throw missing("state_cfl", "nonlinear");
}

void Solver::tendency(ConstPatchView, std::span<const double>, const PointRange&, PatchView) const {
  throw missing("tendency", "tendency");
}

}  // namespace kumiko::amr
