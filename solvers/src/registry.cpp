#include <kumiko/solvers/registry.hpp>

#include "burgers.hpp"
#include "finite_volume_upwind3.hpp"
#include "semi_lagrangian_cubic.hpp"
#include "upwind1.hpp"

namespace kumiko::solvers {

const std::vector<SolverEntry>& solver_entries() {
  static const std::vector<SolverEntry> entries = {burgers_entry(), finite_volume_upwind3_entry(),
                                                   semi_lagrangian_cubic_entry(), upwind1_entry()};
  return entries;
}

}  // namespace kumiko::solvers
