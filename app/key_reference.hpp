// Lists the keys of the configuration as `--help` prints them.
#pragma once

#include <string>

namespace kumiko::app {

/// The keys of the program, and those of every solver and case that is found, as a page.
std::string key_reference();

}  // namespace kumiko::app
