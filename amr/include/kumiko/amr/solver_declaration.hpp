// Checks whether the engine can serve what a solver declares of itself.
#pragma once

#include <string>
#include <vector>

#include <kumiko/amr/solver.hpp>

namespace kumiko::amr {

/// The declarations of a solver that the engine cannot serve, each as "declares 9 ghost layers; 1
/// to 8 work"; empty when it can serve all.
std::vector<std::string> impossible_declarations(const Solver& solver);

}  // namespace kumiko::amr
