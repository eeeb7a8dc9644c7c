// Finds other programs by the shell.
#pragma once

#include <string>

namespace kumiko::app {

/// True if the shell finds a program of this name.
bool is_program(const std::string& name);

}  // namespace kumiko::app
