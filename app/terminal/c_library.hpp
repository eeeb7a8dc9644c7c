// The last bits of the C library's functions.
#pragma once

#include <cstdint>

namespace kumiko::app {

/// A hash of the results of exp(), sin(), pow() and the like in this process. A C library has
/// several versions of them, chooses by the processor or by GLIBC_TUNABLES, and they differ in the
/// last bit. Takes less than a millisecond.
std::uint64_t fingerprint_of_c_library();

}  // namespace kumiko::app
