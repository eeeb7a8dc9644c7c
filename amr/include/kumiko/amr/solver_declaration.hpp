// Checks whether the engine can serve what a solver declares of itself.
#pragma once

#include <string>
#include <vector>

#include <kumiko/amr/solver.hpp>

namespace kumiko::amr {

/// What no engine can serve of what a solver declares, each as "declares 9 ghost layers; 1 to 8
/// work"; empty when all of it can be.
std::vector<std::string> impossible_declarations(const Solver& solver);

}  // namespace kumiko::amr
