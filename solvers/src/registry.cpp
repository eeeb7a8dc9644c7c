#include <kumiko/solvers/registry.hpp>

#include "finite_volume_upwind3.hpp"
#include "flux_form_fct.hpp"
#include "semi_lagrangian_cubic.hpp"
#include "thinc.hpp"

namespace kumiko::solvers {

const std::vector<SolverEntry>& solver_entries() {
  static const std::vector<SolverEntry> entries = {finite_volume_upwind3_entry(),
                                                   flux_form_fct_entry(),
                                                   semi_lagrangian_cubic_entry(), thinc_entry()};
  return entries;
}

}  // namespace kumiko::solvers
