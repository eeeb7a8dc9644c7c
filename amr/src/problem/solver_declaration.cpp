#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/solver_declaration.hpp>

namespace kumiko::amr {

namespace {

/// Says what is wrong with the vectors among the components; empty if nothing is.
std::string impossible_vectors(const SolverTraits& traits) {
  std::set<int> used;
  for (const VectorComponents& vector : traits.vectors) {
    for (const int component : {vector.x, vector.y}) {
      if (traits.components <= 0) {
        return "declares vectors but not the number of components; give both";
      }
      if (component < 0 || component >= traits.components) {
        return fmt::format("declares a vector with component {}; its components are 0 to {}",
                           component, traits.components - 1);
      }
      if (!used.insert(component).second) {
        return fmt::format("declares component {} twice among its vectors", component);
      }
    }
  }
  return {};
}

}  // namespace

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
  if (const std::string text = impossible_vectors(traits); !text.empty()) list.push_back(text);
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
