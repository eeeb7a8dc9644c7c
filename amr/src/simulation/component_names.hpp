// Checks the names that a case gives its components.
#pragma once

#include <kumiko/amr/case.hpp>

namespace kumiko::amr {

/// Throws std::invalid_argument when a case's component_names() are not what case.hpp asks for.
void check_component_names(const Case& problem);

}  // namespace kumiko::amr
