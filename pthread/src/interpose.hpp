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

/// Calls action() at the end of its scope, however that is left: by an unwinding, too.
template <class Action>
class Finally {
 public:
  explicit Finally(Action action) noexcept : action_(action) {}
  ~Finally() { action_(); }
  Finally(const Finally&) = delete;
  Finally& operator=(const Finally&) = delete;

 private:
  const Action action_;
};

}  // namespace kumiko::pthread
