// The optional parts that this program was built with.
#pragma once

namespace kumiko::app {

/// "with A, B; without C", as CMake found them when the program was configured.
extern const char* const kMadeWith;

}  // namespace kumiko::app
