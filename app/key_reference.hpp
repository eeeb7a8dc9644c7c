// Lists the keys of the configuration as `--help` prints them.
#pragma once

#include <string>

namespace kumiko::app {

/// Of the program, and of every solver and case that is found.
std::string key_reference();

}  // namespace kumiko::app
