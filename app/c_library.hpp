// The last bits of the C library's functions.
#pragma once

#include <cstdint>

namespace kumiko::app {

/// What stands for the results of exp(), sin(), pow() and the like here: a C library chooses among
/// versions of them by the processor, or by GLIBC_TUNABLES, and these differ in the last bit. Under
/// a millisecond.
std::uint64_t fingerprint_of_c_library();

}  // namespace kumiko::app
