// Checks whether the engine supports what a solver declares.
#pragma once

#include <string>
#include <vector>

#include <kumiko/amr/solver.hpp>

namespace kumiko::amr {

/// The declarations of a solver that the engine does not support, such as "declares 9 ghost layers;
/// 1 to 8 work"; empty if it supports all.
std::vector<std::string> impossible_declarations(const Solver& solver);

}  // namespace kumiko::amr
