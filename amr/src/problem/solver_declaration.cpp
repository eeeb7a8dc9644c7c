#include <cmath>

#include <fmt/core.h>

#include <kumiko/amr/solver_declaration.hpp>

namespace kumiko::amr {

std::vector<std::string> impossible_declarations(const Solver& solver) {
  const SolverTraits& traits = solver.traits();
  std::vector<std::string> list;
  if (traits.dimensions != kAxes) {
    list.push_back(fmt::format("declares {} dimensions; this Kumiko computes in {}",
                               traits.dimensions, kAxes));
  }
  if (traits.ghosts < 1 || traits.ghosts > kLargestGhosts) {
    list.push_back(
        fmt::format("declares {} ghost layers; 1 to {} work", traits.ghosts, kLargestGhosts));
  }
  if (!(std::isfinite(traits.cfl_limit) && traits.cfl_limit > 0.0)) {
    list.push_back(fmt::format("declares a CFL limit of {:g}; it must be finite and above 0",
                               traits.cfl_limit));
  }
  if (traits.components < 0) {
    list.push_back(
        fmt::format("declares {} components; give their number, or 0 for as many as the "
                    "case has",
                    traits.components));
  }
  if (traits.flux_form && traits.centring != Centring::kCell) {
    list.emplace_back("declares fluxes but node centring; flux form needs cells");
  }
  if (const std::size_t count = solver.coefficients(); count > kMostCoefficients) {
    list.push_back(
        fmt::format("asks for {} coefficients a patch; {} are the most", count, kMostCoefficients));
  }
  return list;
}

}  // namespace kumiko::amr
