// The C++ runtime's record of exceptions in flight, which a lightweight thread takes along.
#pragma once

#include <cxxabi.h>

namespace kumiko::runtime::detail {

/// What the C++ runtime keeps per OS thread about exceptions being handled (Itanium C++ ABI, 2.2.2:
/// struct __cxa_eh_globals). Exchanged at every switch, so that a lightweight thread may suspend
/// inside a catch block, or while a destructor runs during unwinding, and go on elsewhere.
struct ExceptionState {
  void* caught_exceptions = nullptr;
  unsigned int uncaught_exceptions = 0;

  friend bool operator==(const ExceptionState&, const ExceptionState&) = default;
};
static_assert(sizeof(ExceptionState) == 2 * sizeof(void*), "layout fixed by the ABI");

/// Where the calling OS thread's state lies, until the OS thread ends.
inline ExceptionState* os_thread_exception_state() noexcept {
  return reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals());
}

}  // namespace kumiko::runtime::detail
