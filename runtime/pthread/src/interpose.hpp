// What the functions have in common that take the place of the C library's.
#pragma once

#include <cerrno>
#include <cstdint>

#include <sys/types.h>

/// Stands before definitions that take the place of the C library's; exports.txt names them, too.
#define KUMIKO_INTERPOSE extern "C" [[gnu::visibility("default")]]

namespace kumiko::pthread {

/// What the C library would return: `result`, or -1 and errno where it is an error.
template <class T = ssize_t>
T returned(std::int64_t result) noexcept {
  if (result >= 0) return static_cast<T>(result);
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace kumiko::pthread
