// Lets functions throw where the C library's headers promise that they do not.
#pragma once

// Included before everything else, see CMakeLists.txt. The C library's headers promise C++ that
// most functions throw nothing. In a lightweight thread ours run signal handlers, which may end
// their thread: pthread_exit() and cancellation unwind the stack through us, and would end the
// process at the first function that keeps that promise.
//
// So of our functions none is noexcept that takes signals, see signals.hpp, and what they hold is
// given back by destructors.

#include <features.h>

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the C library's names
#undef __THROW
#undef __THROWNL
#undef __NTH
#undef __NTHNL
#define __THROW
#define __THROWNL
#define __NTH(function) function
#define __NTHNL(function) function
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
