// The shipped solvers, by name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/parameter.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::solvers {

/// A solver that can be made by name.
struct SolverEntry {
  std::string name;
  std::string help;                            ///< one line
  std::vector<amr::ParameterSpec> parameters;  ///< names without the prefix "solver."
  std::function<std::unique_ptr<amr::Solver>(const amr::ParameterSet&)> make;
};

/// Every solver, sorted by name.
const std::vector<SolverEntry>& solver_entries();

/// The solver of a name, or nullptr.
const SolverEntry* find_solver(std::string_view name);

}  // namespace kumiko::solvers
