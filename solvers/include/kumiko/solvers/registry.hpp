// The shipped solvers, by name.
#pragma once

#include <string_view>
#include <vector>

#include <kumiko/amr/entry.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::solvers {

using SolverEntry = amr::Entry<amr::Solver>;

/// Every solver, sorted by name.
const std::vector<SolverEntry>& solver_entries();

/// The solver of a name, or nullptr.
inline const SolverEntry* find_solver(std::string_view name) {
  return amr::find_entry(solver_entries(), name);
}

}  // namespace kumiko::solvers
